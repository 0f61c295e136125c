package org.namdb.benchmarks;

import java.util.concurrent.TimeUnit;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.snapshot.DirectRead;
import org.namdb.timestamp.snapshot.SharedChain;
import org.namdb.timestamp.snapshot.SnapshotChain;
import org.namdb.timestamp.snapshot.SnapshotOracle;

/// The oracles that are compared.
public enum Oracle {
    /// Fresh snapshots, by each thread for itself: the default.
    CHAIN("snapshot chain") {
        @Override
        SnapshotOracle open(TimestampSlot slot) {
            return new SnapshotChain(slot);
        }
    },
    /// Fresh snapshots for all threads of a compute server.
    SHARED_CHAIN("shared chain") {
        @Override
        SnapshotOracle open(TimestampSlot slot) {
            return new SharedChain(slot, TimeUnit.MINUTES.toNanos(1), System::nanoTime).session();
        }
    },
    /// Snapshots that may be used again for a while.
    STALE_CHAIN("chain, 1 ms old at most") {
        @Override
        SnapshotOracle open(TimestampSlot slot) {
            return new SnapshotChain(slot, TimeUnit.MILLISECONDS.toNanos(1), System::nanoTime);
        }
    },
    /// The paper's, which does not give snapshots.
    DIRECT_READ("plain read (no SI)") {
        @Override
        SnapshotOracle open(TimestampSlot slot) {
            return new DirectRead(slot);
        }
    };

    private final String label;

    Oracle(String label) {
        this.label = label;
    }

    /// The name that a reader sees.
    String label() {
        return label;
    }

    /// Opens the oracle for the thread that holds `slot`.
    abstract SnapshotOracle open(TimestampSlot slot);
}

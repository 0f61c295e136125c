package org.namdb.compute;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.maintenance.DeadSessions;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.snapshot.DirectRead;
import org.namdb.timestamp.snapshot.SharedChain;
import org.namdb.timestamp.snapshot.SnapshotChain;
import org.namdb.timestamp.snapshot.SnapshotOracle;

/// Opens the oracles of a compute server's sessions, as [EmbeddedOptions.Oracle] says.
///
/// A shared chain has a connection and a slot of its own. The slot publishes nothing: it has the
/// buffers for new members of the chain, and the one announcement for all sessions. The sessions
/// keep their own slots for their commits. If its connection is lost, the sessions that use it end
/// as if they had lost theirs, and those that are opened later share another one. The slot of the
/// one before is recovered when no transaction needs its announcement any more.
final class Oracles implements AutoCloseable {
    private final EmbeddedOptions options;
    private final Supplier<QueuePair> connections;
    private final TimestampVectorLayout vector;
    private final LongSupplier owners;
    private final DeadSessions dead;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Shared shared;

    private record Shared(QueuePair queuePair, TimestampSlot slot, long owner, SharedChain chain) {}

    /// The shared chains before this one, whose connections were lost, as long as their slots are
    /// in use.
    private final List<Shared> failed = new ArrayList<>();

    /// The queue pairs of its predecessors: sessions may still access what they have read.
    private final List<QueuePair> disconnected = new ArrayList<>();

    /// @param connections connects to all memory servers
    /// @param vector where the slots lie
    /// @param owners for whom a slot is taken
    /// @param dead gets slots whose connections were lost
    Oracles(
            EmbeddedOptions options,
            Supplier<QueuePair> connections,
            TimestampVectorLayout vector,
            LongSupplier owners,
            DeadSessions dead) {
        this.options = options;
        this.connections = connections;
        this.vector = vector;
        this.owners = owners;
        this.dead = dead;
    }

    /// How many slots it takes for itself.
    static int slots(EmbeddedOptions options) {
        return options.oracle() == EmbeddedOptions.Oracle.SHARED_CHAIN ? 1 : 0;
    }

    /// An oracle for the session that has this slot.
    SnapshotOracle open(TimestampSlot slot) {
        return switch (options.oracle()) {
            case CHAIN ->
                    new SnapshotChain(
                            slot, options.staleness().toNanos(), options.host()::nanoTime);
            case SHARED_CHAIN -> shared().session();
            case DIRECT -> new DirectRead(slot);
        };
    }

    private SharedChain shared() {
        lock.lock();
        try {
            Shared known = shared;
            if (known != null && known.chain().isFailed()) {
                failed.add(known);
                shared = null;
                known = null;
            }
            handOverFailed();
            if (known == null) {
                known = share();
                shared = known;
            }
            return known.chain();
        } finally {
            lock.unlock();
        }
    }

    private Shared share() {
        QueuePair queuePair = connections.get();
        long owner = owners.getAsLong();
        try {
            TimestampSlot slot = TimestampSlot.take(vector, queuePair, owner);
            SharedChain chain =
                    new SharedChain(
                            slot, options.maxTransactionTime().toNanos(), options.host()::nanoTime);
            return new Shared(queuePair, slot, owner, chain);
        } catch (Throwable e) {
            dead.addUnopened(queuePair, owner);
            throw e;
        }
    }

    /// While one is in use, or it is not known whether verbs on its connection are still executed,
    /// it waits for the next time.
    private void handOverFailed() {
        for (Iterator<Shared> each = failed.iterator(); each.hasNext(); ) {
            Shared before = each.next();
            try {
                if (before.chain().endIfIdle(() -> dead.add(before.queuePair(), before.owner()))) {
                    disconnected.add(before.queuePair());
                    each.remove();
                }
            } catch (FabricException e) {
                // A memory server is silent.
            }
        }
    }

    /// Releases the shared chain's slot. No session runs a transaction any more.
    @Override
    public void close() {
        failed.forEach(before -> before.queuePair().close());
        failed.clear();
        disconnected.forEach(QueuePair::close);
        disconnected.clear();
        Shared known = shared;
        if (known == null) {
            return;
        }
        shared = null;
        try {
            known.slot().release();
        } catch (FabricException e) {
            // The memory servers are lost, and the slot with them.
        }
        known.queuePair().close();
    }
}

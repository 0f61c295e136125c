package org.namdb.compute.commit;

import java.util.function.Consumer;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.timestamp.snapshot.LowWatermark;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotOracle;

/// The read snapshot of a session's transaction, and how old it is.
public final class ReadSnapshot {
    private final Host host;
    private final QueuePair queuePair;
    private final SnapshotOracle oracle;
    private final LowWatermark watermark;
    private final Consumer<FabricException> lost;
    private final long maxNanos;
    private final Snapshot snapshot = new Snapshot();
    private long beginNanos;
    private boolean isChosen;

    /// @param lost notified if the connection is lost
    /// @param maxNanos how long a transaction may take
    public ReadSnapshot(
            Host host,
            QueuePair queuePair,
            SnapshotOracle oracle,
            LowWatermark watermark,
            Consumer<FabricException> lost,
            long maxNanos) {
        this.host = host;
        this.queuePair = queuePair;
        this.oracle = oracle;
        this.watermark = watermark;
        this.lost = lost;
        this.maxNanos = maxNanos;
    }

    /// A transaction begins. Called before its snapshot is taken, so that no transaction counts as
    /// younger than it is.
    public void begin() {
        beginNanos = host.nanoTime();
    }

    /// The snapshot was requested.
    ///
    /// @param newChosen what [SnapshotOracle#start] has returned
    public void started(boolean newChosen) {
        isChosen = newChosen;
    }

    /// Whether the snapshot is chosen, so that it can be used. If not, it is to be
    /// [settled][#settle] after an await: the transaction's first, with its first reads.
    public boolean isChosen() {
        return isChosen;
    }

    /// After an await: goes on with the choice, as [SnapshotOracle#settle].
    ///
    /// @return whether the snapshot is chosen, and what was posted since the last call may be read
    ///     by it; else that is to be posted again, and awaited
    public boolean settle() {
        if (!isChosen) {
            isChosen = oracle.settle(snapshot);
        }
        return isChosen;
    }

    /// A time before the snapshot was taken.
    public long beginNanos() {
        return beginNanos;
    }

    /// What the transaction reads by, once it is [chosen][#isChosen].
    public Snapshot snapshot() {
        return snapshot;
    }

    /// What every transaction sees, or could no longer see: no snapshot reads versions that ended
    /// before it.
    public Snapshot lowWatermark() {
        return watermark.snapshot();
    }

    /// Whether the low watermark may have passed the snapshot. Reads from the memory server only
    /// when the transaction is old enough for that. By a snapshot that is not chosen yet, nothing
    /// has been read.
    public boolean isTooOld() {
        if (!isChosen
                || host.nanoTime() - beginNanos < maxNanos / 2
                || PlantedFault.AGE_UNCHECKED.isPlanted()) {
            return false;
        }
        try {
            long view = watermark.post();
            queuePair.await();
            return LowWatermark.hasPassed(view, snapshot);
        } catch (FabricException e) {
            lost.accept(e);
            throw e;
        }
    }

    /// Posts that the transaction reads nothing more by it.
    public void postRelease() {
        oracle.release();
    }
}

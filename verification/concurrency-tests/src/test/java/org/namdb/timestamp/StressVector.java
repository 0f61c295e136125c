package org.namdb.timestamp;

import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;

/// A timestamp vector that all states of a test share: it is never set back, and each state commits
/// its own transactions.
public final class StressVector {
    private final StressRegion region;
    private final TimestampVectorLayout layout;

    public StressVector(ShmFabric.Options options, int maxSlots) {
        this(options, maxSlots, 0);
    }

    /// @param dataBytes bytes for the test, behind the vector
    public StressVector(ShmFabric.Options options, int maxSlots, int dataBytes) {
        region = new StressRegion(options, TimestampVectorLayout.bytes(maxSlots) + dataBytes, 64);
        layout = new TimestampVectorLayout(region.shared(), maxSlots);
        layout.format(region.connect());
    }

    public QueuePair connect() {
        return region.connect();
    }

    public TimestampVectorLayout layout() {
        return layout;
    }

    /// The remote address of the test's own bytes.
    public long data() {
        return region.shared() + TimestampVectorLayout.bytes(layout.maxSlots());
    }

    /// The next slot, for the thread of this queue pair.
    public TimestampSlot slot(QueuePair queuePair) {
        return TimestampSlot.take(layout, queuePair, 1);
    }

    /// Commits a transaction that has written nothing, and acknowledges it.
    ///
    /// @return its timestamp
    public static long commit(TimestampSlot slot) {
        long commitTimestamp = slot.next();
        slot.publish(commitTimestamp);
        slot.queuePair().await();
        return CommitTimestamp.timestamp(commitTimestamp);
    }
}

package org.namdb.concurrency;

import org.namdb.fabric.QueuePair;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotChain;

/// Snapshots that see what a test needs.
public final class Snapshots {
    private static final int MAX_SLOTS = 4;

    private Snapshots() {}

    /// A snapshot with these timestamps, slot by slot.
    public static Snapshot of(long... timestamps) {
        StressRegion region =
                new StressRegion(StressRegion.IN_PLACE, TimestampVectorLayout.bytes(MAX_SLOTS), 64);
        QueuePair queuePair = region.connect();
        TimestampVectorLayout layout = new TimestampVectorLayout(region.shared(), MAX_SLOTS);
        layout.format(queuePair);
        for (long timestamp : timestamps) {
            TimestampSlot slot = TimestampSlot.take(layout, queuePair, 1);
            for (long next = 1; next <= timestamp; next++) {
                slot.publish(slot.next());
            }
            queuePair.await();
        }
        Snapshot snapshot = new Snapshot();
        new SnapshotChain(TimestampSlot.take(layout, queuePair, 1)).refresh(snapshot);
        return snapshot;
    }
}

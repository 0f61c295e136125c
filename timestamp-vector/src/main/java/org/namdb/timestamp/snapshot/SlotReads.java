package org.namdb.timestamp.snapshot;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.timestamp.TimestampVectorLayout;

/// The READ of all slots in use, whose number is read along with them.
final class SlotReads {
    private final TimestampVectorLayout layout;
    private final QueuePair queuePair;
    private int inUse;
    private long view;

    SlotReads(TimestampVectorLayout layout, QueuePair queuePair) {
        this.layout = layout;
        this.queuePair = queuePair;
    }

    /// Posts the READ of the slots that are known to be in use.
    void post() {
        view = queuePair.read(layout.slotsInUse(), bytes());
    }

    /// After the await. If more slots are in use by now, reads all of them again: one round trip.
    void settle() {
        int found = (int) LocalMemory.longAcquire(view);
        while (found > inUse) {
            inUse = found;
            post();
            queuePair.await();
            found = (int) LocalMemory.longAcquire(view);
        }
    }

    /// The bytes that the next post reads.
    int bytes() {
        return TimestampVectorLayout.FIRST_SLOT_OFFSET + 8 * inUse;
    }

    /// How many slots were in use at some time after the last post.
    int inUse() {
        return inUse;
    }

    /// Where the slots' timestamps are. Each may be of another time.
    long timestamps() {
        return view + TimestampVectorLayout.FIRST_SLOT_OFFSET;
    }
}

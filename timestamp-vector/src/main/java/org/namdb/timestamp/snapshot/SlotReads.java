package org.namdb.timestamp.snapshot;

import java.lang.invoke.VarHandle;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbForecast;
import org.namdb.timestamp.TimestampVectorLayout;

/// The READs of all slots in use, one for each part of the vector. The number of slots in use is
/// read along with the first part.
final class SlotReads {
    private final TimestampVectorLayout layout;
    private final QueuePair queuePair;

    /// By part.
    private final long[] views;

    /// Where the slots of a partitioned vector are put together; 0 for one that is not.
    private final long gathered;

    private int inUse;

    SlotReads(TimestampVectorLayout layout, QueuePair queuePair) {
        this.layout = layout;
        this.queuePair = queuePair;
        this.views = new long[layout.servers()];
        this.gathered = layout.isPartitioned() ? queuePair.localMemory(8L * layout.maxSlots()) : 0;
    }

    /// Posts the READs of the slots in use. Those on the first server come after what was posted to
    /// it before.
    void post() {
        views[0] = queuePair.read(layout.slotsInUse(), bytes(0));
        for (int part = 1; part < views.length && part < inUse; part++) {
            views[part] = queuePair.read(layout.firstOf(part), bytes(part));
        }
    }

    /// After the await. If more slots are in use by now, reads all of them again: one round trip.
    void settle() {
        int found = (int) LocalMemory.longAcquire(views[0]);
        while (found > inUse) {
            inUse = found;
            post();
            queuePair.await();
            found = (int) LocalMemory.longAcquire(views[0]);
        }
        if (gathered != 0) {
            gather();
        }
    }

    /// Loads each slot once.
    private void gather() {
        for (int part = 0; part < views.length && part < inUse; part++) {
            long from = part == 0 ? first() : views[part];
            for (int slot = part; slot < inUse; slot += views.length) {
                LocalMemory.putLong(gathered + 8L * slot, LocalMemory.longAt(from));
                from += Long.BYTES;
            }
        }
        VarHandle.acquireFence();
    }

    private int bytes(int part) {
        int slots = Long.BYTES * layout.count(part, inUse);
        return part == 0 ? TimestampVectorLayout.FIRST_SLOT_OFFSET + slots : slots;
    }

    /// Adds what the next post reads.
    void forecastPost(VerbForecast into) {
        for (int part = 0; part < views.length && (part == 0 || part < inUse); part++) {
            into.read(RemoteAddress.server(layout.firstOf(part)), 1, bytes(part));
        }
    }

    /// How many slots were in use at some time after the last post.
    int inUse() {
        return inUse;
    }

    /// Where the slots' timestamps are. Each may be of another time.
    long timestamps() {
        return gathered == 0 ? first() : gathered;
    }

    private long first() {
        return views[0] + TimestampVectorLayout.FIRST_SLOT_OFFSET;
    }
}

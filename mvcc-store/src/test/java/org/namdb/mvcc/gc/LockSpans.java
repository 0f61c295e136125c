package org.namdb.mvcc.gc;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.record.RecordHeader;

/// A queue pair that counts for how many round trips each record is locked: those between the CAS
/// that locks it and the WRITE of a header that is not locked.
final class LockSpans extends ForwardingQueuePair {
    private final Map<Long, Long> lockedSince = new HashMap<>();
    private final List<Long> spans = new ArrayList<>();

    LockSpans(QueuePair actual) {
        super(actual);
    }

    /// The round trips of all locks since the last call, in the order of their releases.
    List<Long> take() {
        List<Long> taken = List.copyOf(spans);
        spans.clear();
        return taken;
    }

    @Override
    protected long postCompareAndSwap(long address, long expected, long desired) {
        long view = super.postCompareAndSwap(address, expected, desired);
        boolean isLock =
                expected != RecordHeader.FREE // that would be a latch
                        && !RecordHeader.isLocked(expected)
                        && desired == RecordHeader.lock(expected);
        if (isLock && LocalMemory.longAt(view) == expected) { // it has taken effect already
            lockedSince.put(address, counters().roundTrips());
        }
        return view;
    }

    @Override
    protected void postWriteWord(long address, long value) {
        super.postWriteWord(address, value);
        Long since = lockedSince.remove(address);
        if (since != null) {
            spans.add(counters().roundTrips() - since);
        }
    }
}

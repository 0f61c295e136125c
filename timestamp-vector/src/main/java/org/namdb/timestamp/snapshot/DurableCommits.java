package org.namdb.timestamp.snapshot;

import java.util.concurrent.atomic.AtomicLongArray;
import org.namdb.timestamp.CommitTimestamp;

/// Which commits survive a crash: of each slot, those up to a timestamp. It rises with the journal.
/// Until it [begins][#begin], all commits count as durable.
///
/// One thread raises it; safe for reading by many.
public final class DurableCommits {
    private final AtomicLongArray upTo;

    /// @param slots how many slots there are at most
    public DurableCommits(int slots) {
        upTo = new AtomicLongArray(slots);
        for (int slot = 0; slot < slots; slot++) {
            upTo.setPlain(slot, Long.MAX_VALUE);
        }
    }

    /// From now on, only those are durable that a snapshot shows, and what is [added][#add].
    public void begin(Snapshot shown) {
        for (int slot = 0; slot < upTo.length(); slot++) {
            upTo.setRelease(slot, shown.timestamp(slot));
        }
    }

    /// A commit is durable. Those of one slot are added in their order.
    public void add(long commitTimestamp) {
        upTo.setRelease(
                CommitTimestamp.slot(commitTimestamp), CommitTimestamp.timestamp(commitTimestamp));
    }

    /// Whether a commit is durable. The word's low three bits are ignored, so that a record's
    /// header serves.
    public boolean has(long commitTimestamp) {
        int slot = CommitTimestamp.slot(commitTimestamp);
        return slot >= upTo.length()
                || CommitTimestamp.timestamp(commitTimestamp) <= upTo.getAcquire(slot);
    }
}

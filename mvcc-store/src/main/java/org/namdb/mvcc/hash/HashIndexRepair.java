package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.CommitTimestamp;

/// Repairs what dead sessions left in a hashed index. Others use the index meanwhile.
/// ```
/// latch of a bucket        released
/// entry under claim        made an entry: its key was written before the claim
/// overflow area            linked by one word after it was written, or not linked
/// ```
/// An entry under claim is not freed, though no session needs it: another one may have met it, and
/// considered the entry added. One too many does no harm, since every hit is checked against the
/// record.
///
/// Each step is one compare-and-swap of what only the dead slot wrote, so two repairers at once do
/// no harm, and one that dies is followed by the next. Belongs to one thread.
public final class HashIndexRepair {
    private final QueuePair queuePair;
    private final DeadSlots dead;
    private long repaired;

    /// @param dead whose latches and claims are repaired
    public HashIndexRepair(QueuePair queuePair, DeadSlots dead) {
        this.queuePair = queuePair;
        this.dead = dead;
    }

    /// Goes over all buckets: a round trip for each home bucket, and one for each overflow area.
    ///
    /// @return how many latches and claims there were
    public long repair(HashTable index) {
        repaired = 0;
        HomeBuckets homes = new HomeBuckets(queuePair);
        homes.start(index);
        while (homes.next()) {
            repairBucket(index, homes.address());
        }
        return repaired;
    }

    /// Goes over one home bucket and its overflow areas.
    ///
    /// @return how many latches and claims there were
    public long repair(HashTable index, long home) {
        repaired = 0;
        repairBucket(index, home);
        return repaired;
    }

    private void repairBucket(HashTable index, long home) {
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(home, index.directoryBytes);
            queuePair.await();
            repairEntries(index, home, view);
            repairAreas(index, LocalMemory.longAt(view + BucketLayout.OVERFLOW_OFFSET));
            repairLatch(home, LocalMemory.longAt(view + BucketLayout.LATCH_OFFSET));
        }
    }

    private void repairAreas(HashTable index, long newest) {
        long overflow = newest;
        while (!RemoteAddress.isNull(overflow)) {
            try (ViewScope _ = queuePair.openViews()) {
                long view = queuePair.read(overflow, index.directoryBytes);
                queuePair.await();
                repairEntries(index, overflow, view);
                overflow = LocalMemory.longAt(view + BucketLayout.OVERFLOW_OFFSET);
            }
        }
    }

    private void repairEntries(HashTable index, long bucket, long view) {
        for (int entry = 0; entry < index.records; entry++) {
            int offset = index.layout().entryOffset(entry);
            long header = LocalMemory.longAcquire(view + offset);
            if (RecordHeader.isClaimed(header)
                    && dead.contains(CommitTimestamp.slot(header))
                    && queuePair.casWord(bucket + offset, header, HashIndex.ENTRY) == header) {
                repaired++;
            }
        }
    }

    private void repairLatch(long home, long word) {
        if (Latch.isHeldBy(word, dead) && Latch.repair(queuePair, home, dead)) {
            repaired++;
        }
    }
}

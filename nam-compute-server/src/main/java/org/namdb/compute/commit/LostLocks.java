package org.namdb.compute.commit;

import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.hash.RecordWrite;
import org.namdb.mvcc.owner.Intents;
import org.namdb.timestamp.snapshot.Snapshot;

/// A second try to lock records that somebody else holds and has not changed: most likely a
/// collector, which releases them unchanged; and records that are not where they were read, as
/// their bucket was split. It costs round trips, but only where the commit would fail otherwise.
final class LostLocks {
    /// The records that are tried again at most. Who has lost more meets a large commit.
    private static final int MOST = 8;

    private final QueuePair queuePair;
    private final int[] again = new int[MOST];

    LostLocks(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /// Locks the records of a write set that are in another bucket by now, and not changed; up to
    /// the first one that was changed.
    ///
    /// @param memory for their views
    void findMoved(
            WriteSet writes,
            int from,
            int to,
            Snapshot snapshot,
            Intents intents,
            LocalAllocator memory) {
        boolean isFound = true;
        for (int i = from; i < to && isFound; i++) {
            RecordChange change = writes.overwrite(i);
            if (change.write.mayHaveMoved()) {
                isFound =
                        change.write.lockAgain(
                                queuePair, change.record(), snapshot, intents, memory);
            }
        }
    }

    /// Tries those records of a write set again for which that is worth it. Their first tries are
    /// settled, and their intents stand.
    void tryAgain(WriteSet writes, int from, int to) {
        int tried = 0;
        int bytes = 0;
        for (int i = from; i < to && tried < MOST; i++) {
            RecordChange change = writes.overwrite(i);
            if (change.write.isWorthAnotherTry()) {
                bytes += RecordWrite.viewBytes(change.table().records());
                // Views of the first tries are still needed, and others may come after these.
                if (bytes > queuePair.batchBytes() / 2) {
                    break;
                }
                change.write.postLock(queuePair);
                again[tried++] = i;
            }
        }
        if (tried > 0) {
            queuePair.await();
            for (int i = 0; i < tried; i++) {
                writes.overwrite(again[i]).write.settle();
            }
        }
    }
}

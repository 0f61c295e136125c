package org.namdb.compute.commit;

import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.Latch;
import org.namdb.mvcc.hash.RecordWrite;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.timestamp.snapshot.Snapshot;

/// A second try to lock records that another session holds and has not changed: most likely a
/// collector or a split, which release them unchanged; and records that are not where they were
/// read, as their bucket was split. It costs round trips, but only where the commit would fail
/// otherwise.
///
/// A split holds the home bucket's latch for as long as it holds locks on its rows, and waits for
/// nothing meanwhile. So this commit waits for such a latch, with all locks that it has, and there
/// is no deadlock: a lock whose bucket is not latched is another commit's, and is not waited for.
final class LockRetry {
    /// At most so many locks are retried. A commit that has failed to get more conflicts with a
    /// large one.
    private static final int MAX_AGAIN = 64;

    private final QueuePair queuePair;
    private final LatchOwner owner;
    private final int[] again = new int[MAX_AGAIN];
    private final long[] latches = new long[MAX_AGAIN];
    private int count;

    /// @param owner waits for latches
    LockRetry(QueuePair queuePair, LatchOwner owner) {
        this.queuePair = queuePair;
        this.owner = owner;
    }

    /// Retries those records of a write set for which that is worth it, where they are now; up to
    /// the first one that is another commit's. Their first tries are settled, and their intents
    /// stay.
    ///
    /// @param memory for the views of records that have moved
    void tryAgain(
            WriteSet writes,
            int from,
            int to,
            Snapshot snapshot,
            Intents intents,
            LocalAllocator memory) {
        choose(writes, from, to);
        if (count > 0) {
            postAgain(writes);
        }
        boolean isFound = true;
        for (int i = 0; i < count && isFound; i++) {
            isFound = lockMoved(writes.overwrite(again[i]), snapshot, intents, memory);
        }
        for (int i = from; i < to && isFound; i++) {
            if (writes.overwrite(i).write.mayHaveMoved()) {
                isFound = lockMoved(writes.overwrite(i), snapshot, intents, memory);
            }
        }
    }

    private void choose(WriteSet writes, int from, int to) {
        count = 0;
        int bytes = 0;
        for (int i = from; i < to && count < MAX_AGAIN; i++) {
            RecordChange change = writes.overwrite(i);
            if (change.write.isWorthAnotherTry()) {
                bytes += RecordWrite.viewBytes(change.table().records()) + Long.BYTES;
                // Views of the first tries are still needed, and others may follow these.
                if (bytes > queuePair.batchBytes() / 2) {
                    return;
                }
                again[count++] = i;
            }
        }
    }

    /// Posts the locks again, each behind a READ of the latch of its bucket. Keeps those that fail
    /// again because of a split.
    private void postAgain(WriteSet writes) {
        for (int i = 0; i < count; i++) {
            latches[i] = Latch.postRead(queuePair, home(writes.overwrite(again[i])));
            writes.overwrite(again[i]).write.postLock(queuePair);
        }
        queuePair.await();
        int kept = 0;
        for (int i = 0; i < count; i++) {
            RecordWrite write = writes.overwrite(again[i]).write;
            write.settle();
            if (write.isWorthAnotherTry() && Latch.isHeld(latches[i])) {
                again[kept++] = again[i];
            }
        }
        count = kept;
    }

    private static long home(RecordChange change) {
        HashTable table = change.table().records();
        return table.home(table.hash(change.record().key()));
    }

    /// Locks a record that is in another bucket by now, or is about to be, and is not changed.
    ///
    /// @return whether it is locked
    private boolean lockMoved(
            RecordChange change, Snapshot snapshot, Intents intents, LocalAllocator memory) {
        RecordWrite write = change.write;
        boolean isLocked = write.lockAgain(queuePair, change.record(), snapshot, intents, memory);
        boolean wasLatched = true;
        while (!isLocked && wasLatched && (write.mayHaveMoved() || write.isWorthAnotherTry())) {
            wasLatched = Latch.awaitFree(queuePair, home(change), owner);
            isLocked = write.lockAgain(queuePair, change.record(), snapshot, intents, memory);
        }
        return isLocked;
    }
}

package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.owner.IntentList;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.KeyLayout;

/// Finishes or rolls back the [splits][BucketSplit] of dead sessions, while others use the tables.
/// A split that was not finished still holds the latch of its bucket A.
/// ```
/// A's child is not B   rolled back: nothing has changed. B stays unused until the table goes
/// A's child is B       rolled forward, since a session may have followed it: A's growth, the
///                      directory's word, A's vacated entries, B's latch
/// both                 rows at h|L are marked as suspects, h|M, before A's latch is released
/// ```
/// The dead session has listed none of the rows that it has locked, and a row at h|L may as well be
/// a living session's: in B, too, which has unlocked rows as soon as the dead one has begun to
/// unlock them. So they are marked, by which they are found again should this recovery die, and the
/// release of locks waits for all living sessions that may hold them, and unlocks what is still
/// marked then.
///
/// Two repairers at once are not possible; one that dies is followed by the next. Belongs to one
/// thread.
public final class SplitRepair {
    /// Takes rows whose locks may be those of a dead session.
    @FunctionalInterface
    public interface SuspectSink {
        /// Takes a row.
        ///
        /// @param header without its lock
        void accept(long headerAddress, long header, long bodyAddress);
    }

    private final QueuePair queuePair;
    private final BucketEntries entries;
    private final long[] key = new long[KeyLayout.MAX_WORDS];

    public SplitRepair(QueuePair queuePair) {
        this.queuePair = queuePair;
        this.entries = new BucketEntries(queuePair);
    }

    /// Finishes or rolls back a split that a dead slot lists, if it was not finished.
    ///
    /// @param split the entry of the list
    public void repair(HashTable table, DeadSlots dead, IntentList listed, int split) {
        long home = listed.address(split);
        long latch = queuePair.readWord(home + BucketLayout.LATCH_OFFSET);
        if (!Latch.isHeldBy(latch, dead)) {
            return;
        }
        int depth = listed.splitDepth(split);
        long child = listed.child(split);
        if (queuePair.readWord(home + BucketLayout.CHILD_OFFSET) == child) {
            rollForward(table, listed, split);
            if (!listed.isOfIndex(split)) {
                mark(table, child, depth);
            }
            boolean _ = Latch.repair(queuePair, child, dead);
        } else if (!listed.isOfIndex(split)) {
            mark(table, home, depth);
        }
        boolean _ = Latch.repair(queuePair, home, dead);
    }

    private void rollForward(HashTable table, IntentList listed, int split) {
        long home = listed.address(split);
        int depth = listed.splitDepth(split);
        long number = BucketLayout.number(queuePair.readWord(home + BucketLayout.GROWTH_OFFSET));
        queuePair.writeWord(
                home + BucketLayout.GROWTH_OFFSET, BucketLayout.growth(depth + 1, number));
        queuePair.writeWord(place(table, listed, split, number), listed.child(split));
        entries.start(table, home);
        while (entries.next()) {
            if (isMoved(table, depth)) {
                queuePair.writeWord(entries.headerAddress(), RecordHeader.FREE);
            }
        }
        queuePair.await();
    }

    /// Where the directory's word for the new bucket is.
    private long place(HashTable table, IntentList listed, int split, long number) {
        int depth = listed.splitDepth(split);
        int server = RemoteAddress.server(listed.address(split));
        long head = table.head(table.rangeOn(server));
        long level = queuePair.readWord(head + TableHead.levelOffset(depth));
        long part = number & (1L << depth) - 1 | 1L << depth;
        return level + Long.BYTES * TableHead.word(part, listed.splitRoot(split), table.roots());
    }

    private boolean isMoved(HashTable table, int depth) {
        try (ViewScope _ = queuePair.openViews()) {
            long view =
                    queuePair.read(
                            entries.headerAddress() + BucketLayout.KEY_OFFSET,
                            Long.BYTES * table.keyWords);
            queuePair.await();
            for (int word = 0; word < table.keyWords; word++) {
                key[word] = LocalMemory.longAt(view + 8L * word);
            }
        }
        return (table.hash(key) >>> depth & 1) != 0;
    }

    /// Marks the rows that were to move, or have moved, and are locked and no more.
    private void mark(HashTable table, long home, int depth) {
        entries.start(table, home);
        while (entries.next()) {
            long header = entries.header();
            if (RecordHeader.isOnlyLocked(header)
                    && !RecordHeader.isClaimed(header)
                    && isMoved(table, depth)) {
                long then =
                        PlantedFault.SPLIT_UNLOCKED_BLINDLY.isPlanted()
                                ? RecordHeader.unlocked(header)
                                : RecordHeader.suspect(header);
                long _ = queuePair.casWord(entries.headerAddress(), header, then);
            }
        }
    }

    /// Finds the rows that are marked in the bucket of a split that a dead slot lists, and in the
    /// new one.
    public void findSuspects(HashTable table, IntentList listed, int split, SuspectSink sink) {
        long home = listed.address(split);
        long child = listed.child(split);
        findSuspects(table, home, sink);
        int depth = listed.splitDepth(split);
        long growth = queuePair.readWord(home + BucketLayout.GROWTH_OFFSET);
        // The bucket may have been split again since, and has another child: the directory's word
        // never changes.
        if (BucketLayout.depth(growth) > depth
                && queuePair.readWord(place(table, listed, split, BucketLayout.number(growth)))
                        == child) {
            findSuspects(table, child, sink);
        }
    }

    private void findSuspects(HashTable table, long home, SuspectSink sink) {
        entries.start(table, home);
        while (entries.next()) {
            long header = entries.header();
            if (RecordHeader.isSuspect(header) && !RecordHeader.isClaimed(header)) {
                sink.accept(
                        entries.headerAddress(),
                        RecordHeader.unlocked(header),
                        entries.bodyAddress());
            }
        }
    }
}

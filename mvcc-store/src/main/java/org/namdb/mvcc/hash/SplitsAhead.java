package org.namdb.mvcc.hash;

import java.util.Arrays;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.LongNumbers;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.snapshot.Snapshot;

/// Splits the buckets that many new rows go to, until none gets more than it has space for, as far
/// as that can be done now:
/// ```
/// group the rows by their home buckets        local
/// READ the buckets that get many of them,     a round trip for as many as fit in a batch
///   or all if the rows are many
/// split those that have too little space      and once more, for what they were split into
/// ```
/// Belongs to one thread.
final class SplitsAhead {
    /// How full buckets are on average, in percent, or a little more than that.
    private static final int MAX_FILLED = 75;

    /// Less memory is not allocated in advance.
    private static final long MIN_CHECKED_BYTES = 1 << 20;

    private final LongNumbers numbers = new LongNumbers();

    /// By memory server, the bytes of buckets that are still to be made.
    private final long[] missing = new long[RemoteAddress.MAX_SERVERS];

    /// By home bucket: where it is, a hash that leads there, how many rows go there, and whether
    /// they have different hashes.
    private long[] homes = new long[64];

    private long[] hashes = new long[64];
    private int[] rows = new int[64];
    private boolean[] differ = new boolean[64];
    private long[] views = new long[64];
    private long[] growths = new long[64];
    private int[] used = new int[64];
    private boolean[] areDue = new boolean[64];
    private int count;

    /// Buckets that need not be split, or could not.
    private final LongNumbers settled = new LongNumbers();

    private boolean areMany;

    /// Which buckets are split together.
    private final int[] members = new int[BucketSplit.MAX_TOGETHER];

    /// Splits the buckets of a table that new rows go to.
    ///
    /// @param newRows the hashes of the rows
    /// @param ofMany whether they belong to a commit with [many][DueSplits#MIN_MANY] inserts
    /// @return how many buckets were split
    int run(
            BucketSplit splitter,
            HashTable table,
            boolean isOfIndex,
            long[] newRows,
            boolean ofMany,
            Snapshot published) {
        settled.clear();
        areMany = ofMany;
        int splits = 0;
        boolean isChanged = true;
        while (isChanged) {
            group(table, newRows);
            isChanged = read(splitter.queuePair, table);
            requireMemory(splitter.allocator, table);
            int next = 0;
            while (next < count) {
                splitter.owner.checkCancelled();
                splitter.clear();
                for (; next < count && !splitter.isFull(table); next++) {
                    if (areDue[next]) {
                        members[splitter.count()] = next;
                        splitter.add(
                                table,
                                isOfIndex,
                                hashes[next],
                                homes[next],
                                growths[next],
                                differ[next]);
                    }
                }
                int split = splitter.count() == 0 ? 0 : splitter.run(published);
                isChanged |= split > 0;
                splits += split;
                for (int i = 0; i < splitter.count(); i++) {
                    if (splitter.outcome(i) != BucketSplit.Outcome.SPLIT) {
                        int _ = settled.replace(homes[members[i]], 0);
                    }
                }
            }
        }
        return splits;
    }

    private void group(HashTable table, long[] newRows) {
        numbers.clear();
        count = 0;
        for (long hash : newRows) {
            long home = table.home(hash);
            int number = numbers.numberOf(home, count);
            if (number == count) {
                add(home, hash);
            }
            rows[number]++;
            differ[number] |= hashes[number] != hash;
        }
    }

    private void add(long home, long hash) {
        if (count == homes.length) {
            homes = Arrays.copyOf(homes, 2 * count);
            hashes = Arrays.copyOf(hashes, 2 * count);
            rows = Arrays.copyOf(rows, 2 * count);
            differ = Arrays.copyOf(differ, 2 * count);
            views = Arrays.copyOf(views, 2 * count);
            growths = Arrays.copyOf(growths, 2 * count);
            used = Arrays.copyOf(used, 2 * count);
            areDue = Arrays.copyOf(areDue, 2 * count);
        }
        homes[count] = home;
        hashes[count] = hash;
        rows[count] = 0;
        differ[count] = false;
        areDue[count] = false;
        count++;
    }

    /// Whether so many new rows in one bucket are a reason to check its free space.
    static boolean isCrowd(HashTable table, int rows) {
        return rows > table.records / 2;
    }

    private boolean isCandidate(HashTable table, int number) {
        return (areMany || differ[number] && isCrowd(table, rows[number]))
                && settled.numberOf(homes[number]) == LongNumbers.NONE;
    }

    /// Finds the buckets that are due.
    ///
    /// @return whether some of them are not for their rows any more, so that others are found now
    private boolean read(QueuePair queuePair, HashTable table) {
        boolean isStale = false;
        int from = 0;
        while (from < count) {
            try (ViewScope _ = queuePair.openViews()) {
                int landed = 0;
                int to = from;
                for (; to < count && landed < queuePair.batchBytes(); to++) {
                    views[to] = 0;
                    if (isCandidate(table, to)) {
                        views[to] = queuePair.read(homes[to], table.directoryBytes);
                        landed += table.directoryBytes;
                    }
                }
                queuePair.await();
                for (int number = from; number < to; number++) {
                    if (views[number] != 0) {
                        take(table, number);
                    }
                }
                from = to;
            }
        }
        for (int number = 0; number < count; number++) {
            if (areDue[number] && !BucketLayout.isFor(growths[number], hashes[number])) {
                areDue[number] = false;
                long next =
                        table.route(queuePair, hashes[number], homes[number], growths[number], 0);
                isStale |= next != homes[number];
            }
        }
        return isStale;
    }

    /// Buckets that were split stay if the commit fails: it should rather fail before.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there is not memory for what is missing
    private void requireMemory(RemoteAllocator allocator, HashTable table) {
        Arrays.fill(missing, 0);
        for (int number = 0; number < count; number++) {
            if (areDue[number]) {
                long filled = (used[number] + rows[number]) * 100L;
                long buckets = filled / MAX_FILLED / table.records;
                missing[HashTable.serverOf(homes[number])] += buckets * table.bucketBytes;
            }
        }
        for (int server = 0; server < missing.length; server++) {
            if (missing[server] > MIN_CHECKED_BYTES) {
                allocator.require(server, missing[server]);
            }
        }
    }

    private void take(HashTable table, int number) {
        used[number] = 0;
        for (int entry = 0; entry < table.records; entry++) {
            long header = views[number] + table.layout().entryOffset(entry);
            used[number] += LocalMemory.longAcquire(header) == RecordHeader.FREE ? 0 : 1;
        }
        growths[number] = LocalMemory.longAcquire(views[number] + BucketLayout.GROWTH_OFFSET);
        areDue[number] =
                used[number] + rows[number] > table.records
                        || !BucketLayout.isFor(growths[number], hashes[number]);
        if (!areDue[number]) {
            int _ = settled.replace(homes[number], 0);
        }
    }
}

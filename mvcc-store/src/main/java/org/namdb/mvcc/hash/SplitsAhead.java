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
/// split those that have too little space      and their rows by the next bit of their hashes,
///                                             until all have space: nothing is read again
/// ```
/// Belongs to one thread.
final class SplitsAhead {
    /// How full buckets are on average, in percent, or a little more than that.
    private static final int MAX_FILLED = 75;

    /// Less memory is not allocated in advance.
    private static final long MIN_CHECKED_BYTES = 1 << 20;

    /// After so many rows it checks whether it is cancelled.
    private static final int CHECKED_AFTER = 1 << 14;

    private static final int UNKNOWN = -1;

    private final LongNumbers numbers = new LongNumbers();

    /// By memory server, the bytes of buckets that are still to be made.
    private final long[] missing = new long[RemoteAddress.MAX_SERVERS];

    /// The hashes of the new rows, in the order of their groups.
    private long[] rows = new long[0];

    /// Groups of rows, by home bucket: where that is, which rows go there, and what is known of the
    /// bucket: its growth word, and how many records it has, or that it is to be read.
    private long[] homes = new long[64];

    private int[] starts = new int[64];
    private int[] ends = new int[64];
    private long[] growths = new long[64];
    private int[] used = new int[64];
    private long[] views = new long[64];
    private boolean[] areDue = new boolean[64];
    private int count;

    private boolean areMany;

    /// Which groups' buckets are split together.
    private final int[] members = new int[BucketSplit.MAX_TOGETHER];

    /// Splits the buckets of a table that new rows go to.
    ///
    /// @param newRows the hashes of the rows; their order is changed
    /// @param ofMany whether they belong to a commit with [many][DueSplits#MIN_MANY] inserts
    /// @return how many buckets were split
    int run(
            BucketSplit splitter,
            HashTable table,
            boolean isOfIndex,
            long[] newRows,
            boolean ofMany,
            Snapshot published) {
        rows = newRows;
        areMany = ofMany;
        count = 0;
        int splits = 0;
        group(splitter, table, 0, newRows.length);
        int from = 0;
        while (from < count) {
            int to = count;
            read(splitter, table, from, to);
            for (int group = from; group < to; group++) {
                boolean isDue = isDue(splitter, table, group);
                areDue[group] = isDue; // not in one: the array may have been replaced
            }
            requireMemory(splitter.allocator, table, from, to);
            while (from < to) {
                splitter.owner.checkCancelled();
                splitter.clear();
                for (; from < to && !splitter.isFull(table); from++) {
                    if (areDue[from]) {
                        members[splitter.count()] = from;
                        splitter.add(
                                table,
                                isOfIndex,
                                rows[starts[from]],
                                homes[from],
                                growths[from],
                                hasSeveralHashes(from));
                    }
                }
                splits += splitter.count() == 0 ? 0 : splitter.run(published);
                for (int i = 0; i < splitter.count(); i++) {
                    if (splitter.outcome(i) == BucketSplit.Outcome.SPLIT) {
                        divide(splitter.bucket(i), members[i]);
                    }
                }
            }
        }
        rows = new long[0];
        return splits;
    }

    /// Adds groups for some rows, by the buckets that this process takes for their homes.
    private void group(BucketSplit splitter, HashTable table, int start, int end) {
        numbers.clear();
        int first = count;
        int[] groups = new int[end - start];
        for (int row = start; row < end; row++) {
            if (row % CHECKED_AFTER == CHECKED_AFTER - 1) {
                splitter.owner.checkCancelled();
            }
            long home = table.home(rows[row]);
            int group = numbers.numberOf(home, count);
            if (group == count) {
                add(home, 0, UNKNOWN);
            }
            groups[row - start] = group;
            ends[group]++;
        }
        int next = start;
        for (int group = first; group < count; group++) {
            starts[group] = next;
            next += ends[group];
            ends[group] = starts[group];
        }
        long[] unordered = Arrays.copyOfRange(rows, start, end);
        for (int row = 0; row < unordered.length; row++) {
            rows[ends[groups[row]]++] = unordered[row];
        }
    }

    private void add(long home, long growth, int records) {
        if (count == homes.length) {
            homes = Arrays.copyOf(homes, 2 * count);
            starts = Arrays.copyOf(starts, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
            growths = Arrays.copyOf(growths, 2 * count);
            used = Arrays.copyOf(used, 2 * count);
            views = Arrays.copyOf(views, 2 * count);
            areDue = Arrays.copyOf(areDue, 2 * count);
        }
        homes[count] = home;
        starts[count] = 0;
        ends[count] = 0;
        growths[count] = growth;
        used[count] = records;
        count++;
    }

    /// The bucket of a group was split: its rows are those of two groups now.
    private void divide(SplitBucket split, int group) {
        int depth = BucketLayout.depth(growths[group]);
        int middle = starts[group];
        for (int row = starts[group]; row < ends[group]; row++) {
            long hash = rows[row];
            if ((hash >>> depth & 1) == 0) {
                rows[row] = rows[middle];
                rows[middle++] = hash;
            }
        }
        int moved = split.moved();
        long number = BucketLayout.number(growths[group]);
        addPart(
                homes[group],
                BucketLayout.growth(depth + 1, number),
                Math.max(0, used[group] - moved),
                starts[group],
                middle);
        addPart(
                split.child,
                BucketLayout.growth(depth + 1, number | 1L << depth),
                moved,
                middle,
                ends[group]);
    }

    private void addPart(long home, long growth, int records, int start, int end) {
        if (start < end) {
            add(home, growth, records);
            starts[count - 1] = start;
            ends[count - 1] = end;
        }
    }

    private int rows(int group) {
        return ends[group] - starts[group];
    }

    private boolean hasSeveralHashes(int group) {
        for (int row = starts[group] + 1; row < ends[group]; row++) {
            if (rows[row] != rows[starts[group]]) {
                return true;
            }
        }
        return false;
    }

    /// Whether so many new rows in one bucket are a reason to check its free space.
    static boolean isCrowd(HashTable table, int rows) {
        return rows > table.records / 2;
    }

    private boolean isToRead(HashTable table, int group) {
        return used[group] == UNKNOWN
                && (areMany || isCrowd(table, rows(group)) && hasSeveralHashes(group));
    }

    /// Reads the buckets of which nothing is known.
    private void read(BucketSplit splitter, HashTable table, int from, int to) {
        QueuePair queuePair = splitter.queuePair;
        int next = from;
        while (next < to) {
            splitter.owner.checkCancelled();
            try (ViewScope _ = queuePair.openViews()) {
                int landed = 0;
                int first = next;
                for (; next < to && landed < queuePair.batchBytes(); next++) {
                    views[next] = 0;
                    if (isToRead(table, next)) {
                        views[next] = queuePair.read(homes[next], table.directoryBytes);
                        landed += table.directoryBytes;
                    }
                }
                if (landed > 0) {
                    queuePair.await();
                }
                for (int group = first; group < next; group++) {
                    if (views[group] != 0) {
                        take(table, group);
                    }
                }
            }
        }
    }

    private void take(HashTable table, int group) {
        used[group] = 0;
        for (int entry = 0; entry < table.records; entry++) {
            long header = views[group] + table.layout().entryOffset(entry);
            used[group] += LocalMemory.longAcquire(header) == RecordHeader.FREE ? 0 : 1;
        }
        growths[group] = LocalMemory.longAcquire(views[group] + BucketLayout.GROWTH_OFFSET);
    }

    /// Whether a group's bucket is to be split. If it was split since this process has met it, its
    /// rows are those of other groups from now on.
    private boolean isDue(BucketSplit splitter, HashTable table, int group) {
        if (used[group] == UNKNOWN) {
            return false;
        }
        for (int row = starts[group]; row < ends[group]; row++) {
            long hash = rows[row];
            if (!BucketLayout.isFor(growths[group], hash)) {
                long home = table.route(splitter.queuePair, hash, homes[group], growths[group], 0);
                if (home != homes[group]) {
                    group(splitter, table, starts[group], ends[group]);
                }
                return false;
            }
        }
        return used[group] + rows(group) > table.records;
    }

    /// Buckets that were split stay if the commit fails: it should rather fail before.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there is not memory for what is missing
    private void requireMemory(RemoteAllocator allocator, HashTable table, int from, int to) {
        Arrays.fill(missing, 0);
        for (int group = from; group < to; group++) {
            if (areDue[group]) {
                long filled = (used[group] + rows(group)) * 100L;
                long buckets = filled / MAX_FILLED / table.records;
                missing[HashTable.serverOf(homes[group])] += buckets * table.bucketBytes;
            }
        }
        for (int server = 0; server < missing.length; server++) {
            if (missing[server] > MIN_CHECKED_BYTES) {
                allocator.require(server, missing[server]);
            }
        }
    }
}

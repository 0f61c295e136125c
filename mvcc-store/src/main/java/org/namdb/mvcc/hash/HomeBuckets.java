package org.namdb.mvcc.hash;

import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;

/// Goes through the home buckets of a table in the order of their numbers: the first ones of a
/// range, then those that splits have made, level by level, by the range's [head][TableHead]. One
/// that is made meanwhile may be missed. For maintenance and for disposal, which take the records
/// of a bucket as they find them. Belongs to one thread.
public final class HomeBuckets {
    private static final int MAX_WORDS = 512;

    /// In place of a level: the first buckets.
    private static final int ROOTS = -1;

    private final QueuePair queuePair;
    private @Nullable HashTable table;
    private int range;
    private int endRange;
    private int level;

    /// What comes next: the number of a root, or a word of the level.
    private long next;

    private int depth;
    private final long[] levels = new long[TableHead.MAX_DEPTH];

    /// Words of the level, up to the one that comes next and beyond.
    private final long[] words = new long[MAX_WORDS];

    private long endOfWords;
    private long address;

    public HomeBuckets(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /// Starts with the first home bucket of a table.
    public void start(HashTable newTable) {
        start(newTable, 0, newTable.ranges());
    }

    /// Starts with the first home bucket that a table has on a memory server, if it has any.
    public void startOn(HashTable newTable, int server) {
        int only = newTable.rangeOn(server);
        start(newTable, Math.max(only, 0), only + 1);
    }

    /// Starts with the first home bucket of a range that a split has made.
    void startBehindRoots(HashTable newTable, int newRange) {
        start(newTable, newRange, newRange + 1);
        next = newTable.roots();
    }

    private void start(HashTable newTable, int first, int end) {
        table = newTable;
        range = first;
        endRange = end;
        startRange();
    }

    private void startRange() {
        level = ROOTS;
        next = 0;
    }

    /// Whether it goes through this table.
    public boolean isIn(HashTable other) {
        return table == other;
    }

    /// Goes to the next home bucket. One READ for each range, and one for each 512 buckets that
    /// could have been made by splits.
    ///
    /// @return false if there is none
    public boolean next() {
        HashTable of = table;
        while (of != null && range < endRange) {
            if (level == ROOTS && next < of.roots()) {
                address = of.rootAddress(range, next++);
                return true;
            }
            if (level == ROOTS) {
                readHead(of);
                goToLevel(0);
            } else if (level == depth) {
                range++;
                startRange();
            } else if (next == TableHead.words(level, of.roots())) {
                goToLevel(level + 1);
            } else if (nextOfLevel(of)) {
                return true;
            }
        }
        return false;
    }

    private void goToLevel(int newLevel) {
        level = newLevel;
        next = 0;
        endOfWords = 0;
    }

    private boolean nextOfLevel(HashTable of) {
        if (next == endOfWords) {
            readWords(of);
        }
        address = words[(int) (next++ % MAX_WORDS)];
        return !RemoteAddress.isNull(address);
    }

    /// The remote address of the home bucket.
    public long address() {
        return address;
    }

    /// How many levels the last range has that it went through to the end.
    int depth() {
        return depth;
    }

    /// Where a level of that range is.
    long level(int number) {
        return levels[number];
    }

    private void readHead(HashTable of) {
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(of.head(range), TableHead.BYTES);
            queuePair.await();
            depth = TableHead.levels(view, levels);
        }
    }

    private void readWords(HashTable of) {
        int most = Math.clamp(queuePair.batchBytes() / Long.BYTES, 1, MAX_WORDS);
        long end =
                Math.min(next - next % MAX_WORDS + MAX_WORDS, TableHead.words(level, of.roots()));
        int count = (int) Math.min(most, end - next);
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(levels[level] + Long.BYTES * next, Long.BYTES * count);
            queuePair.await();
            for (int i = 0; i < count; i++) {
                words[(int) ((next + i) % MAX_WORDS)] =
                        LocalMemory.longAcquire(view + (long) Long.BYTES * i);
            }
        }
        endOfWords = next + count;
    }
}

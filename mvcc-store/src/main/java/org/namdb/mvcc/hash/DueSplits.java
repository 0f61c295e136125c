package org.namdb.mvcc.hash;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.LongNumbers;
import org.namdb.timestamp.snapshot.Snapshot;

/// The home buckets that a session's inserts have filled, until it has [split][BucketSplit] them.
/// A bucket is due when it has no space for as many rows more as were just added with one hash: for
/// one row where rows come singly, for a group where neighbours come together.
///
/// Belongs to one thread.
public final class DueSplits {
    /// A commit that inserts so many rows first makes space for each in its bucket.
    public static final int MIN_MANY = 64;

    private static final int MAX_DUE = 1 << 10;

    /// A session splits when so many are due, or some for so many transactions.
    private static final int MIN_TOGETHER = 16;

    private static final int MAX_TRANSACTIONS = 24;

    /// How often a deferred bucket is tried: its next insert makes it due again.
    private static final int MAX_TRIES = 4;

    /// Buckets that can't be split are skipped until so many more have been due.
    private static final int PASSED_OVER = 1 << 12;

    private static final int IMPOSSIBLE_BITS = 8;
    private static final long MIX = 0x9e3779b97f4a7c15L;

    /// Null if buckets are not split at all.
    private final @Nullable BucketSplit splitter;

    private SplitsAhead ahead;
    private @Nullable HashTable[] tables = new @Nullable HashTable[8];
    private boolean[] areIndexes = new boolean[8];
    private long[] hashes = new long[8];
    private long[] homes = new long[8];
    private long[] growths = new long[8];
    private int[] tries = new int[8];
    private int count;
    private int transactions;
    private final LongNumbers numbers = new LongNumbers();
    private final long[] impossible = new long[1 << IMPOSSIBLE_BITS];
    private int passedOver;
    private long splits;

    /// @param splitter splits the buckets; null if they are not split at all
    public DueSplits(@Nullable BucketSplit splitter) {
        this.splitter = splitter;
        this.ahead = new SplitsAhead();
    }

    /// Whether buckets are split at all.
    public boolean isOn() {
        return splitter != null;
    }

    /// The failure after which the session's slot must be recovered; null if there was none.
    public @Nullable Throwable fatalFailure() {
        return splitter == null ? null : splitter.fatalFailure();
    }

    /// Removes all: a table may be dropped.
    public void clear() {
        Arrays.fill(tables, 0, count, null);
        count = 0;
        numbers.clear();
        Arrays.fill(impossible, RemoteAddress.NULL);
    }

    /// Frees the memory for a large commit.
    public void shrink() {
        ahead = new SplitsAhead();
        if (splitter != null) {
            splitter.shrink();
        }
    }

    /// How many buckets are due.
    public int count() {
        return count;
    }

    /// How many were split.
    public long splits() {
        return splits;
    }

    /// Adds a bucket.
    ///
    /// @param hash one that led to it
    /// @param growth its growth word
    void add(HashTable table, boolean isOfIndex, long hash, long home, long growth) {
        if (splitter == null || isImpossible(home) || count == MAX_DUE) {
            return;
        }
        int before = numbers.replace(home, count);
        if (before != LongNumbers.NONE && before < count && homes[before] == home) {
            numbers.replace(home, before);
            growths[before] = growth;
            return;
        }
        if (count == tables.length) {
            tables = Arrays.copyOf(tables, 2 * count);
            areIndexes = Arrays.copyOf(areIndexes, 2 * count);
            hashes = Arrays.copyOf(hashes, 2 * count);
            homes = Arrays.copyOf(homes, 2 * count);
            growths = Arrays.copyOf(growths, 2 * count);
            tries = Arrays.copyOf(tries, 2 * count);
        }
        tables[count] = table;
        areIndexes[count] = isOfIndex;
        hashes[count] = hash;
        homes[count] = home;
        growths[count] = growth;
        tries[count] = MAX_TRIES;
        count++;
    }

    private boolean isImpossible(long home) {
        int at = place(home);
        if (impossible[at] != home) {
            return false;
        }
        passedOver++;
        if (passedOver == PASSED_OVER) {
            passedOver = 0;
            Arrays.fill(impossible, RemoteAddress.NULL);
        }
        return true;
    }

    private static int place(long home) {
        return (int) (home * MIX >>> Long.SIZE - IMPOSSIBLE_BITS);
    }

    /// After a transaction: whether it is time to split.
    public boolean isTime() {
        transactions = count == 0 ? 0 : transactions + 1;
        return count >= MIN_TOGETHER || transactions >= MAX_TRANSACTIONS;
    }

    /// Tries to split each of the buckets once. Those that are deferred stay.
    ///
    /// @param published shows only versions that are published
    /// @throws org.namdb.fabric.FabricException if a memory server can't be reached; see
    ///     [BucketSplit#fatalFailure]
    public void split(Snapshot published) {
        BucketSplit ready = Objects.requireNonNull(splitter, "buckets are not split");
        int due = count;
        int kept = 0;
        int next = 0;
        count = 0;
        transactions = 0;
        numbers.clear();
        while (next < due) {
            int first = next;
            ready.clear();
            while (next < due && !ready.isFull(table(next))) {
                ready.add(
                        table(next),
                        areIndexes[next],
                        hashes[next],
                        homes[next],
                        growths[next],
                        false);
                next++;
            }
            splits += ready.run(published);
            for (int i = first; i < next; i++) {
                switch (ready.outcome(i - first)) {
                    case PUT_OFF -> {
                        if (--tries[i] > 0) {
                            keep(i, kept++);
                        }
                    }
                    case IMPOSSIBLE -> impossible[place(homes[i])] = homes[i];
                    case SPLIT, STALE -> {}
                }
            }
        }
        Arrays.fill(tables, kept, due, null);
        count = kept;
    }

    /// Splits buckets that are about to get more rows than they have space for: else all of a large
    /// commit's rows would go to the overflow areas of a few buckets.
    ///
    /// @param isOfIndex whether the table is a hashed index
    /// @param rows the hashes of the rows; their order is changed
    /// @param ofMany whether they belong to a commit with [many][#MIN_MANY] inserts: then all of
    ///     their buckets are checked, else those that get several
    /// @param published shows only versions that are published
    /// @throws org.namdb.fabric.FabricException if a memory server can't be reached; see
    ///     [#fatalFailure]
    public void splitAhead(
            HashTable table, boolean isOfIndex, long[] rows, boolean ofMany, Snapshot published) {
        BucketSplit ready = Objects.requireNonNull(splitter, "buckets are not split");
        splits += ahead.run(ready, table, isOfIndex, rows, ofMany, published);
    }

    private void keep(int from, int to) {
        tables[to] = tables[from];
        areIndexes[to] = areIndexes[from];
        hashes[to] = hashes[from];
        homes[to] = homes[from];
        growths[to] = growths[from];
        tries[to] = tries[from];
        numbers.replace(homes[to], to);
    }

    private HashTable table(int number) {
        return Objects.requireNonNull(tables[number]);
    }
}

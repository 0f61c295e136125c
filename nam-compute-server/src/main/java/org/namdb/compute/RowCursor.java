package org.namdb.compute;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.tree.TreeCursor;

/// The records of a range of an ordered index, in its order, the transaction's own changes included. Rows are read some at a time, by one round trip
/// each: one first, then more and more. Valid until the transaction ends.
public final class RowCursor {
    private static final int MOST_AT_A_TIME = 32;

    private final Table table;
    private final IndexAccess access;
    private final TreeCursor tree;
    private final int words;
    private final Row[] rows = new Row[MOST_AT_A_TIME];
    private final long[][] entries;
    private final long[] least;
    private final long[] greatest;
    private @Nullable Transaction transaction;
    private @Nullable Projection projection;
    private boolean ascending;
    private boolean exhausted;
    private int count;
    private int at;
    private int atATime;

    /// The rows that the transaction itself has put in the range, with their entries, in order.
    private Row[] own = new Row[8];

    private long[][] ownEntries;
    private int ownCount;
    private int ownAt;

    RowCursor(Table table, IndexAccess access, TreeCursor tree) {
        this.table = table;
        this.access = access;
        this.tree = tree;
        this.words = access.index().layout().words();
        this.entries = new long[MOST_AT_A_TIME][words];
        this.ownEntries = new long[own.length][words];
        this.least = new long[words];
        this.greatest = new long[words];
    }

    RowCursor open(
            Transaction newTransaction, Key from, Key to, Projection newProjection, boolean up) {
        transaction = newTransaction;
        projection = newProjection;
        ascending = up;
        exhausted = false;
        count = 0;
        at = 0;
        atATime = 1;
        newTransaction.opened(this);
        from.lowest(least);
        to.highest(greatest);
        collectOwn(newTransaction);
        if (up) {
            tree.ascendFrom(least);
        } else {
            tree.descendFrom(greatest);
        }
        return this;
    }

    boolean isOpen() {
        return transaction != null;
    }

    /// Frees the cursor for another range. Ends with the transaction by itself.
    public void close() {
        transaction = null;
    }

    /// Moves to the next record.
    ///
    /// @return its row, or null if there is no more
    public @Nullable Row next() {
        Transaction running = transaction;
        if (running == null) {
            throw new IllegalStateException("the cursor is closed");
        }
        while (true) {
            while (at < count && !access.matches(rows[at], entries[at])) {
                at++;
            }
            if (at == count && !exhausted) {
                fill(running);
                continue;
            }
            boolean hasOwn = ownAt < ownCount;
            if (at == count) {
                return hasOwn ? own[ownAt++] : null;
            }
            if (!hasOwn || isBefore(entries[at], ownEntries[ownAt])) {
                return rows[at++];
            }
            if (own[ownAt] == rows[at]) {
                // Its new entry is its old one.
                at++;
            }
            return own[ownAt++];
        }
    }

    private void fill(Transaction running) {
        count = 0;
        at = 0;
        while (count < atATime) {
            if (!tree.next() || !takeEntry()) {
                exhausted = true;
                break;
            }
        }
        for (int i = 0; i < count; i++) {
            rows[i] =
                    running.post(
                            table,
                            access.primaryKey(entries[i]),
                            java.util.Objects.requireNonNull(projection));
        }
        atATime = Math.min(atATime == 1 ? 4 : 2 * atATime, MOST_AT_A_TIME);
        running.await();
        running.checkAge(); // an entry may have been collected anywhere in the range
    }

    private boolean takeEntry() {
        long[] entry = entries[count];
        for (int word = 0; word < words; word++) {
            entry[word] = tree.word(word);
        }
        if (ascending ? compare(entry, greatest) > 0 : compare(entry, least) < 0) {
            return false;
        }
        count++;
        return true;
    }

    private void collectOwn(Transaction running) {
        ownCount = 0;
        ownAt = 0;
        long indexed = access.index().columnMask();
        for (int i = 0; i < running.writeCount(); i++) {
            Row row = running.writes()[i];
            boolean moved =
                    row.role == Row.Role.INSERT
                            || row.role == Row.Role.UPDATE && (row.dirty & indexed) != 0;
            if (moved && row.table() == table) {
                addOwn(row);
            }
        }
    }

    private void addOwn(Row row) {
        if (ownCount == own.length) {
            own = Arrays.copyOf(own, 2 * ownCount);
            ownEntries = Arrays.copyOf(ownEntries, 2 * ownCount);
            for (int i = ownCount; i < own.length; i++) {
                ownEntries[i] = new long[words];
            }
        }
        long[] entry = ownEntries[ownCount];
        access.encode(row, entry);
        if (compare(entry, least) < 0 || compare(entry, greatest) > 0) {
            return;
        }
        int place = ownCount++;
        while (place > 0 && isBefore(entry, ownEntries[place - 1])) {
            own[place] = own[place - 1];
            ownEntries[place] = ownEntries[place - 1];
            place--;
        }
        own[place] = row;
        ownEntries[place] = entry;
    }

    private boolean isBefore(long[] a, long[] b) {
        int order = compare(a, b);
        return ascending ? order < 0 : order > 0;
    }

    private int compare(long[] a, long[] b) {
        for (int word = 0; word < words; word++) {
            if (a[word] != b[word]) {
                return Long.compareUnsigned(a[word], b[word]);
            }
        }
        return 0;
    }
}

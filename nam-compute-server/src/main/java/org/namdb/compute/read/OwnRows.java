package org.namdb.compute.read;

import java.util.Arrays;

/// The rows that a transaction itself has put in the range of a [RowCursor], with their index
/// entries, in the cursor's order. Belongs to one cursor, and is reused.
final class OwnRows {
    private final int words;
    private Row[] rows = new Row[8];
    private long[][] entries;
    private int count;
    private int at;

    /// @param words of an entry
    OwnRows(int words) {
        this.words = words;
        this.entries = new long[rows.length][words];
    }

    void clear() {
        count = 0;
        at = 0;
    }

    /// What the entry of the row that is added next is written to.
    long[] nextEntry() {
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, 2 * count);
            entries = Arrays.copyOf(entries, 2 * count);
            for (int i = count; i < rows.length; i++) {
                entries[i] = new long[words];
            }
        }
        return entries[count];
    }

    /// Adds a row, whose entry is the [next][#nextEntry] one.
    void add(Row row, boolean ascending) {
        long[] entry = entries[count];
        int place = count++;
        while (place > 0 && isBefore(entry, entries[place - 1], ascending)) {
            rows[place] = rows[place - 1];
            entries[place] = entries[place - 1];
            place--;
        }
        rows[place] = row;
        entries[place] = entry;
    }

    /// Whether there is a row that was not taken yet.
    boolean hasRow() {
        return at < count;
    }

    /// The first row that was not taken yet.
    Row row() {
        return rows[at];
    }

    /// Its entry.
    long[] entry() {
        return entries[at];
    }

    /// Takes it.
    Row take() {
        return rows[at++];
    }

    static boolean isBefore(long[] a, long[] b, boolean ascending) {
        int order = Arrays.compareUnsigned(a, b);
        return ascending ? order < 0 : order > 0;
    }
}

package org.namdb.compute.read;

import java.util.Arrays;
import org.namdb.compute.schema.Table;

/// The records of a transaction: a hash table from table and key to row, emptied at once between
/// transactions. A record that is read again is the same row, so a transaction sees its own writes,
/// and a key that is read twice is changed once.
///
/// Every read probes it first. A `HashMap` would need an object for each key and each entry, and be
/// cleared entry by entry.
final class RowCache {
    private static final long MIX = 0x9e3779b97f4a7c15L;

    private Row[] rows = new Row[256];
    private int[] generations = new int[256];
    private int generation = 1;
    private int count;

    void clear() {
        count = 0;
        if (++generation == 0) {
            Arrays.fill(generations, 0);
            generation = 1;
        }
    }

    /// The row of this table and key; null if there is none.
    @org.jspecify.annotations.Nullable
    Row find(Table table, long[] key) {
        if (count == 0) {
            return null;
        }
        int words = table.records().layout().keyWords();
        int mask = rows.length - 1;
        for (int at = hash(table, key, words) & mask;
                generations[at] == generation;
                at = at + 1 & mask) {
            Row row = rows[at];
            if (row.table() == table && Arrays.equals(row.read.key(), 0, words, key, 0, words)) {
                return row;
            }
        }
        return null;
    }

    void add(Row row) {
        if (2 * count >= rows.length) {
            grow();
        }
        place(row);
        count++;
    }

    private void place(Row row) {
        int mask = rows.length - 1;
        int at =
                hash(row.table(), row.read.key(), row.table().records().layout().keyWords()) & mask;
        while (generations[at] == generation) {
            at = at + 1 & mask;
        }
        rows[at] = row;
        generations[at] = generation;
    }

    private void grow() {
        Row[] oldRows = rows;
        int[] oldGenerations = generations;
        rows = new Row[2 * oldRows.length];
        generations = new int[rows.length];
        for (int at = 0; at < oldRows.length; at++) {
            if (oldGenerations[at] == generation) {
                place(oldRows[at]);
            }
        }
    }

    private static int hash(Table table, long[] key, int words) {
        long hash = table.records().id();
        for (int word = 0; word < words; word++) {
            hash = (hash ^ key[word]) * MIX;
            hash ^= hash >>> 32;
        }
        return (int) hash;
    }
}

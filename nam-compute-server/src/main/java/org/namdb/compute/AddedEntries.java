package org.namdb.compute;

import java.util.Arrays;
import org.namdb.compute.schema.Index;
import org.namdb.mvcc.schema.KeyLayout;

/// The index entries of a commit: those that it added, to be removed if it fails, and those of former values, to be removed once
/// nobody needs them.
final class AddedEntries {
    private final Entries added = new Entries();
    private final Entries former = new Entries();

    void clear() {
        added.count = 0;
        former.count = 0;
    }

    void addNew(Row row, Index index, long[] entry) {
        added.add(row, index, entry);
    }

    void addFormer(Row row, Index index, long[] entry) {
        former.add(row, index, entry);
    }

    int newCount() {
        return added.count;
    }

    Row newRow(int i) {
        return added.rows[i];
    }

    Index newIndex(int i) {
        return added.indexes[i];
    }

    long[] newEntry(int i) {
        return added.entries[i];
    }

    int formerCount() {
        return former.count;
    }

    Row formerRow(int i) {
        return former.rows[i];
    }

    Index formerIndex(int i) {
        return former.indexes[i];
    }

    long[] formerEntry(int i) {
        return former.entries[i];
    }

    private static final class Entries {
        private static final int USUAL_WORDS = 8;

        private Row[] rows = new Row[16];
        private Index[] indexes = new Index[16];
        private long[][] entries = new long[0][];
        private int count;

        void add(Row row, Index index, long[] entry) {
            if (count == entries.length) {
                int capacity = Math.max(16, 2 * count);
                rows = Arrays.copyOf(rows, capacity);
                indexes = Arrays.copyOf(indexes, capacity);
                entries = Arrays.copyOf(entries, capacity);
                for (int i = count; i < capacity; i++) {
                    entries[i] = new long[USUAL_WORDS];
                }
            }
            int words = index.layout().words();
            if (words > entries[count].length) {
                entries[count] = new long[KeyLayout.MAX_WORDS];
            }
            rows[count] = row;
            indexes[count] = index;
            System.arraycopy(entry, 0, entries[count], 0, words);
            count++;
        }
    }
}

package org.namdb.compute.commit;

import java.util.Arrays;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.KeyLayout;

/// Index entries of a commit, with the records that they are for; used again and again.
final class EntryList {
    private static final int USUAL_WORDS = 8;

    private RecordChange[] changes = new RecordChange[16];

    /// Of a packed write set, the numbers of the changes, whose objects serve others.
    private int[] numbers = new int[16];

    private Table[] tables = new Table[16];
    private Index[] indexes = new Index[16];
    private long[][] entries = new long[0][];
    private int count;

    void clear() {
        count = 0;
    }

    /// Adds a copy of an entry.
    void add(RecordChange change, Index index, long[] entry) {
        if (count == entries.length) {
            grow();
        }
        int words = index.layout().words();
        if (words > entries[count].length) {
            entries[count] = new long[KeyLayout.MAX_WORDS];
        }
        changes[count] = change;
        numbers[count] = change.number;
        tables[count] = change.table();
        indexes[count] = index;
        System.arraycopy(entry, 0, entries[count], 0, words);
        count++;
    }

    /// Adds a copy of entry `number` of another list.
    void add(EntryList list, int number) {
        add(list.changes[number], list.indexes[number], list.entries[number]);
        numbers[count - 1] = list.numbers[number];
        tables[count - 1] = list.tables[number];
    }

    private void grow() {
        int capacity = Math.max(16, 2 * count);
        changes = Arrays.copyOf(changes, capacity);
        numbers = Arrays.copyOf(numbers, capacity);
        tables = Arrays.copyOf(tables, capacity);
        indexes = Arrays.copyOf(indexes, capacity);
        entries = Arrays.copyOf(entries, capacity);
        for (int i = count; i < capacity; i++) {
            entries[i] = new long[USUAL_WORDS];
        }
    }

    int count() {
        return count;
    }

    /// The change of the record that entry `i` is for.
    RecordChange change(int i, WriteSet writes) {
        return writes.isPacked() ? writes.change(numbers[i]) : changes[i];
    }

    Table table(int i) {
        return tables[i];
    }

    Index index(int i) {
        return indexes[i];
    }

    long[] entry(int i) {
        return entries[i];
    }
}

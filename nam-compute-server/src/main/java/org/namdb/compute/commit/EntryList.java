package org.namdb.compute.commit;

import java.util.Arrays;
import org.namdb.compute.schema.Index;
import org.namdb.mvcc.schema.KeyLayout;

/// Index entries of a commit, with the records that they are for; used again and again.
final class EntryList {
    private static final int USUAL_WORDS = 8;

    private RecordChange[] changes = new RecordChange[16];
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
        indexes[count] = index;
        System.arraycopy(entry, 0, entries[count], 0, words);
        count++;
    }

    private void grow() {
        int capacity = Math.max(16, 2 * count);
        changes = Arrays.copyOf(changes, capacity);
        indexes = Arrays.copyOf(indexes, capacity);
        entries = Arrays.copyOf(entries, capacity);
        for (int i = count; i < capacity; i++) {
            entries[i] = new long[USUAL_WORDS];
        }
    }

    int count() {
        return count;
    }

    RecordChange change(int i) {
        return changes[i];
    }

    Index index(int i) {
        return indexes[i];
    }

    long[] entry(int i) {
        return entries[i];
    }
}

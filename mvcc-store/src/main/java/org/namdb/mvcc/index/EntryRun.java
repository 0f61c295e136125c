package org.namdb.mvcc.index;

import java.util.Arrays;

/// Entries that are inserted into one index at once, each with a number of the caller's:
/// [OrderedIndex#insertRun]. Reused: nothing is allocated, unless there are more than ever before.
public final class EntryRun {
    private final int words;

    /// The entries, each with its number behind it.
    private long[][] entries = {};

    private boolean[] areAdded = {};
    private int count;

    /// @param words of an entry
    public EntryRun(int words) {
        this.words = words;
    }

    /// Removes all.
    public void clear() {
        count = 0;
    }

    /// How many there are.
    public int count() {
        return count;
    }

    /// Adds a copy of an entry.
    public void add(long[] entry, long number) {
        if (count == entries.length) {
            int larger = Math.max(16, 2 * count);
            entries = Arrays.copyOf(entries, larger);
            areAdded = Arrays.copyOf(areAdded, larger);
        }
        if (entries[count] == null) {
            entries[count] = new long[words + 1];
        }
        System.arraycopy(entry, 0, entries[count], 0, words);
        entries[count][words] = number;
        areAdded[count] = false;
        count++;
    }

    /// Sorts them, as the insertion needs them.
    public void sort() {
        Arrays.sort(entries, 0, count, Arrays::compareUnsigned);
    }

    /// An entry, and its number in the word behind it.
    public long[] entry(int index) {
        return entries[index];
    }

    /// The number that an entry was added with.
    public long number(int index) {
        return entries[index][words];
    }

    /// Whether an entry is the same as the one before it.
    public boolean isRepeated(int index) {
        return index > 0 && Arrays.equals(entries[index], 0, words, entries[index - 1], 0, words);
    }

    /// An entry was not in the index, and is now, or will be unless the insertion fails.
    public void setAdded(int index) {
        areAdded[index] = true;
    }

    /// Whether the insertion has added an entry. If it has failed, whether it may have.
    public boolean isAdded(int index) {
        return areAdded[index];
    }
}

package org.namdb.compute.read;

import java.util.Arrays;
import org.namdb.fabric.LocalMemory;

/// The index entries of the rows that a transaction itself has put in the range of a [RowCursor],
/// handed out in the cursor's order. They are in the transaction's local memory, which accounts for
/// them. Rows are found by the keys that their entries end with.
///
/// Entries that were added in the order of the index are handed out from one end. Others form a
/// binary heap, so that a cursor that is closed early has not sorted them all. Belongs to one
/// cursor, and is reused.
final class OwnEntries {
    /// The first block begins with so many entries, and doubles.
    private static final int FIRST = 8;

    /// How many entries a block holds.
    private static final int BLOCK = 1024;

    private final LocalChunks memory;
    private final int words;
    private final int entryBytes;
    private final long[] head;
    private final long[] scratch;
    private long[] blocks = new long[4];
    private int capacity;
    private boolean isAscending;

    /// Whether they were added in the order of the index.
    private boolean isSorted;

    /// Those that were not taken yet: from `from` to `to` if they are sorted, else a heap of `to`.
    private int from;

    private int to;

    /// @param words of an entry
    OwnEntries(LocalChunks memory, int words) {
        this.memory = memory;
        this.words = words;
        this.entryBytes = words * Long.BYTES;
        this.head = new long[words];
        this.scratch = new long[words];
    }

    /// Starts over with none, for a cursor in this direction; their memory is free already.
    void start(boolean ascending) {
        isAscending = ascending;
        isSorted = true;
        capacity = 0;
        from = 0;
        to = 0;
    }

    /// Frees their memory. The transaction that has added them has not ended.
    void free() {
        for (int first = 0; first < capacity; first += BLOCK) {
            memory.free(blocks[first / BLOCK], Math.min(capacity, BLOCK) * entryBytes);
        }
        start(isAscending);
    }

    /// Adds a copy of an entry.
    void add(long[] entry) {
        if (to == capacity) {
            grow();
        }
        isSorted = isSorted && (to == 0 || compare(entry, at(to - 1)) > 0);
        put(entry, at(to++));
    }

    private void grow() {
        if (capacity > 0 && capacity < BLOCK) {
            long larger = memory.allocate(2 * capacity * entryBytes);
            LocalMemory.copy(blocks[0], larger, (long) capacity * entryBytes);
            memory.free(blocks[0], capacity * entryBytes);
            blocks[0] = larger;
            capacity *= 2;
            return;
        }
        int block = capacity / BLOCK;
        if (block == blocks.length) {
            blocks = Arrays.copyOf(blocks, 2 * block);
        }
        int more = capacity == 0 ? FIRST : BLOCK;
        blocks[block] = memory.allocate(more * entryBytes);
        capacity += more;
    }

    /// All are added.
    void ready() {
        if (!isSorted) {
            for (int parent = to / 2 - 1; parent >= 0; parent--) {
                get(at(parent), scratch);
                sink(scratch, parent);
            }
        }
        takeHead();
    }

    /// Whether there is one that was not taken.
    boolean hasNext() {
        return from < to;
    }

    /// The first one that was not taken; the next [#take] changes it.
    long[] entry() {
        return head;
    }

    /// Takes it.
    void take() {
        if (!isSorted) {
            get(at(--to), scratch);
            if (to > 0) {
                sink(scratch, 0);
            }
        } else if (isAscending) {
            from++;
        } else {
            to--;
        }
        takeHead();
    }

    private void takeHead() {
        if (from < to) {
            get(at(isSorted && !isAscending ? to - 1 : from), head);
        }
    }

    /// Puts an entry at a place of the heap, or below it.
    private void sink(long[] entry, int place) {
        int at = place;
        for (int child = 2 * at + 1; child < to; child = 2 * at + 1) {
            if (child + 1 < to && isBefore(at(child + 1), at(child))) {
                child++;
            }
            int order = compare(entry, at(child));
            if (isAscending ? order <= 0 : order >= 0) {
                break;
            }
            LocalMemory.copy(at(child), at(at), entryBytes);
            at = child;
        }
        put(entry, at(at));
    }

    private boolean isBefore(long a, long b) {
        for (int word = 0; word < words; word++) {
            int order =
                    Long.compareUnsigned(
                            LocalMemory.longAt(a + 8L * word), LocalMemory.longAt(b + 8L * word));
            if (order != 0) {
                return order < 0 == isAscending;
            }
        }
        return false;
    }

    private int compare(long[] entry, long address) {
        for (int word = 0; word < words; word++) {
            int order = Long.compareUnsigned(entry[word], LocalMemory.longAt(address + 8L * word));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private long at(int index) {
        return blocks[index / BLOCK] + (long) (index % BLOCK) * entryBytes;
    }

    private void get(long address, long[] entry) {
        for (int word = 0; word < words; word++) {
            entry[word] = LocalMemory.longAt(address + 8L * word);
        }
    }

    private void put(long[] entry, long address) {
        for (int word = 0; word < words; word++) {
            LocalMemory.putLong(address + 8L * word, entry[word]);
        }
    }
}

package org.namdb.sql.engine.change;

import java.util.Arrays;
import org.namdb.compute.Transaction;
import org.namdb.mvcc.schema.Key;

/// Primary keys of one table, as a hash table with open addressing: some 20 bytes for each in
/// addition to its words, which the transaction's memory accounts for. Not thread-safe.
final class KeySet {
    private static final int FIRST_SLOTS = 64;
    private static final long MIX = 0x9e3779b97f4a7c15L;

    private final Transaction transaction;
    private final int keyWords;

    /// The keys, one behind the other, and for each slot the number of its key from 1; 0 for none.
    private long[] keys = new long[0];

    private int[] slots = new int[FIRST_SLOTS];
    private int count;

    KeySet(Transaction transaction, int keyWords) {
        this.transaction = transaction;
        this.keyWords = keyWords;
    }

    boolean contains(Key key) {
        return slots[slot(key.words(), 0)] != 0;
    }

    /// Adds a key, unless it is there.
    void add(Key key) {
        int slot = slot(key.words(), 0);
        if (slots[slot] != 0) {
            return;
        }
        int from = count * keyWords;
        if (from + keyWords > keys.length) {
            int larger = Math.max(FIRST_SLOTS * keyWords, 2 * keys.length);
            transaction.keepHeap((long) Long.BYTES * (larger - keys.length));
            keys = Arrays.copyOf(keys, larger);
        }
        System.arraycopy(key.words(), 0, keys, from, keyWords);
        slots[slot] = ++count;
        if (2 * count > slots.length) {
            grow();
        }
    }

    private void grow() {
        transaction.keepHeap((long) Integer.BYTES * slots.length);
        slots = new int[2 * slots.length];
        for (int number = 1; number <= count; number++) {
            slots[slot(keys, (number - 1) * keyWords)] = number;
        }
    }

    /// Frees its memory.
    void clear() {
        if (count > 0) {
            long bytes = (long) Integer.BYTES * (slots.length - FIRST_SLOTS);
            transaction.keepHeap(-bytes - (long) Long.BYTES * keys.length);
            keys = new long[0];
            slots = new int[FIRST_SLOTS];
            count = 0;
        }
    }

    /// The slot of the key whose words begin at `from`, or the empty one where it belongs.
    private int slot(long[] words, int from) {
        long hash = 0;
        for (int word = 0; word < keyWords; word++) {
            hash = (hash ^ words[from + word]) * MIX;
            hash ^= hash >>> Integer.SIZE;
        }
        int slot = (int) hash & slots.length - 1;
        while (slots[slot] != 0 && !isAt((slots[slot] - 1) * keyWords, words, from)) {
            slot = slot + 1 & slots.length - 1;
        }
        return slot;
    }

    private boolean isAt(int at, long[] words, int from) {
        return Arrays.equals(keys, at, at + keyWords, words, from, from + keyWords);
    }
}

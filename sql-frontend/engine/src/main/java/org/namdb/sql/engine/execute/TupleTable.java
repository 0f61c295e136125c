package org.namdb.sql.engine.execute;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A hash table from keys to tuples, several of which may have one key. Integers are kept as such.
/// A table of its own, since a join adds and looks up every row here: with many keys, a HashMap of
/// lists takes three times the time.
/// ```
/// heads[hash]  -> number of the newest tuple -> next[number] -> .. -> -1
/// ```
final class TupleTable {
    /// What a tuple takes in the table, in addition to itself.
    static final long ENTRY_BYTES = 32;

    private static final long MIX = 0x9e3779b97f4a7c15L;
    private static final int FIRST_CAPACITY = 64;

    private final boolean hasIntegers;
    private int[] heads = new int[2 * FIRST_CAPACITY];
    private int[] nexts = new int[FIRST_CAPACITY];
    private long[] integers;
    private @Nullable Object[] keys;
    private @Nullable Object[][] tuples = new @Nullable Object[FIRST_CAPACITY][];
    private int size;

    /// @param hasIntegers whether all keys are Longs
    TupleTable(boolean hasIntegers) {
        this.hasIntegers = hasIntegers;
        integers = new long[hasIntegers ? FIRST_CAPACITY : 0];
        keys = new @Nullable Object[hasIntegers ? 0 : FIRST_CAPACITY];
        Arrays.fill(heads, -1);
    }

    int size() {
        return size;
    }

    @Nullable Object[] tuple(int number) {
        return tuples[number];
    }

    /// Adds a tuple.
    ///
    /// @param key null if nothing finds it
    void add(@Nullable Object key, @Nullable Object[] tuple) {
        if (size == nexts.length) {
            grow();
        }
        int number = size++;
        tuples[number] = tuple;
        if (key == null) {
            nexts[number] = -1;
            return;
        }
        if (hasIntegers) {
            integers[number] = (Long) key;
        } else {
            keys[number] = key;
        }
        link(number);
    }

    /// The number of the first tuple with a key; -1 if there is none.
    int first(Object key) {
        if (hasIntegers) {
            long integer = (Long) key;
            return sameInteger(heads[slot(integer)], integer);
        }
        return sameKey(heads[slot(key)], key);
    }

    /// The number of the next tuple with the same key; -1 if there is none.
    int next(int number, Object key) {
        return hasIntegers ? sameInteger(nexts[number], (Long) key) : sameKey(nexts[number], key);
    }

    private int sameInteger(int from, long integer) {
        int number = from;
        while (number >= 0 && integers[number] != integer) {
            number = nexts[number];
        }
        return number;
    }

    private int sameKey(int from, Object key) {
        int number = from;
        while (number >= 0 && !key.equals(keys[number])) {
            number = nexts[number];
        }
        return number;
    }

    private int slot(long integer) {
        long mixed = integer * MIX;
        return (int) (mixed ^ mixed >>> 32) & heads.length - 1;
    }

    private int slot(Object key) {
        return slot((long) key.hashCode());
    }

    private void link(int number) {
        Object key = hasIntegers ? null : keys[number];
        int slot = key == null ? slot(integers[number]) : slot(key);
        nexts[number] = heads[slot];
        heads[slot] = number;
    }

    private void grow() {
        int capacity = 2 * nexts.length;
        int[] former = nexts;
        nexts = Arrays.copyOf(nexts, capacity);
        tuples = Arrays.copyOf(tuples, capacity);
        if (hasIntegers) {
            integers = Arrays.copyOf(integers, capacity);
        } else {
            keys = Arrays.copyOf(keys, capacity);
        }
        boolean[] isLinked = linked(former);
        heads = new int[2 * capacity];
        Arrays.fill(heads, -1);
        for (int number = 0; number < size; number++) {
            if (isLinked[number]) {
                link(number);
            }
        }
    }

    /// Which tuples have a key.
    private boolean[] linked(int[] links) {
        boolean[] linked = new boolean[size];
        for (int head : heads) {
            for (int number = head; number >= 0; number = links[number]) {
                linked[number] = true;
            }
        }
        return linked;
    }
}

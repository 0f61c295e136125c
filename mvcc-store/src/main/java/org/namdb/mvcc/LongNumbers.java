package org.namdb.mvcc;

import java.util.Arrays;

/// A number for each of some `long`s: a hash table with open addressing, emptied without being gone
/// over. The one table of this kind, for the places where a HashMap is too slow: every commit that
/// inserts uses it and must allocate nothing, and a query that groups by an integer looks up each
/// row in it, where a HashMap takes more than twice the time.
///
/// Not thread-safe.
public final class LongNumbers {
    /// A `long` has no number.
    public static final int NONE = -1;

    private static final long MIX = 0x9e3779b97f4a7c15L;

    private long[] keys = new long[64];
    private int[] numbers = new int[64];

    /// The generation that an entry is of; others are empty.
    private int[] generations = new int[64];

    private int generation = 1;
    private int count;

    /// Removes all numbers.
    public void clear() {
        count = 0;
        if (++generation == 0) {
            Arrays.fill(generations, 0);
            generation = 1;
        }
    }

    /// Gives a key a number, in place of the one that it has.
    ///
    /// @return the one that it had before, or [#NONE]
    public int replace(long key, int number) {
        int at = find(key);
        if (generations[at] == generation) {
            int before = numbers[at];
            numbers[at] = number;
            return before;
        }
        add(at, key, number);
        return NONE;
    }

    /// The number of a key, or [#NONE].
    public int numberOf(long key) {
        int at = find(key);
        return generations[at] == generation ? numbers[at] : NONE;
    }

    /// The number of a key; `next`, which it has from now on, if it has none yet.
    public int numberOf(long key, int next) {
        int at = find(key);
        if (generations[at] == generation) {
            return numbers[at];
        }
        add(at, key, next);
        return next;
    }

    /// Where a key is, or would be put.
    private int find(long key) {
        int mask = keys.length - 1;
        int at = (int) (key * MIX >>> 32) & mask;
        while (generations[at] == generation && keys[at] != key) {
            at = at + 1 & mask;
        }
        return at;
    }

    private void add(int at, long key, int number) {
        boolean isFull = 2 * count >= keys.length;
        if (isFull) {
            grow();
        }
        put(isFull ? find(key) : at, key, number);
    }

    private void put(int at, long key, int number) {
        keys[at] = key;
        numbers[at] = number;
        generations[at] = generation;
        count++;
    }

    private void grow() {
        long[] formerKeys = keys;
        int[] formerNumbers = numbers;
        int[] formerGenerations = generations;
        int size = 4 * formerKeys.length;
        keys = new long[size];
        numbers = new int[size];
        generations = new int[size];
        count = 0;
        for (int i = 0; i < formerKeys.length; i++) {
            if (formerGenerations[i] == generation) {
                put(find(formerKeys[i]), formerKeys[i], formerNumbers[i]);
            }
        }
    }
}

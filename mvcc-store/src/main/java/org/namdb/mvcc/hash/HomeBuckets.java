package org.namdb.mvcc.hash;

/// A number for each home bucket, by its remote address: open addressing, emptied without being
/// gone over. Every commit that inserts uses it, so it allocates nothing, as a HashMap would.
final class HomeBuckets {
    /// There is no number for a bucket.
    static final int NONE = -1;

    private static final long MIX = 0x9e3779b97f4a7c15L;

    private long[] homes = new long[64];
    private int[] numbers = new int[64];

    /// The generation that an entry is of; others are empty.
    private int[] generations = new int[64];

    private int generation = 1;
    private int count;

    /// Forgets all numbers.
    void clear() {
        count = 0;
        if (++generation == 0) {
            java.util.Arrays.fill(generations, 0);
            generation = 1;
        }
    }

    /// Gives a bucket a number.
    ///
    /// @return the one that it had before, or [#NONE]
    int replace(long home, int number) {
        if (2 * count >= homes.length) {
            grow();
        }
        int at = find(home);
        if (generations[at] == generation) {
            int before = numbers[at];
            numbers[at] = number;
            return before;
        }
        put(at, home, number);
        return NONE;
    }

    private int find(long home) {
        int mask = homes.length - 1;
        int at = (int) (home * MIX >>> 32) & mask;
        while (generations[at] == generation && homes[at] != home) {
            at = at + 1 & mask;
        }
        return at;
    }

    private void put(int at, long home, int number) {
        homes[at] = home;
        numbers[at] = number;
        generations[at] = generation;
        count++;
    }

    private void grow() {
        long[] oldHomes = homes;
        int[] oldNumbers = numbers;
        int[] oldGenerations = generations;
        int size = 4 * oldHomes.length;
        homes = new long[size];
        numbers = new int[size];
        generations = new int[size];
        count = 0;
        for (int i = 0; i < oldHomes.length; i++) {
            if (oldGenerations[i] == generation) {
                put(find(oldHomes[i]), oldHomes[i], oldNumbers[i]);
            }
        }
    }
}

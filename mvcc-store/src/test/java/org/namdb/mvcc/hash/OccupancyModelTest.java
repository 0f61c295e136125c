package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// How much memory a table takes whose buckets are split one by one when they are full: the model
/// that the number of records in a bucket and the limit of the depth were chosen by. It models
/// hashes only, no bytes. A bucket of depth d and number i holds the rows with `hash mod 2^d = i`;
/// a directory of depth d has 2^d words.
class OccupancyModelTest {
    private static final int ROWS = 1 << 20;
    private static final long SEED = Long.getLong("namdb.seed", 1);
    private static final int DIRECTORY_WORD = 8;

    /// How deep a bucket may get beyond the logarithm of the number of buckets.
    private static final int DEPTH_AHEAD = 3;

    /// What is measured while the rows double for the last time, since occupancy oscillates with
    /// the logarithm of the rows.
    ///
    /// @param leastSlots entries of buckets for each row
    /// @param mostSlots the most of them
    /// @param leastDirectory bytes of the directory for each row
    /// @param mostDirectory the most of them
    /// @param chained the rows that find no place in their bucket at the end
    private record Occupancy(
            double leastSlots,
            double mostSlots,
            double leastDirectory,
            double mostDirectory,
            long chained) {}

    private static final class Table {
        private final int records;
        private final int splitAt;
        private final int depthAhead;
        private long[][] hashes = new long[1024][];
        private int[] rows = new int[1024];
        private int[] depths = new int[1024];

        /// Directory: the bucket of each number, -1 if there is none.
        private int[] directory = {0};

        private int maxDepth;
        private int buckets = 1;

        Table(int records, int splitAt, int depthAhead) {
            this.records = records;
            this.splitAt = splitAt;
            this.depthAhead = depthAhead;
            hashes[0] = new long[records];
        }

        private int find(long hash) {
            int number = (int) (hash & (1L << maxDepth) - 1);
            while (directory[number] < 0) {
                number -= Integer.highestOneBit(number);
            }
            return directory[number];
        }

        /// Adds rows that have one hash. Those that find their bucket full go to its chain.
        void add(long hash, int group) {
            int bucket = find(hash);
            for (int row = 0; row < group; row++) {
                put(bucket, hash);
            }
            split(bucket);
        }

        private void put(int bucket, long hash) {
            int row = rows[bucket]++;
            if (row == hashes[bucket].length) {
                hashes[bucket] = Arrays.copyOf(hashes[bucket], 2 * row);
            }
            hashes[bucket][row] = hash;
        }

        /// The rows that find no place in their bucket.
        long chained() {
            long chained = 0;
            for (int bucket = 0; bucket < buckets; bucket++) {
                chained += Math.max(0, rows[bucket] - records);
            }
            return chained;
        }

        private void split(int bucket) {
            int depth = depths[bucket];
            int log = 31 - Integer.numberOfLeadingZeros(buckets);
            if (rows[bucket] < splitAt || depth >= log + depthAhead || isOneGroup(bucket)) {
                return;
            }
            if (depth == maxDepth) {
                directory = Arrays.copyOf(directory, 2 << depth);
                Arrays.fill(directory, 1 << depth, 2 << depth, -1);
                maxDepth++;
            }
            int made = buckets++;
            if (made == depths.length) {
                hashes = Arrays.copyOf(hashes, 2 * made);
                rows = Arrays.copyOf(rows, 2 * made);
                depths = Arrays.copyOf(depths, 2 * made);
            }
            long[] old = hashes[bucket];
            int count = rows[bucket];
            long number = old[0] & (1L << depth) - 1;
            hashes[bucket] = new long[records];
            hashes[made] = new long[records];
            rows[bucket] = 0;
            depths[bucket] = depth + 1;
            depths[made] = depth + 1;
            directory[(int) (number | 1L << depth)] = made;
            for (int row = 0; row < count; row++) {
                put((old[row] >> depth & 1) == 0 ? bucket : made, old[row]);
            }
            split(bucket);
            split(made);
        }

        private boolean isOneGroup(int bucket) {
            long[] of = hashes[bucket];
            return Arrays.stream(of, 0, rows[bucket]).allMatch(hash -> hash == of[0]);
        }

        double slotsPerRow(long count) {
            return (double) buckets * records / count;
        }

        double directoryPerRow(long count) {
            return (double) DIRECTORY_WORD * (1L << maxDepth) / count;
        }
    }

    /// @param splitAt a bucket is split when it has so many rows
    /// @param group rows that have one hash, inserted together
    private static Occupancy measure(int records, int splitAt, int group, int depthAhead) {
        SplittableRandom random = new SplittableRandom(SEED);
        Table table = new Table(records, splitAt, depthAhead);
        double leastSlots = Double.MAX_VALUE;
        double mostSlots = 0;
        double leastDirectory = Double.MAX_VALUE;
        double mostDirectory = 0;
        for (int count = group; count <= ROWS; count += group) {
            table.add(random.nextLong(), group);
            if (count >= ROWS / 2) {
                leastSlots = Math.min(leastSlots, table.slotsPerRow(count));
                mostSlots = Math.max(mostSlots, table.slotsPerRow(count));
                leastDirectory = Math.min(leastDirectory, table.directoryPerRow(count));
                mostDirectory = Math.max(mostDirectory, table.directoryPerRow(count));
            }
        }
        Occupancy found =
                new Occupancy(
                        leastSlots, mostSlots, leastDirectory, mostDirectory, table.chained());
        System.out.printf(
                "seed %d, %d records a bucket, split at %d, groups of %d, depth + %d: %s%n",
                SEED, records, splitAt, group, depthAhead, found);
        return found;
    }

    @Test
    void singleRowsNeedLessThanOneAndAHalfEntriesAndNoChains() {
        Occupancy found = measure(16, 17, 1, DEPTH_AHEAD);
        assertThat(found.leastSlots()).isBetween(1.40, 1.44);
        assertThat(found.mostSlots()).isBetween(1.45, 1.49);
        assertThat(found.leastDirectory()).isBetween(1.4, 1.9);
        assertThat(found.mostDirectory()).isBetween(2.8, 4.5);
        assertThat(found.chained()).isLessThan(10);
    }

    /// So a split is due when a claim finds no entry, not when one takes the last.
    @Test
    void aSplitThatIsDueBeforeItIsNeededCostsGroupsAThirdOfTheMemory() {
        assertThat(measure(16, 16, 1, DEPTH_AHEAD).leastSlots()).isBetween(1.49, 1.54);
        assertThat(measure(40, 40, 10, DEPTH_AHEAD).leastSlots()).isGreaterThan(1.8);
    }

    @Test
    void groupsOfTenInBucketsOfFortyAreAsDenseAsSingleRows() {
        Occupancy found = measure(40, 41, 10, DEPTH_AHEAD);
        assertThat(found.leastSlots()).isBetween(1.41, 1.45);
        assertThat(found.mostSlots()).isBetween(1.43, 1.47);
        assertThat(found.mostDirectory()).isLessThan(5);
        assertThat(found.chained()).isLessThan(ROWS / 500);
    }

    /// Two groups a bucket: many pairs of them agree in more bits than the directory has.
    @Test
    void bucketsOfTwoGroupsNeedALargeDirectoryOrChains() {
        Occupancy limited = measure(20, 21, 10, DEPTH_AHEAD);
        assertThat(limited.mostDirectory()).isLessThan(5);
        assertThat(limited.chained()).isGreaterThan(ROWS / 60);
        Occupancy deeper = measure(20, 21, 10, DEPTH_AHEAD + 2);
        assertThat(deeper.mostDirectory()).isGreaterThan(15);
        assertThat(deeper.chained()).isGreaterThan(ROWS / 1000);
    }
}

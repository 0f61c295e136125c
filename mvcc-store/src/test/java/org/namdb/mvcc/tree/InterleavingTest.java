package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// One operation is stopped before every READ and at every await in turn, and another runs (or,
/// where it waits for a latch of the first, runs on concurrently with it). READs are landed, so
/// that a stop between two of one batch tears what they read. Nodes have three entries, and the
/// tree is
/// ```
///   key      0 10 20 | 30 40 50 | 60 70 80 | 90 ...      leaves A B C D ..
/// ```
/// where of every leaf but some only one entry is left, so that deleting it kills the leaf.
/// The pairs that matter, and what the first finds when it goes on:
/// ```
///   kill B stopped before it latches | the other          | then
///   ---------------------------------+--------------------+------------------------------------
///   parent and pair are read         | splits A           | A's CAS fails: B stays, empty
///                                    | inserts into B     | B's CAS fails: B stays
///                                    | kills C            | parent's CAS fails: B stays
///                                    | splits the parent  | parent's CAS fails: B stays
///   latched                          | inserts into A, B  | waits, then finds B dead: A
///                                    | scans up or down   | waits, then finds B dead: A
///   A, pointer to B read (scan)      | kills B            | B is dead: from the root to A
///                                    | kills B, splits A  | B is dead, or is A's right half
///   B copied (scan down)             | kills B            | goes on below B's low fence: A
/// ```
@Timeout(120)
final class InterleavingTest {
    private static final NodeLayout TINY = new NodeLayout(5, 256);
    private static final int LEAVES = 24;

    /// At most so many stops of a pair are tried with the victim of a hybrid index, and a third as
    /// many with each of the three others, which are other stops. `-Dnamdb.stops=N`: N.
    private static final int MAX_STOPS = Integer.getInteger("namdb.stops", 40);

    /// An operation, and how the set differs afterwards.
    enum Operation {
        KILL_LEAF,
        KILL_AND_USE_AGAIN,
        KILL_NEXT_LEAF,
        KILL_PREVIOUS_LEAF,
        SPLIT_LEFT,
        SPLIT_MANY,
        FILL_LEAF,
        SCAN_UP,
        SCAN_DOWN,
        COLLECT
    }

    /// @param isHybrid whether the tree has separators in place of inner nodes
    record Pair(Operation first, Operation second, boolean isHybrid) {}

    static Stream<Pair> pairs() {
        List<Pair> pairs = new ArrayList<>();
        for (Operation first : Operation.values()) {
            for (Operation second : Operation.values()) {
                boolean scans = isScan(first) && isScan(second);
                boolean kills = isKill(first) && isKill(second);
                if (first != second && !scans && !kills) {
                    pairs.add(new Pair(first, second, false));
                    pairs.add(new Pair(first, second, true));
                }
            }
        }
        return pairs.stream();
    }

    private static boolean isKill(Operation operation) {
        return operation == Operation.KILL_LEAF || operation == Operation.KILL_AND_USE_AGAIN;
    }

    private static boolean isScan(Operation operation) {
        return operation == Operation.SCAN_UP || operation == Operation.SCAN_DOWN;
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void everyStopIsHarmless(Pair pair) throws Exception {
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            for (int victim : pair.isHybrid() ? new int[] {9} : new int[] {8, 9, 10}) {
                int stops = runOnce(pair, victim, Integer.MAX_VALUE, other);
                assertThat(stops).isGreaterThan(5);
                int step = Math.ceilDiv(stops, pair.isHybrid() ? MAX_STOPS : MAX_STOPS / 3);
                for (int stop = victim % step; stop < stops; stop += step) {
                    runOnce(pair, victim, stop, other);
                }
            }
        }
    }

    /// Runs the first operation up to its stop, the second, and the remainder of the first; then
    /// checks everything.
    ///
    /// @return how many stops there were
    private static int runOnce(Pair pair, int victim, int stop, ExecutorService other)
            throws Exception {
        try (TreeFixture fixture =
                new TreeFixture(Fabrics.open(Fabrics.LANDING), 2, TINY, 1 << 20)
                        .hybrid(pair.isHybrid())) {
            prepare(fixture.client());
            TreeClient second = fixture.client();
            Stops stops = new Stops(stop, other, () -> perform(pair.second(), second, victim));
            PausingQueuePair stopping = new PausingQueuePair(fixture.connect(), stops);
            TreeClient first = fixture.client(stopping, TreeFixture.owner(1));
            stops.armed = true;
            perform(pair.first(), first, victim);
            stops.armed = false;
            boolean stopped = stops.finish();

            fixture.check();
            TreeCursor cursor = fixture.client().cursor();
            cursor.ascendFrom(key(0));
            for (int value = 0; value < 30 * LEAVES; value++) {
                if (isThere(value, pair, victim, stopped)) {
                    boolean isFound = cursor.next() && cursor.word(4) == value;
                    if (!isFound) {
                        throw new AssertionError("%s %d, stop %d".formatted(pair, value, stop));
                    }
                }
            }
            assertThat(cursor.next()).isFalse();
            return stops.passed;
        }
    }

    private static void prepare(TreeClient client) {
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            for (int i = 0; i < 3; i++) {
                client.insert(key(30 * leaf + 10 * i));
            }
        }
        for (int leaf = 4; leaf < 16; leaf++) {
            client.delete(key(30 * leaf));
            client.delete(key(30 * leaf + 20));
        }
    }

    private static void perform(Operation operation, TreeClient client, int victim) {
        switch (operation) {
            case KILL_LEAF -> assertThat(client.delete(key(30 * victim + 10))).isTrue();
            case KILL_AND_USE_AGAIN -> {
                assertThat(client.delete(key(30 * victim + 10))).isTrue();
                insert(client, 1, 10);
            }
            case KILL_NEXT_LEAF -> assertThat(client.delete(key(30 * victim + 40))).isTrue();
            case KILL_PREVIOUS_LEAF -> assertThat(client.delete(key(30 * victim - 20))).isTrue();
            case SPLIT_LEFT -> insert(client, 30 * victim - 9, 30 * victim);
            case SPLIT_MANY -> insert(client, 30 * victim - 58, 30 * victim - 20);
            case FILL_LEAF -> insert(client, 30 * victim + 11, 30 * victim + 20);
            case SCAN_UP -> scan(client, victim, true);
            case SCAN_DOWN -> scan(client, victim, false);
            case COLLECT -> client.collect();
        }
    }

    /// Inserts the values of a range that are not multiples of 10.
    private static void insert(TreeClient client, int from, int to) {
        for (int value = from; value < to; value++) {
            if (value % 10 != 0) {
                assertThat(client.insert(key(value))).isTrue();
            }
        }
    }

    /// The leaves that neither operation changes must be seen throughout.
    private static void scan(TreeClient client, int victim, boolean up) {
        TreeCursor cursor = client.cursor();
        int from = up ? 30 * (victim - 5) : 30 * (victim + 5);
        int to = up ? 30 * (victim + 5) : 30 * (victim - 5);
        if (up) {
            cursor.ascendFrom(key(from));
        } else {
            cursor.descendFrom(key(from));
        }
        long last = up ? -1 : Long.MAX_VALUE;
        int steady = 0;
        while (cursor.next() && (up ? cursor.word(4) <= to : cursor.word(4) >= to)) {
            long value = cursor.word(4);
            assertThat(up ? value > last : value < last).as("%d after %d", value, last).isTrue();
            last = value;
            long leaf = value / 30;
            boolean worked = leaf >= victim - 2 && leaf <= victim + 1;
            steady += value % 10 == 0 && !worked ? 1 : 0;
        }
        int expected = 0;
        for (int value = Math.min(from, to); value <= Math.max(from, to); value += 10) {
            int leaf = value / 30;
            boolean worked = leaf >= victim - 2 && leaf <= victim + 1;
            expected += wasPrepared(value) && !worked ? 1 : 0;
        }
        assertThat(steady).as("keys that stay").isEqualTo(expected);
    }

    private static boolean wasPrepared(int value) {
        int leaf = value / 30;
        return value % 10 == 0 && (leaf < 4 || leaf >= 16 || value % 30 == 10);
    }

    private static boolean isThere(int value, Pair pair, int victim, boolean both) {
        boolean there = wasPrepared(value);
        there = after(pair.first(), value, victim, there);
        return both ? after(pair.second(), value, victim, there) : there;
    }

    private static boolean after(Operation operation, int value, int victim, boolean before) {
        int at = value - 30 * victim;
        boolean between = value % 10 != 0;
        return switch (operation) {
            case KILL_LEAF -> before && at != 10;
            case KILL_AND_USE_AGAIN -> before && at != 10 || between && value < 10;
            case KILL_NEXT_LEAF -> before && at != 40;
            case KILL_PREVIOUS_LEAF -> before && at != -20;
            case SPLIT_LEFT -> before || between && at >= -9 && at < 0;
            case SPLIT_MANY -> before || between && at >= -58 && at < -20;
            case FILL_LEAF -> before || between && at >= 11 && at < 20;
            case SCAN_UP, SCAN_DOWN, COLLECT -> before;
        };
    }

    /// Equal words first, so that the last one decides.
    private static long[] key(int value) {
        return new long[] {1, 2, 3, 4, value};
    }

    /// At one stop of the first operation, the second is let through.
    private static final class Stops implements Runnable {
        private static final long LATCHED_MILLIS = 1;

        private final int stop;
        private final ExecutorService other;
        private final Runnable second;
        private boolean armed;
        private int passed;
        private @Nullable Future<?> running;

        Stops(int stop, ExecutorService other, Runnable second) {
            this.stop = stop;
            this.other = other;
            this.second = second;
        }

        @Override
        public void run() {
            if (!armed || passed++ != stop) {
                return;
            }
            Future<?> started = other.submit(second);
            running = started;
            try {
                started.get(LATCHED_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException latched) {
                // The second waits for a latch of the first.
            } catch (ExecutionException | InterruptedException e) {
                throw new AssertionError("the second operation failed", e);
            }
        }

        /// Waits for the second operation; whether there was one.
        boolean finish() throws ExecutionException, InterruptedException {
            if (running == null) {
                return false;
            }
            running.get();
            return true;
        }
    }
}

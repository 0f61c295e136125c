package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Many threads on one tree, with small nodes, so that they meet.
@Timeout(60)
final class ConcurrentTreeTest {
    private static final NodeLayout SMALL = new NodeLayout(1, 256);

    static Stream<String> fabrics() {
        return Fabrics.NAMES.stream();
    }

    /// Every key is offered by two threads: one of them inserts it.
    @ParameterizedTest
    @MethodSource("fabrics")
    void insertsAllArriveOnce(String fabric) throws Exception {
        int threads = 6;
        int keys = 12_000;
        SplittableRandom random = Seeds.random();
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 4, SMALL)) {
            List<Callable<Integer>> work = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int first = thread / 2;
                boolean ascending = thread < 2;
                SplittableRandom mine = random.split();
                work.add(() -> {
                    long[] order = offered(first, threads / 2, keys, ascending, mine);
                    return insertAll(fixture.restlessClient(mine), order);
                });
            }
            int inserted = 0;
            for (int count : run(work)) {
                inserted += count;
            }
            assertThat(inserted).isEqualTo(keys);
            TreeChecker.Shape shape = fixture.check();
            assertThat(shape.live()).isEqualTo(keys);
            TreeCursor cursor = fixture.client().cursor();
            cursor.ascendFrom(new long[1]);
            for (long key = 0; key < keys; key++) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.word(0)).isEqualTo(key);
            }
            assertThat(cursor.next()).isFalse();
        }
    }

    private static long[] offered(
            int first, int step, int keys, boolean ascending, SplittableRandom random) {
        long[] order = new long[keys / step];
        for (int i = 0; i < order.length; i++) {
            order[i] = first + (long) i * step;
            int other = ascending ? i : random.nextInt(i + 1);
            long cas = order[other];
            order[other] = order[i];
            order[i] = cas;
        }
        return order;
    }

    private static int insertAll(TreeClient client, long[] keys) {
        int inserted = 0;
        for (long key : keys) {
            inserted += client.insert(new long[] {key}) ? 1 : 0;
        }
        return inserted;
    }

    /// Three threads fill and empty stretches of keys, so that leaves split and die all the time;
    /// each owns the keys of one remainder, with the expected outcome. One collects. Two scan, and
    /// must see the keys that stay, every multiple of [#STAY].
    @ParameterizedTest
    @MethodSource("fabrics")
    void scansSeeWhatStaysWhileOthersComeAndGo(String fabric) throws Exception {
        SplittableRandom random = Seeds.random();
        AtomicBoolean done = new AtomicBoolean();
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 2, SMALL)) {
            TreeClient loader = fixture.client();
            for (long key = 0; key < KEYS; key += STAY) {
                loader.insert(new long[] {key});
            }
            List<Callable<Integer>> work = new ArrayList<>();
            for (int owner = 1; owner <= 3; owner++) {
                Churn churn =
                        new Churn(fixture.restlessClient(random.split()), owner, random.split());
                work.add(() -> churn.run(Integer.getInteger("namdb.churn", 300), done));
            }
            for (boolean up : new boolean[] {true, false}) {
                Scan scan =
                        new Scan(
                                fixture.restlessClient(random.split()).cursor(),
                                random.split(),
                                up);
                work.add(() -> scan.run(done));
            }
            TreeClient collector = fixture.restlessClient(random.split());
            work.add(() -> collect(collector, done));
            int volatileKeys = 0;
            List<Integer> results = run(work);
            for (int owner = 0; owner < 3; owner++) {
                volatileKeys += results.get(owner);
            }
            TreeChecker.Shape shape = fixture.check();
            assertThat(shape.live()).isEqualTo(volatileKeys + KEYS / STAY);
        }
    }

    private static final int KEYS = 16_000;
    private static final int STAY = 160;

    private static int collect(TreeClient client, AtomicBoolean done) throws InterruptedException {
        int merged = 0;
        while (!done.get()) {
            merged += (int) client.collect();
            Thread.sleep(1);
        }
        return merged;
    }

    /// The keys whose remainder is `owner`, of which there are three; those that stay have none of
    /// these.
    private record Churn(TreeClient client, int owner, SplittableRandom random) {
        int run(int stretches, AtomicBoolean done) {
            TreeSet<Long> mine = new TreeSet<>();
            try {
                for (int i = 0; i < stretches; i++) {
                    churn(mine);
                }
                for (long key = owner; key < KEYS; key += 4) {
                    assertThat(client.contains(new long[] {key})).isEqualTo(mine.contains(key));
                }
                return mine.size();
            } finally {
                done.set(true);
            }
        }

        private void churn(TreeSet<Long> mine) {
            boolean insert = random.nextBoolean();
            int length = random.nextInt(600);
            int start = random.nextInt(KEYS - 4 * length) / 4 * 4 + owner;
            for (int i = 0; i < length; i++) {
                long key = start + 4L * i;
                long[] words = {key};
                if (insert) {
                    assertThat(client.insert(words)).as("insert %d", key).isEqualTo(mine.add(key));
                } else {
                    assertThat(client.delete(words))
                            .as("delete %d", key)
                            .isEqualTo(mine.remove(key));
                }
            }
        }
    }

    private record Scan(TreeCursor cursor, SplittableRandom random, boolean up) {
        int run(AtomicBoolean done) {
            int scans = 0;
            while (!done.get() || scans == 0) {
                scan(random.nextInt(KEYS), random.nextInt(3000));
                scans++;
            }
            return scans;
        }

        private void scan(long from, int length) {
            long to = up ? Math.min(from + length, KEYS - STAY) : Math.max(from - length, 0);
            if (up ? from > to : from < to) {
                return;
            }
            long expected = up ? (from + STAY - 1) / STAY * STAY : from / STAY * STAY;
            long last = up ? from - 1 : from + 1;
            if (up) {
                cursor.ascendFrom(new long[] {from});
            } else {
                cursor.descendFrom(new long[] {from});
            }
            while (up ? expected <= to : expected >= to) {
                assertThat(cursor.next()).as("key %d is still to come", expected).isTrue();
                long key = cursor.word(0);
                if (up ? key <= last : key >= last) {
                    throw new AssertionError("out of order: " + key + " after " + last);
                }
                if (up ? key > expected : key < expected) {
                    throw new AssertionError("missed " + expected + ", at " + key);
                }
                if (key == expected) {
                    expected += up ? STAY : -STAY;
                }
                last = key;
            }
        }
    }

    /// Four threads insert at the end of 10 prefixes and delete at the front of them; a minimum is
    /// deleted by one thread only. In the end, finding a minimum costs what it did at the
    /// beginning.
    @ParameterizedTest
    @MethodSource("fabrics")
    void queuesStayShort(String fabric) throws Exception {
        int threads = 4;
        int rounds = 5000;
        SplittableRandom random = Seeds.random();
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 2, SMALL)) {
            List<Callable<Integer>> work = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                Queue queue = new Queue(fixture.restlessClient(random.split()), thread, threads);
                work.add(() -> queue.run(rounds));
            }
            int taken = 0;
            for (int count : run(work)) {
                taken += count;
            }
            assertThat(fixture.check().live()).isEqualTo(threads * rounds - taken);
            fixture.client().collect();
            TreeChecker.Shape shape = fixture.check();
            assertThat(shape.emptyLeaves()).as("of %s", shape).isLessThanOrEqualTo(1);
            var queuePair = fixture.connect();
            TreeCursor cursor =
                    new TreeClient(
                                    queuePair,
                                    fixture.allocator(),
                                    fixture.tree(),
                                    TreeFixture.owner(1))
                            .cursor();
            for (long prefix = 0; prefix < Queue.PREFIXES; prefix++) {
                long before = queuePair.counters().roundTrips();
                cursor.ascendFrom(new long[] {prefix << 32});
                cursor.next();
                assertThat(queuePair.counters().roundTrips() - before)
                        .as("READs for a minimum of %s", shape)
                        .isLessThanOrEqualTo(shape.height() + 2);
            }
        }
    }

    private record Queue(TreeClient client, int thread, int threads) {
        static final int PREFIXES = 10;
        private static final int LENGTH = 300;

        int run(int rounds) {
            TreeCursor cursor = client.cursor();
            long[] key = new long[1];
            int taken = 0;
            for (int round = 0; round < rounds; round++) {
                long prefix = round % PREFIXES;
                key[0] = prefix << 32 | (long) round * threads + thread;
                assertThat(client.insert(key)).isTrue();
                if (round >= LENGTH) {
                    key[0] = prefix << 32;
                    cursor.ascendFrom(key);
                    assertThat(cursor.next()).isTrue();
                    key[0] = cursor.word(0);
                    taken += client.delete(key) ? 1 : 0;
                }
            }
            return taken;
        }
    }

    private static List<Integer> run(List<Callable<Integer>> work) throws Exception {
        List<Integer> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(work.size())) {
            List<Future<Integer>> running = new ArrayList<>();
            for (Callable<Integer> one : work) {
                running.add(threads.submit(one));
            }
            for (Future<Integer> one : running) {
                results.add(one.get());
            }
        }
        return results;
    }
}

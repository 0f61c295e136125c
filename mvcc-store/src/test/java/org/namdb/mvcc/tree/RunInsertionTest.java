package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.NavigableSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Threads;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.index.EntryRun;
import org.namdb.timestamp.snapshot.Snapshot;

/// Many entries that are inserted into a tree at once.
///
/// `-Dnamdb.rounds=N`: N random runs in place of 300.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RunInsertionTest {
    private static final NodeLayout USUAL = new NodeLayout(2, 1024);
    private static final NodeLayout TINY = new NodeLayout(2, 128);
    private static final int ROUNDS = Integer.getInteger("namdb.rounds", 300);

    private static EntryRun run(LongStream keys) {
        EntryRun run = new EntryRun(2);
        keys.forEach(key -> run.add(new long[] {7, key}, key));
        run.sort();
        return run;
    }

    private static long[] key(long value) {
        return new long[] {7, value};
    }

    private static long roundTrips(QueuePair queuePair, Runnable work) {
        long before = queuePair.counters().roundTrips();
        work.run();
        return queuePair.counters().roundTrips() - before;
    }

    private static void insert(TreeClient client, EntryRun run) {
        client.insertRun(run, Snapshot.EVERYTHING);
        client.queuePair().await();
    }

    private static int added(EntryRun run) {
        int added = 0;
        for (int i = 0; i < run.count(); i++) {
            added += run.isAdded(i) ? 1 : 0;
        }
        return added;
    }

    @Test
    void ascendingKeysFillLeavesInFewRoundTrips() {
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 2, USUAL)) {
                TreeClient client = fixture.client();
                int rows = 20_000;
                int together = 1000;
                long roundTrips =
                        roundTrips(
                                client.queuePair(),
                                () -> {
                                    for (long from = 0; from < rows; from += together) {
                                        EntryRun run = run(LongStream.range(from, from + together));
                                        insert(client, run);
                                        assertThat(added(run)).isEqualTo(together);
                                    }
                                });
                TreeChecker.Shape shape = fixture.check();
                assertThat(shape.live()).isEqualTo(rows);
                assertThat(shape.leaves()).isEqualTo(Math.ceilDiv(rows, USUAL.capacity(0)));
                // Eight for the leaves and their separators, and those of an inner node that is
                // divided in every other run.
                assertThat(roundTrips).isLessThan(20 * 11);
            }
        }
    }

    /// Leaves that any keys go to are read, latched and changed together.
    @Test
    void anyKeysTakeTheRoundTripsOfOneLeafForMany() {
        SplittableRandom random = Seeds.random();
        try (TreeFixture fixture =
                new TreeFixture(
                        new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false)),
                        2,
                        USUAL)) {
            TreeClient client = fixture.client();
            int rows = 20_000;
            int together = 1000;
            long roundTrips =
                    roundTrips(
                            client.queuePair(),
                            () -> {
                                for (int run = 0; run < rows / together; run++) {
                                    insert(
                                            client,
                                            run(random.longs(together).map(key -> key >>> 1)));
                                }
                            });
            TreeChecker.Shape shape = fixture.check();
            assertThat(shape.live()).isEqualTo(rows);
            assertThat(shape.leaves()).isLessThan(2 * rows / USUAL.capacity(0));
            // A run of a thousand comes to nearly all of the leaves, 128 at a time.
            assertThat(roundTrips).isLessThan(20 * 40);
        }
    }

    /// A leaf is divided where the run begins to go on, so that both stay full.
    @Test
    void aRunInTheMiddleStaysApartFromWhatIsBehindIt() {
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.LANDING), 2, USUAL)) {
            TreeClient client = fixture.client();
            int capacity = USUAL.capacity(0);
            insert(client, run(LongStream.range(0, capacity / 2)));
            insert(client, run(LongStream.range(100_000, 100_000 + capacity / 2)));
            for (long from = 1000; from < 1000 + 10L * capacity; from += capacity / 3) {
                insert(client, run(LongStream.range(from, from + capacity / 3)));
            }
            TreeChecker.Shape shape = fixture.check();
            // What was before the run shares its first leaf, what is behind it has its own.
            assertThat(shape.leaves()).isLessThanOrEqualTo(1 + 10 + 2);
        }
    }

    /// Runs of any keys, and deletes in between, in a tree of nodes with few entries.
    @ParameterizedTest
    @ValueSource(strings = {Fabrics.IN_PLACE, Fabrics.LANDING})
    void aRunAddsWhatIsNotThere(String fabric) {
        SplittableRandom random = Seeds.random();
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 2, TINY)) {
            TreeClient client = fixture.client();
            TreeClient other =
                    new TreeClient(
                            fixture.connect(),
                            fixture.allocator(),
                            fixture.foreignTree(),
                            TreeFixture.owner(1));
            NavigableSet<Long> model = new TreeSet<>();
            for (int round = 0; round < ROUNDS; round++) {
                TreeClient used = random.nextInt(4) == 0 ? other : client;
                long from = random.nextLong(3000);
                int keys = random.nextInt(1, 200);
                LongStream chosen =
                        random.nextBoolean()
                                ? LongStream.range(from, from + keys)
                                : random.longs(keys, from, from + random.nextLong(1, 1000));
                EntryRun run = run(chosen);
                insert(used, run);
                for (int i = 0; i < run.count(); i++) {
                    assertThat(run.isAdded(i)).isEqualTo(model.add(run.number(i)));
                }
                for (Long key :
                        model.subSet(from, from + random.nextLong(1, 300)).toArray(Long[]::new)) {
                    if (random.nextInt(3) > 0) {
                        assertThat(used.delete(key(key))).isTrue();
                        model.remove(key);
                    }
                }
            }
            assertThat(fixture.check().live()).isEqualTo(model.size());
            TreeCursor cursor = other.cursor();
            cursor.ascendFrom(new long[2]);
            for (long key : model) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.word(1)).isEqualTo(key);
            }
            assertThat(cursor.next()).isFalse();
        }
    }

    /// Of runs with the same keys, each key is added by one.
    @ParameterizedTest
    @ValueSource(strings = {Fabrics.IN_PLACE, Fabrics.LANDING})
    void threadsAddEachKeyOnce(String fabric) throws Exception {
        long seed = Seeds.random().nextLong();
        int threads = 4;
        int range = 6000;
        Set<Long> all = ConcurrentHashMap.newKeySet();
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 2, TINY)) {
            Threads.run(
                    threads,
                    thread -> {
                        SplittableRandom random = new SplittableRandom(seed + thread);
                        TreeClient client = fixture.restlessClient(random);
                        for (int round = 0; round < 20; round++) {
                            long from = random.nextLong(range);
                            int keys = random.nextInt(1, 100);
                            EntryRun run =
                                    run(
                                            random.nextBoolean()
                                                    ? LongStream.range(from, from + keys)
                                                    : random.longs(keys, 0, range));
                            insert(client, run);
                            for (int i = 0; i < run.count(); i++) {
                                boolean isFirst = run.isAdded(i) && all.add(run.number(i));
                                assertThat(run.isAdded(i)).isEqualTo(isFirst);
                                assertThat(client.contains(key(run.number(i)))).isTrue();
                            }
                        }
                    });
            assertThat(fixture.check().live()).isEqualTo(all.size());
        }
    }

    /// Each thread adds and deletes its own keys, so that leaves are divided while others die.
    @ParameterizedTest
    @ValueSource(strings = {Fabrics.IN_PLACE, Fabrics.LANDING})
    void threadsAddAndDeleteTheirOwn(String fabric) throws Exception {
        long seed = Seeds.random().nextLong();
        int threads = 4;
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 2, TINY)) {
            Threads.run(
                    threads,
                    thread -> {
                        SplittableRandom random = new SplittableRandom(seed + thread);
                        TreeClient client = fixture.restlessClient(random);
                        NavigableSet<Long> own = new TreeSet<>();
                        for (int round = 0; round < 10; round++) {
                            long from = random.nextLong(300);
                            EntryRun run =
                                    run(
                                            LongStream.range(from, from + random.nextInt(1, 50))
                                                    .map(key -> threads * key + thread));
                            insert(client, run);
                            for (int i = 0; i < run.count(); i++) {
                                assertThat(run.isAdded(i)).isEqualTo(own.add(run.number(i)));
                            }
                            for (long key :
                                    own.headSet(threads * (from + 40)).toArray(Long[]::new)) {
                                assertThat(client.delete(key(key))).isTrue();
                                own.remove(key);
                            }
                        }
                        for (long key : own) {
                            assertThat(client.delete(key(key))).isTrue();
                        }
                    });
            assertThat(fixture.check().live()).isZero();
        }
    }

    /// Wherever a verb can't be posted: nothing stays latched, and what is there is as it was said.
    @Test
    void aFailureLeavesNothingLatched() {
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.IN_PLACE), 2, TINY)) {
            int[] left = {Integer.MAX_VALUE};
            Runnable failing =
                    () -> {
                        if (left[0]-- == 0) {
                            throw new FabricException(FabricException.Kind.PEER_GONE, "planted");
                        }
                    };
            TreeClient failed =
                    fixture.client(
                            new PausingQueuePair(fixture.connect(), failing), TreeFixture.owner(1));
            TreeClient other = fixture.client();
            insert(other, run(LongStream.range(0, 100).map(key -> 10 * key)));
            for (int stop = 0; stop < 12; stop++) {
                int offset = 1 + stop % 9;
                // No more than fit, so that no node is split: what is posted by then is done.
                EntryRun run = run(LongStream.of(offset + 100, offset + 400, offset + 700));
                left[0] = stop;
                try {
                    failed.insertRun(run, Snapshot.EVERYTHING);
                } catch (FabricException e) {
                    assertThat(e).hasMessageContaining("planted");
                }
                left[0] = Integer.MAX_VALUE;
                failed.queuePair().await();
                for (int i = 0; i < run.count(); i++) {
                    assertThat(other.contains(key(run.number(i)))).isEqualTo(run.isAdded(i));
                    assertThat(other.insert(key(run.number(i)))).isNotEqualTo(run.isAdded(i));
                    assertThat(other.delete(key(run.number(i)))).isTrue();
                }
            }
            fixture.check();
        }
    }

    @Test
    void memoryThatIsFullIsSaidSo() {
        try (TreeFixture fixture =
                new TreeFixture(Fabrics.open(Fabrics.LANDING), 1, TINY, 32 << 10)) {
            TreeClient client = fixture.client();
            NavigableSet<Long> added = new TreeSet<>();
            assertThatExceptionOfType(MemoryFullException.class)
                    .isThrownBy(() -> {
                        for (long from = 0; from < 100_000; from += 20) {
                            EntryRun run = run(LongStream.range(from, from + 20));
                            try {
                                client.insertRun(run, Snapshot.EVERYTHING);
                            } finally {
                                for (int i = 0; i < run.count(); i++) {
                                    boolean _ = run.isAdded(i) && added.add(run.number(i));
                                }
                            }
                        }
                    })
                    .withMessageContaining("is full");
            client.queuePair().await();
            assertThat(added).hasSizeGreaterThan(100);
            assertThat(fixture.check(true).live()).isEqualTo(added.size());
        }
    }
}

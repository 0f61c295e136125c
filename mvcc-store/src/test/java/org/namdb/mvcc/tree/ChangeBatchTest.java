package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.timestamp.snapshot.Snapshot;

/// Inserts into a tree, and removals from it, that are on their way together.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ChangeBatchTest {
    private static final NodeLayout SMALL = new NodeLayout(1, 256);
    private static final int THREADS = 4;
    private static final int BATCHES = 300;
    private static final int KEYS = 800;

    /// One thread's client, batch and changes.
    private static final class Writer {
        final QueuePair queuePair;
        final TreeClient client;
        final ChangeBatch batch;
        private final List<EntryChange> insertions = new ArrayList<>();
        private final List<EntryChange> removals = new ArrayList<>();

        Writer(TreeFixture fixture, QueuePair queuePair) {
            this.queuePair = queuePair;
            LatchOwner owner = TreeFixture.owner(1);
            client = new TreeClient(queuePair, fixture.allocator(), fixture.tree(), owner);
            batch = new ChangeBatch(queuePair);
        }

        /// Prepares inserts of these keys, as many as fit; the batch runs by itself.
        void prepare(long... keys) {
            prepare(new boolean[keys.length], keys);
        }

        void prepare(boolean[] isRemoval, long... keys) {
            batch.clear();
            for (int i = 0; i < keys.length; i++) {
                if (i == insertions.size()) {
                    insertions.add(client.insertion());
                    removals.add(client.removal());
                }
                EntryChange change = (isRemoval[i] ? removals : insertions).get(i);
                change.prepare(new long[] {keys[i]}, Snapshot.EVERYTHING);
                assertThat(batch.hasCapacityFor(change)).isTrue();
                batch.add(change);
            }
        }

        List<Boolean> insert(long... keys) {
            return change(new boolean[keys.length], keys);
        }

        List<Boolean> remove(long... keys) {
            boolean[] isRemoval = new boolean[keys.length];
            Arrays.fill(isRemoval, true);
            return change(isRemoval, keys);
        }

        /// Returns of each whether it has changed something.
        List<Boolean> change(boolean[] isRemoval, long... keys) {
            prepare(isRemoval, keys);
            return run(keys.length);
        }

        List<Boolean> run(int count) {
            batch.run();
            List<Boolean> added = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                added.add(batch.finish(i));
            }
            queuePair.await();
            return added;
        }
    }

    private static TreeFixture fixture(String fabric) {
        return new TreeFixture(Fabrics.open(fabric), 2, SMALL);
    }

    @Test
    void allOfThemTakeTheRoundTripsOfOne() {
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = fixture(fabric)) {
                Writer writer = new Writer(fixture, fixture.connect());
                for (long key = 0; key < 5000; key++) {
                    writer.client.insert(new long[] {7 * key % 5000 * 100});
                }
                int height = fixture.check().height();
                long before = writer.queuePair.counters().roundTrips();
                List<Boolean> added = writer.insert(150, 50_050, 200_050, 400_050, 499_850);
                long roundTrips = writer.queuePair.counters().roundTrips() - before;
                assertThat(added).containsExactly(true, true, true, true, true);
                // Leaves, latches, changes; a leaf that was full is split alone.
                assertThat(roundTrips).isBetween(3L, 3L + 2 * (height + 4L));
                before = writer.queuePair.counters().roundTrips();
                assertThat(writer.insert(150, 50_050, 200_050, 400_050, 499_850))
                        .containsOnly(false);
                assertThat(writer.queuePair.counters().roundTrips() - before).isEqualTo(1);
                before = writer.queuePair.counters().roundTrips();
                assertThat(writer.remove(150, 50_050, 200_050, 400_050, 499_850))
                        .containsOnly(true);
                assertThat(writer.queuePair.counters().roundTrips() - before).isEqualTo(3);
                assertThat(writer.remove(150, 50_050, 200_050, 400_050, 499_850))
                        .containsOnly(false);
                fixture.check();
            }
        }
    }

    @Test
    void leavesReadAheadTakeNoRoundTrip() {
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = fixture(fabric)) {
                Writer writer = writerAmongMany(fixture);
                long[] keys = {150, 50_050, 200_050};
                List<Boolean> _ = writer.insert(160, 50_060, 200_060); // caches the inner nodes
                writer.prepare(keys);
                writer.batch.postAhead();
                writer.queuePair.await();
                long before = writer.queuePair.counters().roundTrips();
                assertThat(writer.run(keys.length)).containsOnly(true);
                assertThat(writer.queuePair.counters().roundTrips() - before).isEqualTo(2);
                fixture.check();
            }
        }
    }

    /// The leaf has the entry when it is read ahead; a collector removes it, as the insert is not
    /// visible to it yet.
    @Test
    void anEntryThatGoesAfterItWasReadAheadIsAdded() {
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = fixture(fabric)) {
                Writer writer = writerAmongMany(fixture);
                Writer other = new Writer(fixture, fixture.connect());
                assertThat(writer.insert(150)).containsExactly(true);
                writer.prepare(150);
                writer.batch.postAhead();
                writer.queuePair.await();
                assertThat(other.remove(150)).containsExactly(true);
                // In place, the removal shines through.
                assertThat(writer.run(1)).containsExactly(true);
                assertThat(writer.client.contains(new long[] {150})).isTrue();
                fixture.check();
            }
        }
    }

    @Test
    void viewsThatMayBeOverwrittenAreReadOnceMore() {
        try (TreeFixture fixture = fixture(Fabrics.LANDING)) {
            Writer writer = writerAmongMany(fixture);
            List<Boolean> _ = writer.insert(160, 50_060, 200_060); // caches the inner nodes
            writer.prepare(150, 50_050, 200_050);
            writer.batch.postAhead();
            writer.queuePair.await();
            long landed = writer.queuePair.landed();
            while (writer.queuePair.landed() - landed < writer.queuePair.landingBytes() - 64) {
                long _ = writer.queuePair.read(fixture.tree().anchor(), 8);
                writer.queuePair.await();
            }
            long before = writer.queuePair.counters().roundTrips();
            assertThat(writer.run(3)).containsOnly(true);
            assertThat(writer.queuePair.counters().roundTrips() - before).isEqualTo(3);
            fixture.check();
        }
    }

    private static Writer writerAmongMany(TreeFixture fixture) {
        Writer writer = new Writer(fixture, fixture.connect());
        for (long key = 0; key < 5000; key++) {
            writer.client.insert(new long[] {7 * key % 5000 * 100});
        }
        return writer;
    }

    /// The second one loses the leaf that the first one latches, and comes after it.
    @Test
    void severalOfThemMayWantOneLeaf() {
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = fixture(fabric)) {
                Writer writer = new Writer(fixture, fixture.connect());
                assertThat(writer.insert(1, 2, 3, 2, 1))
                        .containsExactly(true, true, true, false, false);
                fixture.check();
                for (long key = 1; key <= 3; key++) {
                    assertThat(writer.client.contains(new long[] {key})).isTrue();
                }
                assertThat(writer.remove(1, 2, 4, 2, 3))
                        .containsExactly(true, true, false, false, true);
                fixture.check();
                for (long key = 1; key <= 3; key++) {
                    assertThat(writer.client.contains(new long[] {key})).isFalse();
                }
            }
        }
    }

    /// They take the leaf's latch once for all of them.
    @Test
    void neighboursShareALatch() {
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = fixture(fabric)) {
                Writer writer = new Writer(fixture, fixture.connect());
                List<Boolean> _ = writer.insert(100, 200);
                long before = writer.queuePair.counters().roundTrips();
                long reads = writer.queuePair.counters().reads();
                long swaps = writer.queuePair.counters().compareAndSwaps();
                assertThat(writer.insert(150, 70, 210, 160)).containsOnly(true);
                assertThat(writer.queuePair.counters().roundTrips() - before).isEqualTo(3);
                // Nor does any of the others read the leaf.
                long latched = writer.queuePair.counters().compareAndSwaps() - swaps;
                assertThat(latched).isEqualTo(1);
                assertThat(writer.queuePair.counters().reads() - reads).isLessThan(4);
                fixture.check();
                before = writer.queuePair.counters().roundTrips();
                for (long key = 1000; key < 4000; key += 5) {
                    assertThat(writer.insert(key, key + 2, key + 1, key + 4, key + 3))
                            .containsOnly(true);
                }
                assertThat(writer.queuePair.counters().roundTrips() - before)
                        .as("600 times five, and each split alone")
                        .isLessThan(5000);
                fixture.check();
            }
        }
    }

    /// A batch that failed before all were finished has nothing done by the next one.
    @Test
    void unfinishedChangesAreNotMadeLater() {
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = fixture(fabric)) {
                Writer writer = new Writer(fixture, fixture.connect());
                for (long key = 0; key < SMALL.capacity(0); key++) {
                    writer.client.insert(new long[] {100 * key});
                }
                writer.prepare(101, 102, 103);
                writer.batch.run(); // the leaf is full: each is to be finished alone
                writer.insertions.forEach(EntryChange::forget);
                assertThat(writer.insert(150)).containsExactly(true);
                for (long key = 101; key <= 103; key++) {
                    assertThat(writer.client.contains(new long[] {key})).isFalse();
                }
                fixture.check();
            }
        }
    }

    @Test
    void anyKeysThatComeTogetherAreThere() {
        SplittableRandom random = Seeds.random();
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = fixture(fabric)) {
                Writer writer = new Writer(fixture, fixture.connect());
                Set<Long> model = new HashSet<>();
                for (int round = 0; round < 2000; round++) {
                    int range = random.nextInt(1, 300);
                    long from = random.nextInt(3000);
                    long[] keys = random.longs(random.nextInt(1, 7), from, from + range).toArray();
                    boolean[] isRemoval = new boolean[keys.length];
                    Arrays.fill(isRemoval, random.nextInt(3) == 0);
                    List<Boolean> changed = writer.change(isRemoval, keys);
                    Set<Long> both = Arrays.stream(keys).boxed().collect(Collectors.toSet());
                    long expected =
                            both.stream()
                                    .filter(key -> model.contains(key) == isRemoval[0])
                                    .count();
                    assertThat(changed.stream().filter(is -> is).count()).isEqualTo(expected);
                    boolean _ = isRemoval[0] ? model.removeAll(both) : model.addAll(both);
                }
                fixture.check();
                for (long key = 0; key < 3300; key++) {
                    assertThat(writer.client.contains(new long[] {key}))
                            .isEqualTo(model.contains(key));
                }
            }
        }
    }

    /// A verb that throws has done nothing, and has no view that could be read.
    @Test
    void aCasThatCanNotBePostedLeavesNothingLatched() {
        try (TreeFixture fixture = fixture(Fabrics.IN_PLACE)) {
            FailingCas queuePair = new FailingCas(fixture.connect());
            Writer writer = new Writer(fixture, queuePair);
            for (int posted = 0; posted < 3; posted++) {
                queuePair.left = posted;
                long first = 10L * posted;
                assertThatThrownBy(() -> writer.insert(first, first + 1, first + 2))
                        .isInstanceOf(FabricException.class);
                queuePair.left = Integer.MAX_VALUE;
                writer.insert(first, first + 1, first + 2); // none waits for a latch
                assertThat(writer.insert(first, first + 1, first + 2)).containsOnly(false);
                queuePair.left = posted;
                assertThatThrownBy(() -> writer.remove(first, first + 1, first + 2))
                        .isInstanceOf(FabricException.class);
                queuePair.left = Integer.MAX_VALUE;
                writer.remove(first, first + 1, first + 2);
                assertThat(writer.remove(first, first + 1, first + 2)).containsOnly(false);
            }
            fixture.check();
        }
    }

    /// Posts some more CAS, and then none.
    private static final class FailingCas extends ForwardingQueuePair {
        private int left = Integer.MAX_VALUE;

        FailingCas(QueuePair actual) {
            super(actual);
        }

        @Override
        protected long postCompareAndSwap(long address, long expected, long desired) {
            if (left-- == 0) {
                throw new FabricException(FabricException.Kind.SYSTEM, "no more CAS");
            }
            return actual.compareAndSwap(address, expected, desired);
        }
    }

    /// Leaves are split, and the root with them, by some of a batch while others are under way.
    @Test
    void anInsertIntoAFullLeafIsDoneAlone() {
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = fixture(fabric)) {
                Writer writer = new Writer(fixture, fixture.connect());
                for (long key = 0; key < 4000; key += 8) {
                    assertThat(
                                    writer.insert(
                                            key, key + 1, key + 2, key + 3, key + 4, key + 5,
                                            key + 6, key + 7))
                            .containsOnly(true);
                }
                fixture.check();
                for (long key = 0; key < 4000; key++) {
                    assertThat(writer.client.contains(new long[] {key})).as("%d", key).isTrue();
                }
            }
        }
    }

    /// Leaves that get empty are taken out, while others of the batch are under way.
    @Test
    void emptyNodesAreRemoved() {
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = fixture(fabric)) {
                Writer writer = new Writer(fixture, fixture.connect());
                for (long key = 0; key < 4000; key++) {
                    writer.client.insert(new long[] {key});
                }
                int height = fixture.check().height();
                for (long key = 0; key < 1000; key++) {
                    assertThat(writer.remove(key, key + 1000, key + 2000, key + 3000))
                            .containsOnly(true);
                }
                fixture.check();
                TreeCursor cursor = writer.client.cursor();
                cursor.ascendFrom(new long[] {0});
                long before = writer.queuePair.counters().reads();
                assertThat(cursor.next()).isFalse();
                assertThat(writer.queuePair.counters().reads() - before)
                        .as("READs of nodes that are left")
                        .isLessThan(20);
                assertThat(height).isGreaterThan(2);
            }
        }
    }

    /// Every key was added by exactly one thread, and removed by exactly one.
    @Test
    void threadsThatMeetEachOtherLoseNothing() throws InterruptedException {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = fixture(fabric)) {
                AtomicIntegerArray balance = new AtomicIntegerArray(KEYS);
                List<Throwable> failures = new ArrayList<>();
                List<Thread> threads = new ArrayList<>();
                for (int t = 0; t < THREADS; t++) {
                    SplittableRandom random = new SplittableRandom(seed + t);
                    Writer writer = new Writer(fixture, restless(fixture, random));
                    threads.add(
                            Thread.ofPlatform()
                                    .start(() -> changeSome(writer, random, balance, failures)));
                }
                for (Thread thread : threads) {
                    thread.join();
                }
                assertThat(failures).isEmpty();
                fixture.check();
                TreeClient reader = fixture.client();
                TreeCursor cursor = reader.cursor();
                cursor.ascendFrom(new long[] {0});
                while (cursor.next()) {
                    balance.decrementAndGet((int) cursor.word(0));
                }
                for (int key = 0; key < KEYS; key++) {
                    assertThat(balance.get(key)).as("%d", key).isZero();
                }
            }
        }
    }

    private static QueuePair restless(TreeFixture fixture, SplittableRandom random) {
        return new PausingQueuePair(
                fixture.connect(),
                () -> {
                    if (random.nextInt(20) == 0) {
                        Thread.yield();
                    }
                });
    }

    /// Counts, for each key, how often it was added more than it was removed.
    private static void changeSome(
            Writer writer,
            SplittableRandom random,
            AtomicIntegerArray balance,
            List<Throwable> failures) {
        try {
            for (int i = 0; i < BATCHES; i++) {
                long[] keys = random.longs(6, 0, KEYS).toArray();
                boolean[] isRemoval = new boolean[keys.length];
                for (int k = 0; k < keys.length; k++) {
                    isRemoval[k] = random.nextInt(5) < 2;
                }
                List<Boolean> results = writer.change(isRemoval, keys);
                for (int k = 0; k < keys.length; k++) {
                    if (results.get(k)) {
                        balance.addAndGet((int) keys[k], isRemoval[k] ? -1 : 1);
                    }
                }
            }
        } catch (Throwable e) {
            synchronized (failures) {
                failures.add(e);
            }
        }
    }

    /// A copy of the root is so old that it has the first leaves only: the descent does not go leaf
    /// by leaf, which would land over the views of the caller.
    @Test
    void anOldCopyOfAnInnerNodeCostsNoLongWay() {
        ShmFabric landing = new ShmFabric(new ShmFabric.Options(false, 32 << 10, null));
        try (TreeFixture fixture = new TreeFixture(landing, 2, new NodeLayout(1, 512))) {
            Writer idle = new Writer(fixture, fixture.connect());
            TreeClient busy = fixture.client();
            for (long key = 0; key < 100; key++) {
                busy.insert(new long[] {key});
            }
            idle.client.insert(new long[] {100});
            for (long key = 101; key < 20_000; key++) {
                busy.insert(new long[] {key});
            }
            long callers = idle.queuePair.read(fixture.tree().anchor(), 8);
            idle.queuePair.await();
            long root = LocalMemory.longAt(callers);
            long before = idle.queuePair.counters().roundTrips();
            assertThat(idle.insert(30_000)).containsExactly(true);
            assertThat(idle.queuePair.counters().roundTrips() - before).isLessThan(20);
            assertThat(LocalMemory.longAt(callers)).as("the caller's view").isEqualTo(root);
            fixture.check();
        }
    }

    /// One insert has latched its leaf, and another one can't post: the leaf is unlatched.
    @Test
    void aFailureLeavesNoLeafLatched() {
        try (TreeFixture fixture = fixture(Fabrics.IN_PLACE)) {
            Writer other = new Writer(fixture, fixture.connect());
            for (long key = 0; key < 2000; key++) {
                other.client.insert(new long[] {7 * key % 2000 * 10});
            }
            boolean[] fails = {false};
            int[] left = {0};
            Runnable failing =
                    () -> {
                        if (fails[0] && left[0]-- == 0) {
                            throw new FabricException(FabricException.Kind.PEER_GONE, "planted");
                        }
                    };
            Writer failed = new Writer(fixture, new PausingQueuePair(fixture.connect(), failing));
            int failures = 0;
            for (int stop = 0; stop < 60; stop++) {
                failed.prepare(5 + 10L * stop, 5005 + 10L * stop, 10005 + 10L * stop);
                left[0] = stop;
                fails[0] = true;
                try {
                    failed.batch.run();
                } catch (FabricException e) {
                    failures++;
                }
                fails[0] = false;
                failed.queuePair.await();
                // The next session does not wait.
                other.insert(5 + 10L * stop, 5005 + 10L * stop, 10005 + 10L * stop);
                failures += remove(failed, stop, left, fails) ? 0 : 1;
                other.remove(5 + 10L * stop, 5005 + 10L * stop, 10005 + 10L * stop);
            }
            assertThat(failures).isPositive();
            fixture.check();
        }
    }

    private static boolean remove(Writer writer, int stop, int[] left, boolean[] fails) {
        boolean[] isRemoval = {true, true, true};
        writer.prepare(isRemoval, 5 + 10L * stop, 5005 + 10L * stop, 10005 + 10L * stop);
        left[0] = stop;
        fails[0] = true;
        try {
            writer.batch.run();
            return true;
        } catch (FabricException e) {
            return false;
        } finally {
            fails[0] = false;
            writer.queuePair.await();
        }
    }
}

package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.coarse.TreeRequest.Operation;
import org.namdb.mvcc.coarse.TreeRequest.Outcome;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.index.EntryRun;
import org.namdb.mvcc.index.OrderedCursor;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.tree.RequestedTreeTest.Servers;
import org.namdb.timestamp.snapshot.Snapshot;

/// What operations on ordered indexes cost, by how they are distributed: the table in
/// docs/performance.md.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class IndexCostTest {
    private static final NodeLayout NODES = new NodeLayout(2, 1024);
    private static final long REGION_BYTES = 16L << 20;
    private static final int ENTRIES = 3000;

    /// An index of even numbers, in full leaves, and a client that has come through all of it.
    private static final class Filled implements AutoCloseable {
        final Servers servers =
                new Servers(
                        new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false)),
                        REGION_BYTES,
                        false);
        final QueuePair queuePair = servers.queuePair;
        final List<BLinkTree> trees;
        final OrderedIndex index;
        final OrderedCursor cursor;

        Filled(Distribution distribution) {
            List<Integer> numbers = IntStream.range(0, RequestedTreeTest.SERVERS).boxed().toList();
            trees = distribution.create(queuePair, servers.allocator, NODES, numbers);
            index = distribution.open(trees, queuePair, servers.allocator, TreeFixture.owner(9));
            for (long i = 0; i < ENTRIES; i++) {
                assertThat(insert(2 * i)).isTrue();
            }
            cursor = index.cursor();
            requireAll(cursor, ENTRIES);
        }

        boolean insert(long value) {
            return index.insert(key(value), Snapshot.EVERYTHING);
        }

        long roundTrips(Runnable work) {
            long before = queuePair.counters().roundTrips();
            work.run();
            return queuePair.counters().roundTrips() - before;
        }

        long bytes(Runnable work) {
            long before = queuePair.counters().bytes();
            work.run();
            return queuePair.counters().bytes() - before;
        }

        boolean lookUp(long value) {
            if (index instanceof TreeClient client) {
                return client.contains(key(value));
            }
            servers.batch.clear();
            int found =
                    servers.batch.add(
                            Operation.LOOK_UP,
                            trees.getFirst().anchor(),
                            key(value),
                            0,
                            key(value));
            servers.run();
            return servers.batch.outcome(found) == Outcome.YES;
        }

        @Override
        public void close() {
            servers.close();
        }
    }

    private static long[] key(long value) {
        return new long[] {7, value};
    }

    private static void requireAll(OrderedCursor cursor, int entries) {
        cursor.ascendFrom(key(0));
        cursor.expect(entries, key(2L * (entries - 1)));
        for (long i = 0; i < entries; i++) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.word(1)).isEqualTo(2 * i);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLookUp(Distribution distribution) {
        try (Filled filled = new Filled(distribution)) {
            boolean _ = filled.lookUp(1000);
            assertThat(filled.roundTrips(() -> filled.lookUp(1000)))
                    .isEqualTo(distribution.isHybrid() ? 2 : 1);
            assertThat(filled.bytes(() -> filled.lookUp(1000)))
                    .isEqualTo(
                            switch (distribution) {
                                case FINE -> 1040;
                                case COARSE, COARSE_BY_RANGE -> 48 + 16;
                                case HYBRID, HYBRID_BY_RANGE -> 80 + 40 + 1040;
                            });
        }
    }

    /// A hundred million entries in full leaves and a cache of 128 MB, both a thousand times
    /// smaller: there are as many inner nodes for each place in the cache.
    @Test
    void aWarmLookUpInAHundredMillionEntriesIsOneRoundTrip() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        int entries = 100_000;
        try (Servers servers =
                new Servers(
                        new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false)),
                        REGION_BYTES,
                        false)) {
            List<Integer> numbers = IntStream.range(0, RequestedTreeTest.SERVERS).boxed().toList();
            BLinkTree made =
                    BLinkTree.create(servers.queuePair, servers.allocator, 0, NODES, numbers);
            BLinkTree tree = new BLinkTree(made.anchor(), NODES, numbers, 128 << 10);
            TreeClient client =
                    new TreeClient(
                            servers.queuePair, servers.allocator, tree, TreeFixture.owner(9));
            for (long i = 0; i < entries; i++) {
                assertThat(client.insert(key(i))).isTrue();
            }
            long before = 0;
            int lookUps = 5_000;
            for (int i = 0; i < 2 * lookUps; i++) {
                if (i == lookUps) { // warm
                    before = servers.queuePair.counters().roundTrips();
                }
                assertThat(client.contains(key(random.nextLong(entries)))).isTrue();
            }
            double mean = (double) (servers.queuePair.counters().roundTrips() - before) / lookUps;
            assertThat(mean).isBetween(1.0, 1.05);
        }
    }

    /// The way to the first leaf, through a root and an inner node, and a link to each of the other
    /// sixteen.
    @Test
    void withoutCopiesOfInnerNodesARangeFollowsTheLinks() {
        try (Filled filled = new Filled(Distribution.FINE)) {
            BLinkTree made = filled.trees.getFirst();
            BLinkTree tree = new BLinkTree(made.anchor(), NODES, made.servers(), 0);
            OrderedCursor cursor =
                    new TreeClient(
                                    filled.queuePair,
                                    filled.servers.allocator,
                                    tree,
                                    TreeFixture.owner(9))
                            .cursor();
            requireAll(cursor, 1);
            assertThat(filled.roundTrips(() -> requireAll(cursor, 1000))).isEqualTo(3 + 16);
        }
    }

    @ParameterizedTest
    @EnumSource
    void changes(Distribution distribution) {
        try (Filled filled = new Filled(distribution)) {
            int alone =
                    switch (distribution) {
                        case FINE -> 3;
                        case COARSE, COARSE_BY_RANGE -> 1;
                        case HYBRID, HYBRID_BY_RANGE -> 4;
                    };
            assertThat(filled.roundTrips(() -> filled.index.remove(key(2000)))).isEqualTo(alone);
            assertThat(filled.roundTrips(() -> filled.insert(2000))).isEqualTo(alone);
            ChangeBatch batch = new ChangeBatch(filled.queuePair);
            for (int i = 0; i < ChangeBatch.MAX_CHANGES; i++) {
                EntryChange change = filled.index.removal();
                change.prepare(key(100L * i), Snapshot.EVERYTHING);
                assertThat(batch.hasCapacityFor(change)).isTrue();
                batch.add(change);
            }
            assertThat(
                            filled.roundTrips(() -> {
                                batch.run();
                                filled.queuePair.await();
                            }))
                    .isEqualTo(alone);
            for (int i = 0; i < ChangeBatch.MAX_CHANGES; i++) {
                assertThat(batch.finish(i)).isTrue();
            }
            for (long value = 3001; value > 2001; value -= 200) {
                assertThat(filled.insert(value)).isTrue(); // splits the leaf's parent, too
            }
            assertThat(filled.roundTrips(() -> filled.insert(2001)))
                    .as("an insert that splits a leaf")
                    .isEqualTo(
                            switch (distribution) {
                                case FINE -> 9;
                                case COARSE, COARSE_BY_RANGE -> 1;
                                case HYBRID, HYBRID_BY_RANGE -> 7;
                            });
        }
    }

    /// READ of the leaf, memory, its latch, the new leaves, the link to them; then READ, latch and
    /// change of their parent. Where that is split, it needs the same as the leaf.
    @Test
    void aThousandInsertsTogether() {
        try (Filled filled = new Filled(Distribution.FINE)) {
            for (long from = 2L * ENTRIES; from < 2L * ENTRIES + 10_000; from += 1000) {
                EntryRun run = new EntryRun(2);
                for (long value = from; value < from + 1000; value++) {
                    run.add(key(value), 0);
                }
                assertThat(
                                filled.roundTrips(() -> {
                                    filled.index.insertRun(run, Snapshot.EVERYTHING);
                                    filled.queuePair.await();
                                }))
                        .isBetween(8L, 13L);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRange(Distribution distribution) {
        try (Filled filled = new Filled(distribution)) {
            assertThat(filled.roundTrips(() -> requireAll(filled.cursor, 1000)))
                    .isEqualTo(distribution.isHybrid() ? 2 : 1);
        }
    }

    /// A cursor of a hybrid index is posted twice: for the leaves' addresses, and for the leaves.
    @ParameterizedTest
    @EnumSource
    void aRangeBesideOthers(Distribution distribution) {
        try (Filled filled = new Filled(distribution)) {
            OrderedCursor cursor = filled.cursor;
            for (boolean isAscending : new boolean[] {true, false}) {
                if (isAscending) {
                    cursor.ascendFrom(key(1000));
                } else {
                    cursor.descendFrom(key(2998));
                }
                cursor.expect(1000, key(isAscending ? 2998 : 1000));
                for (int await = distribution.isHybrid() ? 2 : 1; await > 0; await--) {
                    assertThat(cursor.isNextHere()).isFalse();
                    assertThat(cursor.post()).isTrue();
                    filled.queuePair.await();
                    assertThat(cursor.land()).isTrue();
                }
                assertThat(
                                filled.roundTrips(() -> {
                                    for (int i = 0; i < 1000; i++) {
                                        assertThat(cursor.next()).isTrue();
                                    }
                                }))
                        .isZero();
                assertThat(cursor.word(1)).isEqualTo(isAscending ? 2998 : 1000);
            }
        }
    }
}

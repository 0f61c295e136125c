package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.Threads;
import org.namdb.fabric.VerbCounters;
import org.namdb.mvcc.coarse.CoarseIndex;
import org.namdb.mvcc.coarse.Partitions;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.index.OrderedCursor;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.tree.RequestedTreeTest.Servers;
import org.namdb.timestamp.snapshot.Snapshot;

/// What an ordered index costs whose entries are divided by hash or by ranges, and what it does
/// when a worker leaves something to it.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CoarseIndexTest {
    private static OrderedIndex open(Servers servers, QueuePair queuePair) {
        return open(servers.trees, servers, queuePair);
    }

    private static OrderedIndex open(List<BLinkTree> trees, Servers servers, QueuePair queuePair) {
        return new CoarseIndex(
                queuePair, servers.allocator, Partitions.byHash(trees), TreeFixture.owner(9));
    }

    private static List<List<Long>> rest(OrderedCursor cursor, int most) {
        List<List<Long>> found = new ArrayList<>();
        while (found.size() < most && cursor.next()) {
            found.add(List.of(cursor.word(0), cursor.word(1)));
        }
        return found;
    }

    @Test
    void aRangeAsksAllServersAtOnce() {
        try (Servers servers =
                new Servers(
                        RequestedTreeTest.Provider.LANDING.open(),
                        RequestedTreeTest.REGION_BYTES,
                        false)) {
            OrderedIndex index = open(servers, servers.queuePair);
            for (long i = 0; i < 3000; i++) {
                assertThat(index.insert(new long[] {1, i}, Snapshot.EVERYTHING)).isTrue();
            }
            OrderedCursor cursor = index.cursor();
            long before = servers.queuePair.counters().roundTrips();
            cursor.ascendFrom(new long[] {1, 500});
            cursor.expect(1000, new long[] {1, 1499});
            assertThat(rest(cursor, Integer.MAX_VALUE)).hasSize(1000);
            assertThat(servers.queuePair.counters().roundTrips()).isEqualTo(before + 1);
            cursor.ascendFrom(new long[] {1, 77});
            assertThat(cursor.isNextHere()).isFalse();
            assertThat(cursor.post()).isTrue();
            long word = servers.queuePair.read(servers.anchor(0), 8);
            servers.queuePair.await();
            assertThat(cursor.land()).isTrue();
            assertThat(LocalMemory.longAt(word)).isNotZero();
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.word(1)).isEqualTo(77);
            assertThat(servers.queuePair.counters().roundTrips()).isEqualTo(before + 2);
        }
    }

    /// Four ranges: up to 500, 1,500 and 1,501, and the rest.
    private static OrderedIndex openByRange(List<BLinkTree> trees, Servers servers) {
        Partitions parts =
                Distribution.byRange(
                        trees, new long[] {1, 500}, new long[] {1, 1500}, new long[] {1, 1501});
        return new CoarseIndex(servers.queuePair, servers.allocator, parts, TreeFixture.owner(9));
    }

    private static List<BLinkTree> fourTrees(Servers servers) {
        List<BLinkTree> trees = new ArrayList<>(servers.trees);
        trees.addAll(servers.moreTrees());
        return trees;
    }

    @Test
    void aRangeAsksOnlyThePartsThatItTouchesOneAfterTheOther() {
        try (Servers servers =
                new Servers(
                        RequestedTreeTest.Provider.LANDING.open(),
                        RequestedTreeTest.REGION_BYTES,
                        false)) {
            OrderedIndex index = openByRange(fourTrees(servers), servers);
            for (long i = 0; i < 3000; i++) {
                assertThat(index.insert(new long[] {1, i}, Snapshot.EVERYTHING)).isTrue();
            }
            OrderedCursor cursor = index.cursor();
            assertThat(requests(servers, cursor, 500, 1499)).isEqualTo(1);
            assertThat(requests(servers, cursor, 499, 1499)).isEqualTo(2);
            assertThat(requests(servers, cursor, 400, 1510)).isEqualTo(4);
            assertThat(requests(servers, cursor, 1500, 1500)).isEqualTo(1);
            assertThat(requests(servers, cursor, 1502, 2000)).isEqualTo(1);
        }
    }

    /// Reads a range up and down.
    ///
    /// @return how many requests that takes, each with a round trip
    private static long requests(Servers servers, OrderedCursor cursor, long from, long to) {
        VerbCounters counters = servers.queuePair.counters();
        List<Long> found = new ArrayList<>();
        for (boolean isAscending : new boolean[] {true, false}) {
            long roundTrips = counters.roundTrips();
            long sends = counters.sends();
            List<Long> values = new ArrayList<>();
            start(cursor, isAscending, from, to);
            while (values.size() < to - from + 1 && cursor.next()) {
                values.add(cursor.word(1));
            }
            assertThat(values)
                    .isEqualTo(
                            LongStream.rangeClosed(from, to)
                                    .map(value -> isAscending ? value : from + to - value)
                                    .boxed()
                                    .toList());
            found.add(counters.sends() - sends);
            assertThat(counters.roundTrips() - roundTrips).isEqualTo(found.getLast());
        }
        assertThat(found.getFirst()).isEqualTo(found.getLast());
        return found.getFirst();
    }

    private static void start(OrderedCursor cursor, boolean isAscending, long from, long to) {
        if (isAscending) {
            cursor.ascendFrom(new long[] {1, from});
        } else {
            cursor.descendFrom(new long[] {1, to});
        }
        cursor.expect((int) (to - from + 1), new long[] {1, isAscending ? to : from});
    }

    /// A part may be empty, and a reader may want fewer or more entries than it has expected.
    @Test
    void rangesOverFourPartsAreThoseOfAModel() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (Servers servers =
                new Servers(
                        RequestedTreeTest.Provider.LANDING.open(),
                        RequestedTreeTest.REGION_BYTES,
                        false)) {
            OrderedIndex index = openByRange(fourTrees(servers), servers);
            OrderedCursor cursor = index.cursor();
            NavigableSet<Long> model = new TreeSet<>();
            for (int round = 0; round < 600; round++) {
                long value = random.nextLong(2500);
                assertThat(index.insert(new long[] {1, value}, Snapshot.EVERYTHING))
                        .isEqualTo(model.add(value));
                long from = random.nextLong(2600);
                long to = from + random.nextLong(2600 - from);
                boolean isAscending = random.nextBoolean();
                start(cursor, isAscending, from, to);
                cursor.expect(random.nextInt(1, 40), new long[] {1, isAscending ? to : from});
                if (random.nextBoolean() && cursor.post()) {
                    servers.queuePair.await();
                    boolean _ = cursor.land();
                }
                NavigableSet<Long> expected = model.subSet(from, true, to, true);
                List<Long> found = new ArrayList<>();
                while (cursor.next() && cursor.word(1) >= from && cursor.word(1) <= to) {
                    found.add(cursor.word(1));
                }
                assertThat(found)
                        .isEqualTo(List.copyOf(isAscending ? expected : expected.descendingSet()));
            }
        }
    }

    /// Cursors, and changes of several indexes, that are posted before one await.
    @Test
    void allThatIsAskedBeforeAnAwaitSharesRequests() {
        try (Servers servers =
                new Servers(
                        RequestedTreeTest.Provider.LANDING.open(),
                        RequestedTreeTest.REGION_BYTES,
                        false)) {
            OrderedIndex index = open(servers, servers.queuePair);
            OrderedIndex other = open(servers.moreTrees(), servers, servers.queuePair);
            for (long i = 0; i < 100; i++) {
                assertThat(index.insert(new long[] {1, i}, Snapshot.EVERYTHING)).isTrue();
                assertThat(other.insert(new long[] {2, i}, Snapshot.EVERYTHING)).isTrue();
            }
            OrderedCursor first = index.cursor();
            OrderedCursor second = other.cursor();
            first.ascendFrom(new long[] {1, 10});
            second.ascendFrom(new long[] {2, 20});
            VerbCounters counters = servers.queuePair.counters();
            long roundTrips = counters.roundTrips();
            long sends = counters.sends();
            assertThat(first.post()).isTrue();
            assertThat(second.post()).isTrue();
            servers.queuePair.await();
            assertThat(first.land()).isTrue();
            assertThat(second.land()).isTrue();
            assertThat(first.next()).isTrue();
            assertThat(first.word(1)).isEqualTo(10);
            assertThat(second.next()).isTrue();
            assertThat(second.word(1)).isEqualTo(20);
            assertThat(counters.roundTrips()).isEqualTo(roundTrips + 1);
            assertThat(counters.sends()).isEqualTo(sends + RequestedTreeTest.SERVERS);

            ChangeBatch batch = new ChangeBatch(servers.queuePair);
            for (int i = 0; i < ChangeBatch.MAX_CHANGES; i++) {
                EntryChange change = (i % 2 == 0 ? index : other).insertion();
                change.prepare(new long[] {3, i}, Snapshot.EVERYTHING);
                assertThat(batch.hasCapacityFor(change)).isTrue();
                batch.add(change);
            }
            batch.run();
            for (int i = 0; i < ChangeBatch.MAX_CHANGES; i++) {
                assertThat(batch.finish(i)).isTrue();
            }
            assertThat(counters.roundTrips()).isEqualTo(roundTrips + 2);
            assertThat(counters.sends()).isEqualTo(sends + 2 * RequestedTreeTest.SERVERS);
        }
    }

    /// What a cursor has posted may be awaited by the next operation; and what it wanted before it
    /// started again is not taken for what it wants now.
    @Test
    void whatACursorHasPostedIsItsOwn() {
        try (Servers servers =
                new Servers(
                        RequestedTreeTest.Provider.LANDING.open(),
                        RequestedTreeTest.REGION_BYTES,
                        false)) {
            OrderedIndex index = open(servers, servers.queuePair);
            for (long i = 0; i < 100; i++) {
                assertThat(index.insert(new long[] {1, i}, Snapshot.EVERYTHING)).isTrue();
            }
            OrderedCursor cursor = index.cursor();
            cursor.ascendFrom(new long[] {1, 10});
            assertThat(cursor.post()).isTrue();
            assertThat(index.insert(new long[] {1, 1000}, Snapshot.EVERYTHING)).isTrue();
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.word(1)).isEqualTo(10);
            cursor.ascendFrom(new long[] {1, 30});
            assertThat(cursor.post()).isTrue();
            cursor.ascendFrom(new long[] {1, 50});
            assertThat(index.insert(new long[] {1, 1001}, Snapshot.EVERYTHING)).isTrue();
            assertThat(rest(cursor, Integer.MAX_VALUE)).hasSize(52);
        }
    }

    /// A latched leaf is left to its client, which waits until the latch is released.
    @Test
    void operationsThatAWorkerDeclinesAreDoneByVerbs() throws Exception {
        try (Servers servers =
                new Servers(
                        RequestedTreeTest.Provider.IN_PLACE.open(),
                        RequestedTreeTest.REGION_BYTES,
                        false)) {
            OrderedIndex index = open(servers, servers.queuePair);
            for (long i = 0; i < 2000; i += 2) {
                assertThat(index.insert(new long[] {1, i}, Snapshot.EVERYTHING)).isTrue();
            }
            try (QueuePair others = servers.fabric.connect(servers.regions)) {
                List<NodeView> latched = new ArrayList<>();
                for (int server = 0; server < RequestedTreeTest.SERVERS; server++) {
                    BLinkTree tree = servers.trees.get(server);
                    Descent descent = new Descent(others, tree, TreeFixture.owner(5), null);
                    descent.seek(new long[] {1, 1000}, 0);
                    assertThat(descent.node().latch(5)).isTrue();
                    latched.add(descent.node());
                }
                Threads.run(
                        2,
                        thread -> {
                            if (thread == 0) {
                                Thread.sleep(50);
                                for (NodeView node : latched) {
                                    others.writeWord(node.address(), node.header());
                                }
                                others.await();
                                return;
                            }
                            OrderedCursor cursor = index.cursor();
                            cursor.ascendFrom(new long[] {1, 800});
                            cursor.expect(300, new long[] {1, 1198});
                            assertThat(rest(cursor, Integer.MAX_VALUE)).hasSize(200);
                            assertThat(index.insert(new long[] {1, 1001}, Snapshot.EVERYTHING))
                                    .isTrue();
                        });
            }
        }
    }
}

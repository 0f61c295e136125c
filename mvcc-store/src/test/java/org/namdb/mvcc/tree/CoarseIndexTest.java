package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.Threads;
import org.namdb.fabric.VerbCounters;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.coarse.CoarseIndex;
import org.namdb.mvcc.coarse.HashPartitions;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.index.OrderedCursor;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.tree.RequestedTreeTest.Servers;
import org.namdb.timestamp.snapshot.Snapshot;

/// An ordered index is a set in order, however its entries are distributed.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CoarseIndexTest {
    private static final long[] LOWEST = {0, 0};
    private static final long[] HIGHEST = {-1, -1};

    private static OrderedIndex open(Servers servers, QueuePair queuePair) {
        return open(servers.trees, servers, queuePair);
    }

    private static OrderedIndex open(List<BLinkTree> trees, Servers servers, QueuePair queuePair) {
        return new CoarseIndex(
                queuePair, servers.allocator, new HashPartitions(trees), TreeFixture.owner(9));
    }

    private static NavigableSet<List<Long>> sortedSet() {
        return new TreeSet<>((one, other) -> {
            int order = Long.compareUnsigned(one.get(0), other.get(0));
            return order != 0 ? order : Long.compareUnsigned(one.get(1), other.get(1));
        });
    }

    private static long[] key(SplittableRandom random) {
        return new long[] {random.nextLong(-3, 3), random.nextLong(300)};
    }

    private static List<Long> entry(long[] key) {
        return List.of(key[0], key[1]);
    }

    @ParameterizedTest
    @EnumSource(RequestedTreeTest.Provider.class)
    void itIsASetInOrder(RequestedTreeTest.Provider provider) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (Servers servers =
                new Servers(provider.open(), RequestedTreeTest.REGION_BYTES, false)) {
            OrderedIndex index = open(servers, servers.queuePair);
            OrderedCursor cursor = index.cursor();
            NavigableSet<List<Long>> model = sortedSet();
            for (int round = 0; round < 1500; round++) {
                long[] key = key(random);
                switch (random.nextInt(8)) {
                    case 0 -> {
                        index.remove(key);
                        model.remove(entry(key));
                    }
                    case 1 -> requireRange(cursor, model, random);
                    default ->
                            assertThat(index.insert(key, Snapshot.EVERYTHING))
                                    .isEqualTo(model.add(entry(key)));
                }
            }
            for (int round = 0; round < 100; round++) {
                requireRange(cursor, model, random);
            }
            cursor.ascendFrom(LOWEST);
            cursor.expect(model.size(), HIGHEST);
            assertThat(rest(cursor, Integer.MAX_VALUE)).isEqualTo(List.copyOf(model));
            cursor.descendFrom(HIGHEST);
            assertThat(rest(cursor, Integer.MAX_VALUE))
                    .isEqualTo(List.copyOf(model.descendingSet()));
            index.close();
        }
    }

    private static void requireRange(
            OrderedCursor cursor, NavigableSet<List<Long>> model, SplittableRandom random) {
        long[] from = key(random);
        long[] last = random.nextInt(5) == 0 ? from : key(random);
        boolean isAscending = random.nextBoolean();
        NavigableSet<List<Long>> ordered = isAscending ? model : model.descendingSet();
        List<List<Long>> expected = new ArrayList<>();
        for (List<Long> each : ordered.tailSet(entry(from), true)) {
            if (ordered.comparator().compare(each, entry(last)) <= 0) {
                expected.add(each);
            }
        }
        if (isAscending) {
            cursor.ascendFrom(from);
        } else {
            cursor.descendFrom(from);
        }
        cursor.expect(random.nextInt(1, 200), last);
        int some = random.nextInt(expected.size() + 1);
        List<List<Long>> found = rest(cursor, some);
        cursor.expect(random.nextInt(1, 20), last); // its reader has come to want other numbers
        found.addAll(rest(cursor, Integer.MAX_VALUE));
        assertThat(found).isEqualTo(expected);
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
            for (int i = 0; i < ChangeBatch.MOST; i++) {
                EntryChange change = (i % 2 == 0 ? index : other).insertion();
                change.prepare(new long[] {3, i}, Snapshot.EVERYTHING);
                assertThat(batch.hasRoomFor(change)).isTrue();
                batch.add(change);
            }
            batch.run();
            for (int i = 0; i < ChangeBatch.MOST; i++) {
                assertThat(batch.finish(i)).isTrue();
            }
            assertThat(counters.roundTrips()).isEqualTo(roundTrips + 2);
            assertThat(counters.sends()).isEqualTo(sends + 2 * RequestedTreeTest.SERVERS);
        }
    }

    /// What a cursor has posted may be awaited by whoever comes next; and what it wanted before it
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

    @ParameterizedTest
    @EnumSource(RequestedTreeTest.Provider.class)
    void changesGoTogether(RequestedTreeTest.Provider provider) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (Servers servers =
                new Servers(provider.open(), RequestedTreeTest.REGION_BYTES, false)) {
            OrderedIndex one = open(servers, servers.queuePair);
            List<EntryChange> insertions = new ArrayList<>();
            List<EntryChange> removals = new ArrayList<>();
            for (int i = 0; i < ChangeBatch.MOST; i++) {
                insertions.add(one.insertion());
                removals.add(one.removal());
            }
            ChangeBatch batch = new ChangeBatch(servers.queuePair);
            NavigableSet<List<Long>> model = sortedSet();
            for (int round = 0; round < 200; round++) {
                List<Boolean> expected = new ArrayList<>();
                batch.clear();
                for (int i = random.nextInt(1, ChangeBatch.MOST); i > 0; i--) {
                    long[] key = key(random);
                    boolean isInsert = random.nextInt(3) > 0;
                    EntryChange change = (isInsert ? insertions : removals).get(i);
                    change.prepare(key, Snapshot.EVERYTHING);
                    batch.add(change);
                    expected.add(isInsert ? model.add(entry(key)) : model.remove(entry(key)));
                }
                if (random.nextBoolean()) {
                    batch.postAhead();
                    servers.queuePair.await();
                }
                long before = servers.queuePair.counters().roundTrips();
                batch.run();
                assertThat(servers.queuePair.counters().roundTrips()).isEqualTo(before + 1);
                for (int i = 0; i < expected.size(); i++) {
                    assertThat(batch.finish(i)).isEqualTo(expected.get(i));
                }
            }
            OrderedCursor cursor = one.cursor();
            cursor.ascendFrom(LOWEST);
            assertThat(rest(cursor, Integer.MAX_VALUE)).isEqualTo(List.copyOf(model));
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
                    Descent descent = new Descent(others, tree, TreeFixture.owner(5));
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

    @ParameterizedTest
    @EnumSource(RequestedTreeTest.Provider.class)
    void threadsChangeItTogether(RequestedTreeTest.Provider provider) throws Exception {
        long seed = Seeds.next();
        try (Servers servers =
                new Servers(provider.open(), RequestedTreeTest.REGION_BYTES, false)) {
            ConcurrentLinkedQueue<List<Long>> left = new ConcurrentLinkedQueue<>();
            Threads.run(
                    4,
                    thread -> {
                        SplittableRandom random = new SplittableRandom(seed + thread);
                        try (QueuePair queuePair = servers.fabric.connect(servers.regions)) {
                            OrderedIndex index = open(servers, queuePair);
                            left.addAll(changeOwn(index, random, thread));
                            index.close();
                        }
                    });
            NavigableSet<List<Long>> all = sortedSet();
            all.addAll(left);
            OrderedCursor cursor = open(servers, servers.queuePair).cursor();
            cursor.ascendFrom(LOWEST);
            assertThat(rest(cursor, Integer.MAX_VALUE)).isEqualTo(List.copyOf(all));
        }
    }

    /// A thread sees its own entries, each once, whatever others do.
    private static NavigableSet<List<Long>> changeOwn(
            OrderedIndex index, SplittableRandom random, int thread) {
        NavigableSet<List<Long>> own = sortedSet();
        OrderedCursor cursor = index.cursor();
        for (int round = 0; round < 500; round++) {
            long[] key = {random.nextLong(50), 4 * random.nextLong(20) + thread};
            if (random.nextInt(3) > 0) {
                assertThat(index.insert(key, Snapshot.EVERYTHING)).isEqualTo(own.add(entry(key)));
            } else {
                index.remove(key);
                own.remove(entry(key));
            }
            if (round % 50 == 0) {
                cursor.ascendFrom(LOWEST);
                cursor.expect(random.nextInt(1, 1000), HIGHEST);
                List<List<Long>> found = rest(cursor, Integer.MAX_VALUE);
                found.removeIf(each -> each.get(1) % 4 != thread);
                assertThat(found).isEqualTo(List.copyOf(own));
            }
        }
        return own;
    }

    @Test
    void fullMemoryIsReported() {
        try (Servers servers =
                new Servers(RequestedTreeTest.Provider.LANDING.open(), 32 << 10, false)) {
            OrderedIndex index = open(servers, servers.queuePair);
            List<List<Long>> added = new ArrayList<>();
            assertThatExceptionOfType(MemoryFullException.class)
                    .isThrownBy(() -> {
                        for (long i = 0; i < 100_000; i++) {
                            long[] key = {0, i};
                            assertThat(index.insert(key, Snapshot.EVERYTHING)).isTrue();
                            added.add(entry(key));
                        }
                    })
                    .withMessageContaining("is full");
            OrderedCursor cursor = index.cursor();
            cursor.ascendFrom(LOWEST);
            assertThat(rest(cursor, Integer.MAX_VALUE)).isEqualTo(added);
        }
    }
}

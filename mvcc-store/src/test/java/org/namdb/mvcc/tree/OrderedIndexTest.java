package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.Threads;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.index.OrderedCursor;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.tree.RequestedTreeTest.Servers;
import org.namdb.timestamp.snapshot.Snapshot;

/// An ordered index is a set in order, however its entries are distributed.
///
/// `-Dnamdb.rounds=N`: N random changes in place of 500, and fewer where there are threads.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OrderedIndexTest {
    private static final long[] LOWEST = {0, 0};
    private static final long[] HIGHEST = {-1, -1};
    private static final NodeLayout SMALL = new NodeLayout(2, 256);
    private static final int ROUNDS = Integer.getInteger("namdb.rounds", 500);

    private static Stream<Arguments> all() {
        return Arrays.stream(RequestedTreeTest.Provider.values())
                .flatMap(provider ->
                        Arrays.stream(Distribution.values())
                                .map(distribution -> Arguments.of(provider, distribution)));
    }

    private static List<BLinkTree> create(Distribution distribution, Servers servers) {
        List<Integer> numbers = IntStream.range(0, RequestedTreeTest.SERVERS).boxed().toList();
        return distribution.create(servers.queuePair, servers.allocator, SMALL, numbers);
    }

    private static OrderedIndex open(
            Distribution distribution,
            List<BLinkTree> trees,
            Servers servers,
            QueuePair queuePair) {
        return distribution.open(trees, queuePair, servers.allocator, TreeFixture.owner(9));
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
    @MethodSource("all")
    void itIsASetInOrder(RequestedTreeTest.Provider provider, Distribution distribution) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (Servers servers =
                new Servers(provider.open(), RequestedTreeTest.REGION_BYTES, false)) {
            List<BLinkTree> trees = create(distribution, servers);
            OrderedIndex index = open(distribution, trees, servers, servers.queuePair);
            OrderedCursor cursor = index.cursor();
            NavigableSet<List<Long>> model = sortedSet();
            for (int round = 0; round < ROUNDS; round++) {
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
            for (int round = 0; round < ROUNDS / 10; round++) {
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
        while (cursor.next()) {
            List<Long> next = List.of(cursor.word(0), cursor.word(1));
            if (ordered.comparator().compare(next, entry(last)) > 0) {
                break; // a cursor may know what is behind
            }
            found.add(next);
        }
        assertThat(found).isEqualTo(expected);
    }

    private static List<List<Long>> rest(OrderedCursor cursor, int most) {
        List<List<Long>> found = new ArrayList<>();
        while (found.size() < most && cursor.next()) {
            found.add(List.of(cursor.word(0), cursor.word(1)));
        }
        return found;
    }

    @ParameterizedTest
    @MethodSource("all")
    void changesGoTogether(RequestedTreeTest.Provider provider, Distribution distribution) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (Servers servers =
                new Servers(provider.open(), RequestedTreeTest.REGION_BYTES, false)) {
            List<BLinkTree> trees = create(distribution, servers);
            OrderedIndex one = open(distribution, trees, servers, servers.queuePair);
            List<EntryChange> insertions = new ArrayList<>();
            List<EntryChange> removals = new ArrayList<>();
            for (int i = 0; i < ChangeBatch.MAX_CHANGES; i++) {
                insertions.add(one.insertion());
                removals.add(one.removal());
            }
            ChangeBatch batch = new ChangeBatch(servers.queuePair);
            NavigableSet<List<Long>> model = sortedSet();
            for (int round = 0; round < ROUNDS / 6; round++) {
                List<Boolean> expected = new ArrayList<>();
                batch.clear();
                NavigableSet<List<Long>> used = sortedSet(); // in which order they are done is open
                for (int i = random.nextInt(1, ChangeBatch.MAX_CHANGES); i > 0; i--) {
                    long[] key = key(random);
                    if (used.add(entry(key))) {
                        boolean isInsert = random.nextInt(3) > 0;
                        EntryChange change = (isInsert ? insertions : removals).get(i);
                        change.prepare(key, Snapshot.EVERYTHING);
                        batch.add(change);
                        expected.add(isInsert ? model.add(entry(key)) : model.remove(entry(key)));
                    }
                }
                if (random.nextBoolean()) {
                    batch.postAhead();
                    servers.queuePair.await();
                }
                long before = servers.queuePair.counters().roundTrips();
                batch.run();
                if (distribution.isCoarse()) {
                    assertThat(servers.queuePair.counters().roundTrips()).isEqualTo(before + 1);
                }
                for (int i = 0; i < expected.size(); i++) {
                    assertThat(batch.finish(i)).isEqualTo(expected.get(i));
                }
            }
            OrderedCursor cursor = one.cursor();
            cursor.ascendFrom(LOWEST);
            assertThat(rest(cursor, Integer.MAX_VALUE)).isEqualTo(List.copyOf(model));
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void threadsChangeItTogether(RequestedTreeTest.Provider provider, Distribution distribution)
            throws Exception {
        long seed = Seeds.next();
        try (Servers servers =
                new Servers(provider.open(), RequestedTreeTest.REGION_BYTES, false)) {
            List<BLinkTree> trees = create(distribution, servers);
            ConcurrentLinkedQueue<List<Long>> left = new ConcurrentLinkedQueue<>();
            Threads.run(
                    4,
                    thread -> {
                        SplittableRandom random = new SplittableRandom(seed + thread);
                        try (QueuePair queuePair = servers.fabric.connect(servers.regions)) {
                            OrderedIndex index = open(distribution, trees, servers, queuePair);
                            left.addAll(changeOwn(index, random, thread));
                            index.close();
                        }
                    });
            NavigableSet<List<Long>> all = sortedSet();
            all.addAll(left);
            OrderedCursor cursor = open(distribution, trees, servers, servers.queuePair).cursor();
            cursor.ascendFrom(LOWEST);
            assertThat(rest(cursor, Integer.MAX_VALUE)).isEqualTo(List.copyOf(all));
        }
    }

    /// A thread sees its own entries, each once, whatever others do.
    private static NavigableSet<List<Long>> changeOwn(
            OrderedIndex index, SplittableRandom random, int thread) {
        NavigableSet<List<Long>> own = sortedSet();
        OrderedCursor cursor = index.cursor();
        for (int round = 0; round < ROUNDS / 3; round++) {
            long[] key = {random.nextLong(50), 4 * random.nextLong(20) + thread};
            if (random.nextInt(3) > 0) {
                assertThat(index.insert(key, Snapshot.EVERYTHING)).isEqualTo(own.add(entry(key)));
            } else {
                index.remove(key);
                own.remove(entry(key));
            }
            if (round % 25 == 0) {
                cursor.ascendFrom(LOWEST);
                cursor.expect(random.nextInt(1, 1000), HIGHEST);
                List<List<Long>> found = rest(cursor, Integer.MAX_VALUE);
                found.removeIf(each -> each.get(1) % 4 != thread);
                assertThat(found).isEqualTo(List.copyOf(own));
            }
        }
        return own;
    }

    @ParameterizedTest
    @EnumSource(Distribution.class)
    void memoryThatIsFullIsSaidSo(Distribution distribution) {
        try (Servers servers =
                new Servers(RequestedTreeTest.Provider.LANDING.open(), 32 << 10, false)) {
            List<BLinkTree> trees = create(distribution, servers);
            OrderedIndex index = open(distribution, trees, servers, servers.queuePair);
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

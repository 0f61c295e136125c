package org.namdb.mvcc.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.coarse.CoarseIndex;
import org.namdb.mvcc.coarse.Partitions;
import org.namdb.mvcc.index.OrderedCursor;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.tree.RequestedTreeTest.Servers;
import org.namdb.timestamp.snapshot.Snapshot;

/// An ordered index whose leaves are reached by verbs, and found by requests: separators are no
/// more than hints.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HybridIndexTest {
    private static final NodeLayout LEAVES = new NodeLayout(2, 1024);
    private static final long REGION_BYTES = 16L << 20;

    private final Servers servers =
            new Servers(
                    new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false)),
                    REGION_BYTES,
                    false);
    private final QueuePair queuePair = servers.queuePair;
    private final BumpAllocator allocator = servers.allocator;
    private final List<BLinkTree> trees =
            Distribution.HYBRID.create(
                    queuePair,
                    allocator,
                    LEAVES,
                    IntStream.range(0, RequestedTreeTest.SERVERS).boxed().toList());
    private final OrderedIndex index =
            Distribution.HYBRID.open(trees, queuePair, allocator, TreeFixture.owner(9));
    private final OrderedIndex separators =
            new CoarseIndex(
                    queuePair,
                    allocator,
                    Partitions.byHash(List.of(trees.getLast())),
                    TreeFixture.owner(9));

    /// In ascending order, so that leaves are full.
    private void fill(int entries) {
        for (long i = 0; i < entries; i++) {
            assertThat(index.insert(key(2 * i), Snapshot.EVERYTHING)).isTrue();
        }
    }

    private static long[] key(long value) {
        return new long[] {7, value};
    }

    private boolean contains(long value) {
        return ((TreeClient) index).contains(key(value));
    }

    private long roundTrips(Runnable work) {
        long before = queuePair.counters().roundTrips();
        work.run();
        return queuePair.counters().roundTrips() - before;
    }

    /// The entries that there are of separators.
    private List<long[]> separatorsNow() {
        List<long[]> found = new ArrayList<>();
        OrderedCursor cursor = separators.cursor();
        cursor.ascendFrom(new long[3]);
        while (cursor.next()) {
            found.add(new long[] {cursor.word(0), cursor.word(1), cursor.word(2)});
        }
        return found;
    }

    /// Whose way ends in a leaf that it has come to by links, adds the leaf's separator.
    @Test
    void lostSeparatorsAreMendedByWhomTheyCostAMove() {
        fill(3000);
        List<long[]> all = separatorsNow();
        assertThat(all).hasSizeGreaterThan(45);
        all.forEach(separators::remove);
        OrderedCursor cursor = index.cursor();
        cursor.ascendFrom(key(1000));
        cursor.expect(1000, key(2998));
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.word(1)).isEqualTo(1000);
        for (long value = 0; value < 6000; value += 2) {
            assertThat(contains(value)).isTrue();
        }
        assertThat(separatorsNow()).usingRecursiveComparison().isEqualTo(all);
        assertThat(roundTrips(() -> assertThat(contains(4000)).isTrue())).isEqualTo(2);
    }

    /// Of leaves that are read together, one may be missing.
    @Test
    void aLostSeparatorLeavesNoGap() {
        requireNoGap();
    }

    private void requireNoGap() {
        fill(3000);
        separators.remove(separatorsNow().get(10));
        OrderedCursor cursor = index.cursor();
        cursor.ascendFrom(key(0));
        cursor.expect(3000, key(6000));
        for (long value = 0; value < 6000; value += 2) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.word(1)).isEqualTo(value);
        }
    }

    /// A test of the test: a cursor that goes on in the wrong leaf is found.
    @Test
    void aFenceThatIsNotComparedIsFound() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-Dnamdb.planted=" + PlantedFault.FENCE_NOT_COMPARED.label(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                PlantedFence.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();
        assertThat(output).contains("found: ");
    }

    /// What runs in a JVM of its own, with the fault.
    static final class PlantedFence {
        private PlantedFence() {}

        public static void main(String[] arguments) {
            try {
                new HybridIndexTest().requireNoGap();
            } catch (AssertionError e) {
                System.out.println("found: " + e.getMessage());
            }
        }
    }

    /// Leaves that are merged away, and separators that still lead to them, in all ways at random.
    @Test
    void separatorsThatLeadAstrayAreRemoved() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        fill(3000);
        List<long[]> before = separatorsNow();
        for (long value = 1000; value < 4000; value += 2) {
            index.remove(key(value));
        }
        List<long[]> right = separatorsNow();
        assertThat(right.size()).isLessThan(before.size() - 20);
        for (long[] separator : before) {
            boolean _ = separators.insert(separator, Snapshot.EVERYTHING);
            long odd = 2 * random.nextLong(100) + 1; // else it may hide behind another separator
            long[] below = {separator[0], Math.max(0, separator[1] - odd), separator[2]};
            boolean _ = separators.insert(below, Snapshot.EVERYTHING);
        }
        OrderedCursor cursor = index.cursor();
        for (long value = 5998; value >= 0; value--) {
            boolean isThere = value % 2 == 0 && (value < 1000 || value >= 4000);
            assertThat(contains(value)).as("%d", value).isEqualTo(isThere);
            if (random.nextInt(50) == 0) {
                cursor.ascendFrom(key(value));
                cursor.expect(random.nextInt(300), key(6000));
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.word(1))
                        .isEqualTo(value > 998 && value < 4000 ? 4000 : value + (value & 1));
            }
        }
        assertThat(separatorsNow()).usingRecursiveComparison().isEqualTo(right);
    }

    /// Where no worker answers, as over RDMA, separators are found and changed by verbs.
    @Test
    void withoutWorkersAllIsDoneByVerbs() {
        for (int server = 0; server < RequestedTreeTest.SERVERS; server++) {
            servers.serveNothing(server);
        }
        try (QueuePair another = servers.fabric.connect(servers.regions)) {
            OrderedIndex unserved =
                    Distribution.HYBRID.open(trees, another, allocator, TreeFixture.owner(10));
            for (long i = 0; i < 3000; i++) {
                assertThat(unserved.insert(key(i * 7 % 3000), Snapshot.EVERYTHING)).isTrue();
            }
            OrderedCursor cursor = unserved.cursor();
            cursor.ascendFrom(key(500));
            cursor.expect(1000, key(1499));
            for (long value = 500; value < 1500; value++) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.word(1)).isEqualTo(value);
            }
            assertThat(((TreeClient) unserved).contains(key(2999))).isTrue();
        }
    }
}

package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.MemoryFullException;

/// What the operations cost: round trips, memory servers' memory, this process's memory.
final class TreeCostTest {
    private static final NodeLayout SMALL = new NodeLayout(1, 256);

    @Test
    void aLookupIsOneRoundTripAndAWriteTwoMore() {
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 4, SMALL)) {
                QueuePair queuePair = fixture.connect();
                TreeClient client =
                        new TreeClient(
                                queuePair,
                                fixture.allocator(),
                                fixture.tree(),
                                TreeFixture.owner(1));
                for (int key = 0; key < 5000; key++) {
                    client.insert(new long[] {7L * key % 5000 * 2});
                }
                int height = fixture.check().height();
                assertThat(height).isEqualTo(4);
                assertThat(client.worstCaseNodes()).isEqualTo(height + 1);
                long[] present = {4998};
                long[] absent = {4999};
                TreeClient newcomer =
                        new TreeClient(
                                queuePair,
                                fixture.allocator(),
                                fixture.foreignTree(),
                                TreeFixture.owner(2));
                assertThat(roundTrips(queuePair, () -> newcomer.contains(present)))
                        .as("lookup of a client that has cached no inner node")
                        .isEqualTo(height);
                assertThat(roundTrips(queuePair, () -> newcomer.contains(present)))
                        .as("lookup")
                        .isEqualTo(1);
                assertThat(roundTrips(queuePair, () -> newcomer.insert(absent)))
                        .as("insert")
                        .isEqualTo(3);
                assertThat(roundTrips(queuePair, () -> newcomer.insert(absent)))
                        .as("insert of what is there")
                        .isEqualTo(1);
                assertThat(roundTrips(queuePair, () -> newcomer.delete(absent)))
                        .as("delete")
                        .isEqualTo(3);
                TreeCursor cursor = newcomer.cursor();
                cursor.ascendFrom(present);
                assertThat(roundTrips(queuePair, cursor::next)).as("seek").isEqualTo(1);
            }
        }
    }

    /// A client that cached the root when it was a leaf finds out that the tree has grown.
    @Test
    void aStaleRootIsFoundOut() {
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.IN_PLACE), 1, SMALL)) {
            QueuePair queuePair = fixture.connect();
            TreeClient early =
                    new TreeClient(
                            queuePair,
                            fixture.allocator(),
                            fixture.foreignTree(),
                            TreeFixture.owner(1));
            TreeClient client = fixture.client();
            for (long key = 0; key < 5000; key++) {
                client.insert(new long[] {key});
            }
            assertThat(early.contains(new long[] {4000})).isTrue();
            assertThat(roundTrips(queuePair, () -> early.contains(new long[] {4000}))).isEqualTo(1);
        }
    }

    /// ```
    /// a   has cached all inner nodes
    /// b   deletes most of what is there, so that nodes die, and inserts elsewhere, which they are
    ///     used for again
    /// a   looks up: right whatever its copies say, at little more than it took at first, and then
    ///     at one round trip again
    /// ```
    @Test
    void oldCopiesOfInnerNodesDoNoHarm() {
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 2, SMALL)) {
                QueuePair queuePair = fixture.connect();
                TreeClient a =
                        new TreeClient(
                                queuePair,
                                fixture.allocator(),
                                fixture.foreignTree(),
                                TreeFixture.owner(1));
                TreeClient b = fixture.client();
                for (long key = 0; key < 3000; key++) {
                    b.insert(new long[] {1_000_000 + key});
                }
                for (long key = 0; key < 3000; key++) {
                    assertThat(a.contains(new long[] {1_000_000 + key})).isTrue();
                }
                for (long key = 0; key < 3000; key++) {
                    if (key % 100 != 0) {
                        b.delete(new long[] {1_000_000 + key});
                    }
                    b.insert(new long[] {7 * key % 3000});
                }
                int height = fixture.check().height();
                for (long key = 0; key < 3000; key++) {
                    long[] high = {1_000_000 + key};
                    boolean isThere = key % 100 == 0;
                    long before = queuePair.counters().roundTrips();
                    assertThat(a.contains(high)).as("key %s", high[0]).isEqualTo(isThere);
                    assertThat(queuePair.counters().roundTrips() - before)
                            .isLessThanOrEqualTo(2L * height + 2);
                    assertThat(a.contains(new long[] {key})).isTrue();
                }
                assertThat(roundTrips(queuePair, () -> a.contains(new long[] {1_000_100})))
                        .isLessThanOrEqualTo(2);
            }
        }
    }

    private static long roundTrips(QueuePair queuePair, Runnable operation) {
        long before = queuePair.counters().roundTrips();
        operation.run();
        return queuePair.counters().roundTrips() - before;
    }

    @Test
    void nothingIsAllocatedInSteadyState() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        NodeLayout layout = new NodeLayout(2, 512);
        for (String fabric : Fabrics.NAMES) {
            try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 2, layout)) {
                TreeClient client = fixture.client();
                TreeCursor cursor = client.cursor();
                long[] key = new long[2];
                for (int round = 0; round < 20; round++) {
                    useAsQueue(client, cursor, key, round);
                }
                long before = threads.getCurrentThreadAllocatedBytes();
                useAsQueue(client, cursor, key, 20);
                long bytes = threads.getCurrentThreadAllocatedBytes() - before;
                // 6000 operations; a cell each would be 96000.
                assertThat(bytes).as("bytes allocated on %s", fabric).isLessThan(8000);
            }
        }
    }

    private static void useAsQueue(TreeClient client, TreeCursor cursor, long[] key, int round) {
        for (int i = 0; i < 2000; i++) {
            key[0] = i % 10;
            key[1] = round * 2000L + i;
            client.insert(key);
        }
        for (int i = 0; i < 2000; i++) {
            key[0] = i % 10;
            key[1] = 0;
            cursor.ascendFrom(key);
            cursor.next();
            key[1] = cursor.word(1);
            client.delete(key);
        }
    }

    /// An insert that needs memory which isn't there changes nothing, and what was freed serves
    /// again.
    @Test
    void aFullServerLeavesTheTreeIntact() {
        try (TreeFixture fixture =
                new TreeFixture(Fabrics.open(Fabrics.IN_PLACE), 2, SMALL, 16 << 10)) {
            TreeClient client = fixture.client();
            long inserted = 0;
            while (insertUntilFull(client, inserted)) {
                inserted++;
            }
            assertThat(inserted).isGreaterThan(500);
            long refused = inserted;
            assertThatThrownBy(() -> client.insert(new long[] {refused}))
                    .isInstanceOf(MemoryFullException.class);
            assertThat(client.contains(new long[] {refused})).isFalse();
            assertThat(fixture.check().live()).isEqualTo((int) inserted);
            for (long key = 0; key < inserted; key++) {
                assertThat(client.contains(new long[] {key})).isTrue();
                assertThat(client.delete(new long[] {key})).isTrue();
            }
            for (long key = 0; key < inserted; key++) {
                assertThat(client.insert(new long[] {key})).isTrue();
            }
            assertThat(fixture.check().live()).isEqualTo((int) inserted);
        }
    }

    private static boolean insertUntilFull(TreeClient client, long key) {
        try {
            return client.insert(new long[] {key});
        } catch (MemoryFullException full) {
            return false;
        }
    }

    /// After a reservation, inserts succeed though all memory is gone.
    @Test
    void aReservationHolds() {
        try (TreeFixture fixture =
                new TreeFixture(Fabrics.open(Fabrics.IN_PLACE), 2, SMALL, 64 << 10)) {
            TreeClient client = fixture.client();
            client.insert(new long[] {0});
            client.reserveInsert(40);
            TreeClient hog = fixture.client();
            assertThatThrownBy(() -> hog.reserveInsert(10_000))
                    .isInstanceOf(MemoryFullException.class);
            for (long key = 1; key <= 40; key++) {
                assertThat(client.insert(new long[] {key * 1000})).isTrue();
            }
            assertThat(fixture.check().live()).isEqualTo(41);
        }
    }

    /// Keys that ascend in many runs at a time leave their nodes full, those of one run, and one by
    /// one.
    @Test
    void ascendingRunsFillTheirLeaves() {
        NodeLayout layout = new NodeLayout(2, 512);
        for (int runs : new int[] {1, 40}) {
            try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.IN_PLACE), 1, layout)) {
                TreeClient client = fixture.client();
                for (int i = 0; i < 40_000; i++) {
                    client.insert(new long[] {i % runs, i});
                }
                TreeChecker.Shape shape = fixture.check();
                double full = (double) shape.live() / shape.leaves() / layout.capacity(0);
                assertThat(full).as("%d runs, %s", runs, shape).isGreaterThan(0.9);
            }
        }
    }

    /// One client inserts and others delete: the memory still goes round, and none of it is in two
    /// places.
    @Test
    void nodesFreedByOneClientAreUsedByAnother() {
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.LANDING), 2, SMALL)) {
            TreeClient inserter = fixture.client();
            long bytesAtFirst = 0;
            for (int round = 0; round < 20; round++) {
                for (long key = 0; key < 4000; key++) {
                    assertThat(inserter.insert(new long[] {key})).isTrue();
                }
                assertThat(fixture.check().live()).isEqualTo(4000);
                try (TreeClient deleter = fixture.client()) {
                    for (long key = 0; key < 4000; key++) {
                        assertThat(deleter.delete(new long[] {key})).isTrue();
                    }
                }
                bytesAtFirst = round == 0 ? fixture.allocator().allocatedBytes() : bytesAtFirst;
            }
            assertThat(fixture.allocator().allocatedBytes()).isEqualTo(bytesAtFirst);
        }
    }

    /// The same, when the one that deletes goes on living: it keeps no more than it may need.
    @Test
    void aClientDoesNotHoard() {
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.LANDING), 2, SMALL)) {
            TreeClient inserter = fixture.client();
            TreeClient deleter = fixture.client();
            long bytesAtFirst = 0;
            for (int round = 0; round < 20; round++) {
                for (long key = 0; key < 4000; key++) {
                    inserter.insert(new long[] {key});
                }
                bytesAtFirst = round == 0 ? fixture.allocator().allocatedBytes() : bytesAtFirst;
                for (long key = 0; key < 4000; key++) {
                    deleter.delete(new long[] {key});
                }
            }
            assertThat(fixture.allocator().allocatedBytes() - bytesAtFirst)
                    .isLessThanOrEqualTo(128L * SMALL.nodeBytes());
        }
    }

    /// Sparse leaves are merged, as long as the result has free space.
    @Test
    void collectMergesSparseLeaves() {
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.LANDING), 2, SMALL)) {
            TreeClient client = fixture.client();
            int capacity = SMALL.capacity(0);
            for (long key = 0; key < 100L * capacity; key++) {
                client.insert(new long[] {key});
            }
            assertThat(fixture.check().leaves()).isEqualTo(100);
            deleteInLeaves(client, 2, 0, 20, capacity);
            deleteInLeaves(client, 2, 1, 2, capacity);
            assertThat(client.collect()).as("20 and 2 entries").isZero();
            assertThat(fixture.check().entries()).isEqualTo(50 * (20 + 2));
            deleteInLeaves(client, 2, 0, 3, capacity);
            assertThat(client.collect()).as("3 and 2 entries").isGreaterThan(70);
            TreeChecker.Shape shape = fixture.check();
            assertThat(shape.leaves()).isLessThan(30);
            assertThat(shape.entries()).isEqualTo(50 * (3 + 2));
        }
    }

    /// Deletes all but the first `stay` keys of every `step`th leaf from leaf `first` on.
    private static void deleteInLeaves(
            TreeClient client, int step, int first, int stay, int capacity) {
        for (int leaf = first; leaf < 100; leaf += step) {
            for (int i = stay; i < capacity; i++) {
                client.delete(new long[] {(long) leaf * capacity + i});
            }
        }
    }

    /// Memory of leaves that got empty is used again: an index of constant size does not grow.
    @Test
    void aQueueDoesNotGrow() {
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.IN_PLACE), 1, SMALL)) {
            QueuePair queuePair = fixture.connect();
            TreeClient client =
                    new TreeClient(
                            queuePair,
                            fixture.allocator(),
                            fixture.foreignTree(),
                            TreeFixture.owner(1));
            TreeCursor cursor = client.cursor();
            long bytesAtHalf = 0;
            for (long order = 0; order < 8000; order++) {
                for (long prefix = 0; prefix < 10; prefix++) {
                    client.insert(new long[] {prefix << 32 | order});
                    if (order >= 50) {
                        client.delete(new long[] {prefix << 32 | order - 50});
                    }
                }
                if (order == 4000) {
                    bytesAtHalf = fixture.allocator().allocatedBytes();
                }
            }
            TreeChecker.Shape shape = fixture.check();
            assertThat(shape.live()).isEqualTo(500);
            assertThat(shape.emptyLeaves()).as("empty leaves").isZero();
            assertThat(fixture.allocator().allocatedBytes()).isEqualTo(bytesAtHalf);
            for (long prefix = 0; prefix < 10; prefix++) {
                long reads = queuePair.counters().roundTrips();
                cursor.ascendFrom(new long[] {prefix << 32});
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.word(0)).isEqualTo(prefix << 32 | 7950);
                assertThat(queuePair.counters().roundTrips() - reads)
                        .as("READs for a minimum")
                        .isLessThanOrEqualTo(shape.height() + 1);
            }
        }
    }
}

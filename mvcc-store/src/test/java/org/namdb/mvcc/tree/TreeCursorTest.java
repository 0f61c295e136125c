package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;

/// Leaves that are read together: what it costs, and that no key is lost by it.
final class TreeCursorTest {
    static final List<String> FABRICS = Fabrics.NAMES;

    private static final NodeLayout SMALL = new NodeLayout(1, 256);
    private static final int RANGE = 20_000;

    private static TreeClient foreign(TreeFixture fixture, QueuePair queuePair) {
        return new TreeClient(
                queuePair, fixture.allocator(), fixture.foreignTree(), TreeFixture.owner(1));
    }

    private static List<Long> read(TreeCursor cursor, long from, long to, int expected) {
        boolean up = from <= to;
        List<Long> keys = new ArrayList<>();
        if (up) {
            cursor.ascendFrom(new long[] {from});
        } else {
            cursor.descendFrom(new long[] {from});
        }
        cursor.expect(expected, new long[] {to});
        while (cursor.next()) {
            long key = cursor.word(0);
            if (up ? key > to : key < to) {
                break;
            }
            keys.add(key);
        }
        return keys;
    }

    private static List<Long> range(NavigableSet<Long> model, long from, long to) {
        return new ArrayList<>(
                from <= to
                        ? model.subSet(from, true, to, true)
                        : model.subSet(to, true, from, true).descendingSet());
    }

    /// Each client has copies of inner nodes that the other one's splits and merges make old.
    @ParameterizedTest
    @FieldSource("FABRICS")
    void aScanReadsWhatIsThereHoweverOldTheCopiesAre(String fabric) {
        SplittableRandom random = Seeds.random();
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 3, SMALL)) {
            TreeClient writer = fixture.client();
            TreeCursor cursor = foreign(fixture, fixture.connect()).cursor();
            NavigableSet<Long> model = new TreeSet<>();
            for (int round = 0; round < 300; round++) {
                boolean deletes = round % 3 == 2;
                long start = random.nextLong(RANGE);
                for (int i = 0; i < 100; i++) {
                    long key = random.nextBoolean() ? (start + i) % RANGE : random.nextLong(RANGE);
                    if (deletes) {
                        assertThat(writer.delete(new long[] {key})).isEqualTo(model.remove(key));
                    } else {
                        assertThat(writer.insert(new long[] {key})).isEqualTo(model.add(key));
                    }
                }
                for (int scan = 0; scan < 4; scan++) {
                    long from = random.nextLong(RANGE);
                    long to = random.nextLong(RANGE);
                    int expected = random.nextInt(1, 2_000);
                    assertThat(read(cursor, from, to, expected))
                            .as("round %d, %d to %d, %d expected", round, from, to, expected)
                            .isEqualTo(range(model, from, to));
                }
            }
        }
    }

    /// ```
    /// reader   has cached that P has A and C
    /// writer   splits A: P has A, B and C
    /// reader   reads A and C together: C is not what follows A
    /// ```
    @ParameterizedTest
    @CsvSource({"in place, true", "in place, false", "landing, true", "landing, false"})
    void aLeafThatDoesNotBeginWhereTheOneBeforeItEndsIsNotTaken(String fabric, boolean up) {
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 2, SMALL)) {
            TreeClient writer = fixture.client();
            NavigableSet<Long> model = new TreeSet<>();
            for (long key = 0; key < 100_000; key += 1_000) {
                writer.insert(new long[] {key});
                model.add(key);
            }
            TreeCursor cursor = foreign(fixture, fixture.connect()).cursor();
            long from = up ? 0 : 100_000;
            assertThat(read(cursor, from, 100_000 - from, 1)).hasSize(100);
            for (long key = 50_000; key < 50_999; key += 7) {
                writer.insert(new long[] {key});
                model.add(key);
            }
            assertThat(read(cursor, from, 100_000 - from, 1_000))
                    .isEqualTo(range(model, from, 100_000 - from));
        }
    }

    /// A cursor takes more memory to read leaves together, and gets none; it is used again.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCursorThatGotNoMemoryWritesNowhereElse(boolean up) {
        try (TreeFixture fixture = new TreeFixture(Fabrics.open("landing"), 2, SMALL)) {
            TreeClient writer = fixture.client();
            NavigableSet<Long> model = new TreeSet<>();
            for (long key = 0; key < 1_000; key++) {
                writer.insert(new long[] {key});
                model.add(key);
            }
            ScarceQueuePair queuePair = new ScarceQueuePair(fixture.connect());
            TreeCursor cursor = foreign(fixture, queuePair).cursor();
            long from = up ? 0 : 999;
            assertThat(read(cursor, from, 999 - from, 1)).hasSize(1_000);
            queuePair.isScarce = true;
            assertThatThrownBy(() -> read(cursor, from, 999 - from, 1_000))
                    .isInstanceOf(OutOfMemoryError.class);
            queuePair.isScarce = false;
            assertThat(read(cursor, from, 999 - from, 1_000))
                    .isEqualTo(range(model, from, 999 - from));
            queuePair.requireUntouched();
        }
    }

    /// Keys that are there throughout are seen, once and in order, whatever comes and goes.
    @ParameterizedTest
    @FieldSource("FABRICS")
    void whileOthersWriteNoLastingKeyIsLost(String fabric) throws InterruptedException {
        SplittableRandom random = Seeds.random();
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 2, SMALL)) {
            TreeClient client = fixture.client();
            for (long key = 0; key < RANGE; key += 10) {
                client.insert(new long[] {key});
            }
            AtomicBoolean isOver = new AtomicBoolean();
            List<Thread> writers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                TreeClient writer = fixture.client(2 + i);
                SplittableRandom own = random.split();
                writers.add(
                        Thread.ofPlatform()
                                .start(() -> {
                                    while (!isOver.get()) {
                                        long key =
                                                own.nextLong(RANGE / 10) * 10 + own.nextInt(1, 10);
                                        if (own.nextBoolean()) {
                                            writer.insert(new long[] {key});
                                        } else {
                                            writer.delete(new long[] {key});
                                        }
                                    }
                                }));
            }
            try {
                TreeCursor cursor = foreign(fixture, fixture.connect()).cursor();
                for (int scan = 0; scan < 300; scan++) {
                    boolean up = random.nextBoolean();
                    long from = random.nextLong(RANGE);
                    long to = up ? from + random.nextLong(5_000) : from - random.nextLong(5_000);
                    List<Long> found = read(cursor, from, Math.max(0, to), random.nextInt(1, 600));
                    List<Long> sorted = new ArrayList<>(new TreeSet<>(found));
                    assertThat(up ? sorted : sorted.reversed()).isEqualTo(found);
                    List<Long> lasting = found.stream().filter(key -> key % 10 == 0).toList();
                    NavigableSet<Long> model = new TreeSet<>();
                    for (long key = 0; key < RANGE; key += 10) {
                        model.add(key);
                    }
                    assertThat(lasting).isEqualTo(range(model, from, Math.max(0, to)));
                }
            } finally {
                isOver.set(true);
                for (Thread writer : writers) {
                    writer.join();
                }
            }
            fixture.check();
        }
    }

    /// A thousand keys of two words, in leaves that are filled by keys in no order: 27 of them.
    @ParameterizedTest
    @FieldSource("FABRICS")
    void aThousandKeysAreFewRoundTripsWhereTheInnerNodesAreKnown(String fabric) {
        NodeLayout layout = new NodeLayout(2, 1024);
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(fabric), 4, layout)) {
            QueuePair queuePair = fixture.connect();
            TreeClient client =
                    new TreeClient(
                            queuePair, fixture.allocator(), fixture.tree(), TreeFixture.owner(1));
            int keys = 20_000;
            for (long key = 0; key < keys; key++) {
                client.insert(new long[] {key * 7_919 % keys, 0});
            }
            TreeCursor cursor = client.cursor();
            long[] last = {10_999, 0};
            long alone = roundTrips(queuePair, cursor, last, 1);
            long together = roundTrips(queuePair, cursor, last, 1_000);
            assertThat(alone).isBetween(20L, 40L);
            assertThat(together).isLessThanOrEqualTo(3);
            long bytes = queuePair.counters().bytes();
            roundTrips(queuePair, cursor, new long[] {10_005, 0}, 1_000);
            assertThat(queuePair.counters().bytes() - bytes)
                    .as("leaves behind the end of the range are not read")
                    .isLessThanOrEqualTo(2 * 1_040);
        }
    }

    private static long roundTrips(
            QueuePair queuePair, TreeCursor cursor, long[] last, int expected) {
        long before = queuePair.counters().roundTrips();
        cursor.ascendFrom(new long[] {10_000, 0});
        cursor.expect(expected, last);
        long key = 10_000;
        while (key <= last[0]) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.word(0)).isEqualTo(key++);
        }
        return queuePair.counters().roundTrips() - before;
    }

    /// A client that has not cached the parents reads them on the way, one for each.
    @Test
    void aNewClientReadsTheParents() {
        NodeLayout layout = new NodeLayout(2, 1024);
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.IN_PLACE), 4, layout)) {
            TreeClient client = fixture.client();
            int keys = 20_000;
            for (long key = 0; key < keys; key++) {
                client.insert(new long[] {key * 7_919 % keys, 0});
            }
            QueuePair queuePair = fixture.connect();
            TreeCursor cursor = foreign(fixture, queuePair).cursor();
            assertThat(roundTrips(queuePair, cursor, new long[] {10_999, 0}, 1_000))
                    .isLessThanOrEqualTo(8);
            assertThat(roundTrips(queuePair, cursor, new long[] {10_999, 0}, 1_000))
                    .isLessThanOrEqualTo(3);
        }
    }

    /// A batch holds four nodes: as many are read together, and their views last.
    @Test
    void noMoreIsReadTogetherThanABatchHolds() {
        ShmFabric fabric = new ShmFabric(new ShmFabric.Options(false, 4 * 4 * 272, null));
        try (TreeFixture fixture = new TreeFixture(fabric, 2, SMALL)) {
            TreeClient client = fixture.client();
            NavigableSet<Long> model = new TreeSet<>();
            for (long key = 0; key < 2_000; key++) {
                client.insert(new long[] {key * 7 % 2_000});
                model.add(key);
            }
            TreeCursor cursor = client.cursor();
            assertThat(read(cursor, 0, 1_999, 2_000)).isEqualTo(range(model, 0, 1_999));
            assertThat(read(cursor, 1_999, 0, 2_000)).isEqualTo(range(model, 1_999, 0));
        }
    }

    /// Its local memory lies between bytes that nothing may write to, and can be exhausted.
    private static final class ScarceQueuePair extends ForwardingQueuePair {
        private static final long BESIDE = 1 << 16;

        private final List<Long> beside = new ArrayList<>();
        private boolean isScarce;

        ScarceQueuePair(QueuePair actual) {
            super(actual);
        }

        @Override
        public long localMemory(long bytes) {
            if (isScarce) {
                throw new OutOfMemoryError("no local memory");
            }
            long memory = actual.localMemory(bytes + 2 * BESIDE);
            beside.add(memory);
            beside.add(memory + BESIDE + bytes);
            return memory + BESIDE;
        }

        void requireUntouched() {
            for (long memory : beside) {
                for (long at = 0; at < BESIDE; at += Long.BYTES) {
                    assertThat(LocalMemory.longAt(memory + at)).isZero();
                }
            }
        }
    }
}

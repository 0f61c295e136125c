package org.namdb.mvcc.gc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.mvcc.schema.KeyLayout;

/// Items come out as they went in, with their index entries, however often the ring grows and
/// wraps.
class GarbageRingTest {
    private record Item(long kind, long header, long address, long body, List<Long> entry) {}

    private final GarbageRing ring = new GarbageRing();
    private final Deque<Item> model = new ArrayDeque<>();
    private final long[] scratch = new long[KeyLayout.MAX_WORDS];

    @Test
    void aKindKeepsAllThatItIsMadeOf() {
        long kind = GarbageRing.kind(3, (1 << 24) - 1, (1 << 24) - 1, KeyLayout.MAX_WORDS);
        for (int tries = 0; tries < 200; tries++) {
            assertThat(GarbageRing.kindOf(kind)).isEqualTo(3);
            assertThat(GarbageRing.tableOf(kind)).isEqualTo((1 << 24) - 1);
            assertThat(GarbageRing.indexOf(kind)).isEqualTo((1 << 24) - 1);
            assertThat(GarbageRing.entryWordsOf(kind)).isEqualTo(KeyLayout.MAX_WORDS);
            assertThat(GarbageRing.triesOf(kind)).isEqualTo(Math.min(tries, 127));
            kind = GarbageRing.triedAgain(kind);
        }
    }

    @Test
    void itIsAQueueThatGrows() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 50_000; i++) {
            boolean grows = i / 10_000 % 2 == 0;
            if (random.nextInt(10) < (grows ? 7 : 3)) {
                add(random);
            } else if (!model.isEmpty() && random.nextInt(4) == 0) {
                rotate(random.nextBoolean());
            } else if (!model.isEmpty()) {
                assertFirst();
                ring.removeFirst(scratch);
                assertEntry(model.removeFirst());
            }
            assertThat(ring.size()).isEqualTo(model.size());
        }
        assertThat(ring.dropped()).isZero();
    }

    @Test
    void whatIsKeptInARoundStaysInItsOrder() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 3_000; i++) {
            add(random);
        }
        for (long left = ring.size(); left > 0; left--) {
            rotate(left % 3 != 0);
        }
        assertThat(ring.size()).isEqualTo(2_000);
        while (!model.isEmpty()) {
            assertFirst();
            ring.removeFirst(scratch);
            assertEntry(model.removeFirst());
        }
    }

    private static List<Long> words(long[] entry) {
        return Arrays.stream(entry).boxed().toList();
    }

    private void add(SplittableRandom random) {
        long[] entry = random.longs(random.nextInt(3) == 0 ? random.nextInt(33) : 0).toArray();
        int table = random.nextInt(1 << 24);
        int index = random.nextInt(1 << 24);
        long kind = GarbageRing.kind(random.nextInt(4), table, index, entry.length);
        Item item =
                new Item(
                        kind,
                        random.nextLong(),
                        random.nextLong(),
                        random.nextLong(),
                        words(entry));
        ring.add(item.kind, item.header, item.address, item.body, entry);
        model.add(item);
    }

    private void rotate(boolean isKept) {
        assertFirst();
        ring.rotate(isKept, scratch);
        Item first = model.removeFirst();
        if (isKept) {
            model.addLast(first);
        }
    }

    private void assertFirst() {
        int at = ring.first();
        Item expected = model.getFirst();
        assertThat(ring.word(at + GarbageRing.KIND)).isEqualTo(expected.kind);
        assertThat(ring.word(at + GarbageRing.HEADER)).isEqualTo(expected.header);
        assertThat(ring.word(at + GarbageRing.HEADER_ADDRESS)).isEqualTo(expected.address);
        assertThat(ring.word(at + GarbageRing.BODY_ADDRESS)).isEqualTo(expected.body);
    }

    private void assertEntry(Item item) {
        assertThat(words(Arrays.copyOf(scratch, item.entry.size()))).isEqualTo(item.entry);
    }
}

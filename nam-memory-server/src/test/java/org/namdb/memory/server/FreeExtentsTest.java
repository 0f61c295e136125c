package org.namdb.memory.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;

/// Free extents are found where a scan of each single 64 bytes finds them.
class FreeExtentsTest {
    private static final int STEPS = 6_000;
    private static final int PIECES = 1_000_000;

    /// Neither bound is that of a chunk, and the number of chunks is no power of two.
    private static final long START = (300 << 10) + 64;

    private static final long LIMIT = (3 << 20) + (200 << 10) + 192;

    private static final class HeapWords implements RegionWords {
        private final long[] words;

        HeapWords(long bytes) {
            words = new long[(int) (bytes / Long.BYTES)];
        }

        @Override
        public long word(long offset) {
            return words[(int) (offset / Long.BYTES)];
        }

        @Override
        public void put(long offset, long word) {
            words[(int) (offset / Long.BYTES)] = word;
        }
    }

    @Test
    void whatIsFoundIsTheFirstThatIsLargeEnough() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        ExtentMap map = new ExtentMap(new HeapWords(ExtentMap.bytes(LIMIT)), 0);
        FreeExtents free = new FreeExtents(map, START, LIMIT, START);
        BitSet used = new BitSet();
        long touched = START;
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(3) > 0) {
                long bytes = 1 + random.nextLong(1L << random.nextInt(6, 21));
                long offset = free.find(bytes);
                assertThat(offset).isEqualTo(firstFit(used, bytes));
                if (offset >= 0) {
                    mark(map, free, used, offset, FreeExtents.aligned(bytes));
                    touched = Math.max(touched, offset + FreeExtents.aligned(bytes));
                }
            } else if (!used.isEmpty()) {
                releasePart(random, map, free, used);
            }
            assertThat(free.usedBytes()).isEqualTo(64L * used.cardinality());
            assertThat(free.largestFreeBytes()).isEqualTo(largest(used));
            if (step % 50 == 0) {
                FreeExtents again = new FreeExtents(map, START, LIMIT, touched);
                assertThat(again.usedBytes()).isEqualTo(free.usedBytes());
                assertThat(again.largestFreeBytes()).isEqualTo(free.largestFreeBytes());
                for (long bytes = 64; bytes < LIMIT; bytes *= 3) {
                    assertThat(again.find(bytes)).isEqualTo(free.find(bytes));
                }
                for (long bytes = 64 << 10; bytes < 2 * LIMIT; bytes *= 2) {
                    assertThat(free.findAligned(bytes)).isEqualTo(firstAligned(used, bytes));
                }
            }
        }
    }

    private static long firstAligned(BitSet used, long bytes) {
        for (long at = 0; at + bytes <= LIMIT; at += bytes) {
            int next = used.nextSetBit((int) (at / 64));
            if (at >= START && (next < 0 || 64L * next >= at + bytes)) {
                return at;
            }
        }
        return -1;
    }

    private static void releasePart(
            SplittableRandom random, ExtentMap map, FreeExtents free, BitSet used) {
        int from = used.nextSetBit(random.nextInt(used.length()));
        int to = used.nextClearBit(from);
        int begin = random.nextInt(from, to);
        int end = begin + 1 + random.nextInt(to - begin);
        free.requireHandedOut(64L * begin, 64L * (end - begin) - random.nextInt(64));
        mark(map, free, used, 64L * begin, 64L * (end - begin));
        assertThatThrownBy(() -> free.requireHandedOut(64L * begin, 64L))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> free.requireHandedOut(64L * (end - 1), 64L))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static void mark(
            ExtentMap map, FreeExtents free, BitSet used, long offset, long bytes) {
        boolean isUsed = !used.get((int) (offset / 64));
        map.mark(offset, bytes, isUsed);
        free.changed(offset, bytes);
        used.set((int) (offset / 64), (int) ((offset + bytes) / 64), isUsed);
    }

    private static long firstFit(BitSet used, long bytes) {
        for (int from = used.nextClearBit((int) (START / 64)); from < LIMIT / 64; ) {
            int to = end(used, from);
            if (64L * (to - from) >= bytes) {
                return 64L * from;
            }
            from = used.nextClearBit(to);
        }
        return -1;
    }

    private static long largest(BitSet used) {
        long largest = 0;
        for (int from = used.nextClearBit((int) (START / 64)); from < LIMIT / 64; ) {
            int to = end(used, from);
            largest = Math.max(largest, 64L * (to - from));
            from = used.nextClearBit(to);
        }
        return largest;
    }

    private static int end(BitSet used, int from) {
        int set = used.nextSetBit(from);
        return set < 0 ? (int) (LIMIT / 64) : set;
    }

    @Test
    void whatIsNotAnExtentIsRefused() {
        ExtentMap map = new ExtentMap(new HeapWords(ExtentMap.bytes(LIMIT)), 0);
        FreeExtents free = new FreeExtents(map, START, LIMIT, START);
        map.mark(START, LIMIT - START, true);
        free.changed(START, LIMIT - START);
        long[][] refused = {
            {START - 64, 64},
            {START + 8, 64},
            {START, 0},
            {START, -64},
            {START, Long.MIN_VALUE},
            {START, Long.MAX_VALUE},
            {START, LIMIT - START + 1},
            {LIMIT, 64},
            {-64, 64},
            {Long.MIN_VALUE, 64},
            {Long.MAX_VALUE & -64, 64},
        };
        for (long[] extent : refused) {
            assertThatThrownBy(() -> free.requireHandedOut(extent[0], extent[1]))
                    .as("%d bytes at %d", extent[1], extent[0])
                    .isInstanceOf(IllegalArgumentException.class);
        }
        free.requireHandedOut(START, LIMIT - START);
        assertThat(free.find(1)).isEqualTo(-1);
        assertThat(free.find(Long.MAX_VALUE)).isEqualTo(-1);
    }

    /// Free pieces that do not touch each other, and then do: the account of them is of one size.
    @Test
    void aMillionPiecesAreOneWhenAllAreFree() {
        long limit = 2L * PIECES * 64;
        ExtentMap map = new ExtentMap(new HeapWords(ExtentMap.bytes(limit)), 0);
        FreeExtents free = new FreeExtents(map, 0, limit, 0);
        map.mark(0, limit, true);
        free.changed(0, limit);
        for (int parity = 0; parity < 2; parity++) {
            for (int piece = parity; piece < 2 * PIECES; piece += 2) {
                map.mark(64L * piece, 64, false);
                free.changed(64L * piece, 64);
            }
            assertThat(free.usedBytes()).isEqualTo(parity == 0 ? limit / 2 : 0);
            assertThat(free.largestFreeBytes()).isEqualTo(parity == 0 ? 64 : limit);
        }
    }
}

package org.namdb.simulated.tearing;

import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.namdb.fabric.LocalMemory;

/// Copies piece by piece, in random order, with random pauses between the pieces.
final class TornCopy {
    private static final int WORD_BYTES = 8;
    private static final int PROBABILITY_BITS = 31;

    private static final int SPINS_OF_100 = 70;
    private static final int YIELDS_OF_100 = 28;
    private static final int MAX_SPIN = 200;
    private static final int MIN_SLEEP_NANOS = 1_000;
    private static final int MAX_SLEEP_NANOS = 10_000;

    private final SplittableRandom random;
    private final int pieceBytes;
    private final long pauseThreshold;
    private int[] order = new int[64];

    TornCopy(SplittableRandom random, TearingFabric.Options options) {
        this.random = random;
        this.pieceBytes = options.granularity().bytes();
        this.pauseThreshold = (long) (options.pauseProbability() * (1L << PROBABILITY_BITS));
    }

    /// Copies `bytes` bytes, as a READ (`remote` is `source`) or a WRITE (`remote` is `target`).
    /// Pieces begin where they do in remote memory, at multiples of their size, so the first and
    /// the last may be short.
    void copy(long source, long target, int bytes, long remote) {
        int skew = (int) (remote & (pieceBytes - 1));
        int pieces = (int) (((long) skew + bytes + pieceBytes - 1) / pieceBytes);
        shuffle(pieces);
        for (int i = 0; i < pieces; i++) {
            if (i > 0) {
                maybePause();
            }
            long begin = (long) order[i] * pieceBytes - skew;
            copyWords(source, target, Math.max(begin, 0), Math.min(begin + pieceBytes, bytes));
        }
    }

    /// Gives other threads time, now and then: mostly a moment, rarely long enough for whole
    /// transactions. No result depends on the scheduler, a yield only offers it something to do.
    @SuppressWarnings("ThreadPriorityCheck")
    void maybePause() {
        if (random.nextLong() >>> (Long.SIZE - PROBABILITY_BITS) >= pauseThreshold) {
            return;
        }
        int choice = random.nextInt(100);
        if (choice < SPINS_OF_100) {
            for (int spins = random.nextInt(MAX_SPIN); spins >= 0; spins--) {
                Thread.onSpinWait();
            }
        } else if (choice < SPINS_OF_100 + YIELDS_OF_100) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(random.nextInt(MIN_SLEEP_NANOS, MAX_SLEEP_NANOS));
        }
    }

    /// Acquire and release, so that the processor and the compiler keep the order that was drawn.
    private static void copyWords(long source, long target, long begin, long end) {
        for (long i = begin; i < end; i += WORD_BYTES) {
            LocalMemory.putLongRelease(target + i, LocalMemory.longAcquire(source + i));
        }
    }

    private void shuffle(int pieces) {
        if (pieces > order.length) {
            order = new int[Math.max(pieces, 2 * order.length)];
        }
        for (int i = 0; i < pieces; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
    }
}

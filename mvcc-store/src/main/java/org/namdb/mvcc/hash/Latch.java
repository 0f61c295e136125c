package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;

/// The latch of a home bucket, for whoever changes its entries outside of a commit.
public final class Latch {
    private Latch() {}

    /// Takes the latch of the home bucket at `home`; tries until it is free. The caller holds no other latch.
    public static void acquire(QueuePair queuePair, long home) {
        long mark = queuePair.landed();
        while (true) {
            long view = queuePair.compareAndSwap(home + BucketLayout.LATCH_OFFSET, 0, 1);
            queuePair.await();
            boolean won = LocalMemory.longAt(view) == 0;
            queuePair.giveUpViews(mark);
            if (won) {
                return;
            }
            Thread.yield();
        }
    }

    /// Posts the release.
    public static void postRelease(QueuePair queuePair, long home) {
        queuePair.writeWord(home + BucketLayout.LATCH_OFFSET, 0);
    }
}

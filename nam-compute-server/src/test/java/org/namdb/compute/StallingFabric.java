package org.namdb.compute;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;

/// A fabric whose threads are descheduled at times, for long, right after an await: with whatever
/// latches and locks they have just acquired.
final class StallingFabric extends ForwardingFabric {
    private static final int AWAITS_PER_STALL = 400;
    private static final long STALL_NANOS = 4_000_000;

    private final SplittableRandom random;

    StallingFabric(Fabric actual, long seed) {
        super(actual);
        this.random = new SplittableRandom(seed);
    }

    @Override
    public synchronized QueuePair connect(List<Region> regions) {
        return new StallingQueuePair(actual.connect(regions), random.split());
    }

    private static final class StallingQueuePair extends ForwardingQueuePair {
        private final SplittableRandom random;

        StallingQueuePair(QueuePair actual, SplittableRandom random) {
            super(actual);
            this.random = random;
        }

        @Override
        protected void awaitCompletions() {
            actual.await();
            if (random.nextInt(AWAITS_PER_STALL) == 0) {
                LockSupport.parkNanos(STALL_NANOS);
            }
        }
    }
}

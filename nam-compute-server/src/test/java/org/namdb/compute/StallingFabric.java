package org.namdb.compute;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RequestHandler;

/// A fabric whose threads are descheduled now and then, for long, right after an await: with
/// whatever latches and locks they have just won.
final class StallingFabric implements Fabric {
    private static final int AWAITS_PER_STALL = 400;
    private static final long STALL_NANOS = 4_000_000;

    private final Fabric actual;
    private final SplittableRandom random;

    StallingFabric(Fabric actual, long seed) {
        this.actual = actual;
        this.random = new SplittableRandom(seed);
    }

    @Override
    public Region register(int server, long bytes) {
        return actual.register(server, bytes);
    }

    @Override
    public Region resume(int server, long bytes) {
        return actual.resume(server, bytes);
    }

    @Override
    public long memory(int server) {
        return actual.memory(server);
    }

    @Override
    public void serve(int server, RequestHandler handler) {
        actual.serve(server, handler);
    }

    @Override
    public void leave(int server) {
        actual.leave(server);
    }

    @Override
    public synchronized QueuePair connect(List<Region> regions) {
        return new StallingQueuePair(actual.connect(regions), random.split());
    }

    @Override
    public void close() {
        actual.close();
    }

    private static final class StallingQueuePair extends QueuePair {
        private final QueuePair actual;
        private final SplittableRandom random;

        StallingQueuePair(QueuePair actual, SplittableRandom random) {
            this.actual = actual;
            this.random = random;
        }

        @Override
        public boolean readsInPlace(int server) {
            return actual.readsInPlace(server);
        }

        @Override
        public int landingBytes() {
            return actual.landingBytes();
        }

        @Override
        public long landed() {
            return actual.landed();
        }

        @Override
        public long localMemory(long bytes) {
            return actual.localMemory(bytes);
        }

        @Override
        public void disconnect() {
            actual.disconnect();
        }

        @Override
        public void close() {
            actual.close();
        }

        @Override
        protected void forgetViews(long mark) {
            actual.giveUpViews(mark);
        }

        @Override
        protected long postRead(long address, int bytes) {
            return actual.read(address, bytes);
        }

        @Override
        protected void postWrite(long address, long source, int bytes) {
            actual.write(address, source, bytes);
        }

        @Override
        protected void postWriteWord(long address, long value) {
            actual.writeWord(address, value);
        }

        @Override
        protected long postCompareAndSwap(long address, long expected, long desired) {
            return actual.compareAndSwap(address, expected, desired);
        }

        @Override
        protected long postFetchAndAdd(long address, long delta) {
            return actual.fetchAndAdd(address, delta);
        }

        @Override
        protected void awaitCompletions() {
            actual.await();
            if (random.nextInt(AWAITS_PER_STALL) == 0) {
                LockSupport.parkNanos(STALL_NANOS);
            }
        }

        @Override
        protected byte[] exchange(int server, byte[] request) {
            return actual.call(server, request);
        }
    }
}

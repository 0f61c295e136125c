package org.namdb.compute;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.record.RecordHeader;

/// A fabric on which something goes wrong when a test wants it: at a chosen step (a verb, an await
/// or a request) of the thread that asked for it, or at every verb to a memory server that is cut
/// off. A verb that fails so has done nothing.
final class FailingFabric extends ForwardingFabric {
    private volatile int cutOff = -1;
    private volatile long held = RemoteAddress.NULL;
    private volatile @Nullable Thread failing;
    private volatile @Nullable String failingName;
    private int stepsLeft;
    private Supplier<? extends Throwable> failure = IllegalStateException::new;
    private int cutOffLater = -1;

    FailingFabric(Fabric actual) {
        super(actual);
    }

    /// Step `step` of this thread, counted from 0, fails; no other.
    void failAt(int step, Supplier<? extends Throwable> with) {
        stepsLeft = step;
        failure = with;
        failing = Thread.currentThread();
    }

    /// The next step of a thread of this name fails.
    void failNextOf(String threadName, Supplier<? extends Throwable> with) {
        stepsLeft = 0;
        failure = with;
        failingName = threadName;
    }

    /// Whether that has failed.
    boolean hasFailedOnce() {
        return failingName == null;
    }

    /// Nothing fails any more.
    ///
    /// @return whether something has
    boolean heal() {
        boolean hasFailed = failing == null;
        failing = null;
        failingName = null;
        cutOff = -1;
        cutOffLater = -1;
        return hasFailed;
    }

    /// Verbs to a memory server fail from now on.
    void cutOff(int server) {
        cutOff = server;
    }

    /// From step `step` of this thread on, counted from 0, verbs to a memory server fail.
    void cutOffAt(int step, int server) {
        failAt(step, IllegalStateException::new);
        cutOffLater = server;
    }

    /// The next swap of this word, by whomever, finds it locked by somebody who lets go of it
    /// at once.
    void holdOnce(long headerAddress) {
        held = headerAddress;
    }

    private void step() {
        Thread thread = Thread.currentThread();
        boolean isChosen = thread.equals(failing) || thread.getName().equals(failingName);
        if (isChosen && stepsLeft-- == 0) {
            failing = null;
            failingName = null;
            if (cutOffLater >= 0) {
                cutOff = cutOffLater;
                cutOffLater = -1;
                return;
            }
            switch (failure.get()) {
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e);
            }
        }
    }

    private void verb(long address) {
        request(RemoteAddress.server(address));
    }

    private void request(int server) {
        step();
        if (server == cutOff) {
            throw new FabricException(FabricException.Kind.PEER_GONE, "cut off");
        }
    }

    @Override
    public QueuePair connect(List<Region> regions) {
        return new FailingQueuePair(actual.connect(regions));
    }

    private final class FailingQueuePair extends ForwardingQueuePair {
        FailingQueuePair(QueuePair actual) {
            super(actual);
        }

        @Override
        protected long postRead(long address, int bytes) {
            verb(address);
            return actual.read(address, bytes);
        }

        @Override
        protected void postWrite(long address, long source, int bytes) {
            verb(address);
            actual.write(address, source, bytes);
        }

        @Override
        protected void postWriteWord(long address, long value) {
            verb(address);
            actual.writeWord(address, value);
        }

        @Override
        protected long postCompareAndSwap(long address, long expected, long desired) {
            verb(address);
            if (address == held) {
                held = RemoteAddress.NULL;
                long _ = actual.compareAndSwap(address, expected, RecordHeader.lock(expected));
                long view = actual.compareAndSwap(address, expected, desired);
                actual.writeWord(address, expected);
                return view;
            }
            return actual.compareAndSwap(address, expected, desired);
        }

        @Override
        protected long postFetchAndAdd(long address, long delta) {
            verb(address);
            return actual.fetchAndAdd(address, delta);
        }

        @Override
        protected void awaitCompletions() {
            actual.await();
            step();
        }

        @Override
        protected byte[] exchange(int server, byte[] request) {
            request(server);
            return actual.call(server, request);
        }
    }
}

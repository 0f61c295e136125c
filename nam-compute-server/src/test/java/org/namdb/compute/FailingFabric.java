package org.namdb.compute;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.record.RecordHeader;

/// A fabric that fails when a test wants it: at a chosen step (a verb, an await, a request or a
/// connection) of a chosen thread, when a queue pair is disconnected or frees memory, or at every
/// verb to a memory server that is cut off. A verb that fails so has done nothing.
final class FailingFabric extends ForwardingFabric {
    private volatile int cutOff = -1;
    private volatile long held = RemoteAddress.NULL;
    private volatile @Nullable Thread failing;
    private volatile @Nullable String failingName;
    private int stepsLeft;
    private volatile @Nullable Thread losing;
    private int repliesLeft;
    private Runnable deed = () -> {};
    private final AtomicInteger disconnectsLeft = new AtomicInteger();
    private volatile Supplier<? extends Throwable> ofDisconnect = IllegalStateException::new;
    private volatile boolean isFenced;
    private final AtomicInteger fencedDisconnects = new AtomicInteger();
    private volatile @Nullable Supplier<? extends Throwable> ofRelease;
    private volatile @Nullable Supplier<? extends Throwable> ofClose;
    private final AtomicInteger connected = new AtomicInteger();
    private volatile int lostUpTo;
    private final AtomicInteger openQueuePairs = new AtomicInteger();
    private volatile boolean closed;

    FailingFabric(Fabric actual) {
        super(actual);
    }

    /// Step `step` of this thread, counted from 0, fails; no other.
    void failAt(int step, Supplier<? extends Throwable> with) {
        doAt(step, () -> fail(with));
    }

    /// Request `number` of this thread, counted from 0, is done, and its reply is lost with the
    /// connection.
    void loseReply(int number) {
        repliesLeft = number;
        losing = Thread.currentThread();
    }

    /// Whether a reply was lost since [#loseReply].
    boolean hasLostReply() {
        return losing == null;
    }

    /// Before step `step` of this thread, counted from 0, something else is done by it.
    void doAt(int step, Runnable what) {
        stepsLeft = step;
        deed = what;
        failing = Thread.currentThread();
    }

    /// Disconnect `number` from now on fails, by whomever; counted from 1.
    void failDisconnect(int number, Supplier<? extends Throwable> with) {
        ofDisconnect = with;
        disconnectsLeft.set(number);
    }

    /// Every disconnect finds that the process is fenced, from now on.
    void fenceDisconnects() {
        isFenced = true;
    }

    /// How many have found that.
    int fencedDisconnects() {
        return fencedDisconnects.get();
    }

    /// The next free of local memory fails.
    void failNextRelease(Supplier<? extends Throwable> with) {
        ofRelease = with;
    }

    /// The next queue pair that is closed fails when it is.
    void failNextClose(Supplier<? extends Throwable> with) {
        ofClose = with;
    }

    /// How many queue pairs are not closed.
    int openQueuePairs() {
        return openQueuePairs.get();
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        super.close();
    }

    /// The next step of a thread of this name fails.
    void failNextOf(String threadName, Supplier<? extends Throwable> with) {
        failOf(threadName, 0, with);
    }

    /// Step `step` of a thread of this name, counted from 0, fails; no other.
    void failOf(String threadName, int step, Supplier<? extends Throwable> with) {
        stepsLeft = step;
        deed = () -> fail(with);
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
        losing = null;
        cutOff = -1;
        lostUpTo = 0;
        disconnectsLeft.set(0);
        isFenced = false;
        ofRelease = null;
        return hasFailed;
    }

    /// Verbs to a memory server fail from now on.
    void cutOff(int server) {
        cutOff = server;
    }

    /// From step `step` of this thread on, counted from 0, verbs to a memory server fail.
    void cutOffAt(int step, int server) {
        doAt(step, () -> cutOff = server);
    }

    /// The next CAS of this word, by any queue pair, finds it locked for a moment.
    void holdOnce(long headerAddress) {
        held = headerAddress;
    }

    /// The connections of all queue pairs that there are now are lost.
    void loseAll() {
        lostUpTo = connected.get();
    }

    private void step() {
        Thread thread = Thread.currentThread();
        boolean isChosen = thread.equals(failing) || thread.getName().equals(failingName);
        if (isChosen && stepsLeft-- == 0) {
            failing = null;
            failingName = null;
            deed.run();
        }
    }

    private static void fail(Supplier<? extends Throwable> with) {
        FirstFailure failure = new FirstFailure();
        failure.add(with.get());
        failure.rethrow();
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
        step();
        QueuePair connected = actual.connect(regions);
        openQueuePairs.incrementAndGet();
        return new FailingQueuePair(connected);
    }

    private final class FailingQueuePair extends ForwardingQueuePair {
        private final int number = connected.incrementAndGet();
        private boolean isOpen = true;

        /// Whether the reply to a request that was posted gets lost.
        private boolean isReplyLost;

        FailingQueuePair(QueuePair actual) {
            super(actual);
        }

        @Override
        public void disconnect() {
            if (isFenced) {
                fencedDisconnects.incrementAndGet();
                throw new FabricException(FabricException.Kind.FENCED, "planted");
            }
            if (disconnectsLeft.getAndUpdate(left -> Math.max(0, left - 1)) == 1) {
                fail(ofDisconnect);
            }
            super.disconnect();
        }

        @Override
        public void close() {
            if (isOpen) {
                isOpen = false;
                openQueuePairs.decrementAndGet();
            }
            super.close();
            Supplier<? extends Throwable> with = ofClose;
            if (with != null) {
                ofClose = null;
                fail(with);
            }
        }

        @Override
        public boolean releaseLocalMemory(long address) {
            Supplier<? extends Throwable> with = ofRelease;
            if (with != null) {
                ofRelease = null;
                fail(with);
            }
            return super.releaseLocalMemory(address);
        }

        private void verb(long address) {
            requireConnection();
            FailingFabric.this.verb(address);
        }

        private void requireConnection() {
            if (number <= lostUpTo) {
                throw new FabricException(FabricException.Kind.CONNECTION_LOST, "lost");
            }
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
            if (isReplyLost) {
                isReplyLost = false;
                throw new FabricException(FabricException.Kind.CONNECTION_LOST, "planted");
            }
            requireConnection();
            step();
        }

        @Override
        protected long postRequest(int server, long source, int bytes, int replyBytes) {
            requireConnection();
            FailingFabric.this.request(server);
            if (Thread.currentThread().equals(losing) && repliesLeft-- == 0) {
                losing = null;
                isReplyLost = true;
            }
            return actual.request(server, source, bytes, replyBytes);
        }
    }
}

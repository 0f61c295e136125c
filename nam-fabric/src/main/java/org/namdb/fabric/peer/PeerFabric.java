package org.namdb.fabric.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;

/// A process's side of the network between compute servers. Processes are identified by numbers.
///
/// What is common to all providers is here: which requests have no answer yet, which peers are
/// refused, and the thread that passes arrived requests to the handler. A provider carries requests
/// to [#receive] of another process, and answers to [#complete] of the first.
public abstract class PeerFabric implements AutoCloseable {
    /// The largest request, and the largest answer.
    public static final int MAX_BYTES = 64 << 10;

    private static final int CHUNK = 64;
    private static final long POLL_NANOS = 10_000;

    private final int process;
    private final Host host;
    private final AtomicLong numbers = new AtomicLong();

    /// Requests without an answer, abandoned ones too, by their numbers: in the order in which they
    /// were posted.
    private final ConcurrentSkipListMap<Long, PeerReply> pending = new ConcurrentSkipListMap<>();

    private final Set<Integer> refused = ConcurrentHashMap.newKeySet();
    private final Queue<PeerRequest> inbox = new MpscUnboundedArrayQueue<>(CHUNK);
    private volatile @Nullable Thread receiving;

    /// Odd while the handler runs.
    private volatile long batches;

    private volatile boolean isClosed;

    protected PeerFabric(int process, Host host) {
        this.process = process;
        this.host = host;
    }

    /// This process's number.
    public final int process() {
        return process;
    }

    /// Has `handler` receive requests from now on, on a thread of this process. Called once; until
    /// then, requests wait.
    public final void serve(PeerHandler handler) {
        Thread _ = host.start("peers of process " + process, () -> handleRequests(handler));
    }

    /// Opens a thread's queue.
    public final PeerQueue connect() {
        return new PeerQueue(this);
    }

    /// Refuses a process that was declared dead, though it may live. When this returns, the handler
    /// works on none of its requests and gets no further one, and no answer of it is taken:
    /// requests to it fail with `PEER_GONE`, and its requests fail with `FENCED`. This is
    /// permanent.
    public final void refuse(int peer) {
        refused.add(peer);
        fail(
                peer,
                Long.MAX_VALUE,
                FabricException.Kind.PEER_GONE,
                "is refused by process " + process);
        awaitHandler();
    }

    /// Waits until the handler has finished the message it is handling, unless it is the caller.
    /// ```
    /// this thread                            handler's thread
    /// refuses, or closes                     is at work from now on
    /// is the handler at work?                is the peer refused, or all closed?
    /// ```
    /// At least one of them sees the other.
    private void awaitHandler() {
        long running = batches;
        if ((running & 1) != 0 && !Thread.currentThread().equals(receiving)) {
            while (batches == running) {
                host.sleep(POLL_NANOS);
            }
        }
    }

    /// Leaves: requests of this process that have no answer yet fail with `CONNECTION_LOST`, those
    /// that it has not answered with `PEER_GONE`. When this returns, the handler works no more,
    /// unless it is the caller.
    @Override
    public final void close() {
        isClosed = true;
        leave();
        pending.keySet()
                .forEach(number ->
                        fail(number, FabricException.Kind.CONNECTION_LOST, "is out of reach"));
        LockSupport.unpark(receiving);
        awaitHandler();
    }

    /// Carries a request to the process `peer`. Those to one process arrive in the order in which
    /// they are carried.
    ///
    /// @param number this process's number for it, for [#complete] and [#fail]
    protected abstract void carry(int peer, long number, byte[] request);

    /// Ends this process's connections, and notifies the peers.
    protected abstract void leave();

    /// Puts the calling thread aside until it is unparked, or for no reason.
    protected void park() {
        LockSupport.park(this);
    }

    /// The same, for at most so long.
    protected void park(long nanos) {
        LockSupport.parkNanos(this, nanos);
    }

    final long nanoTime() {
        return host.nanoTime();
    }

    final void post(byte[] bytes, PeerReply reply) {
        long number = numbers.incrementAndGet();
        reply.number = number;
        pending.put(number, reply); // first: a thread that fails requests from now on finds it
        if (isClosed) {
            fail(number, FabricException.Kind.CONNECTION_LOST, "is out of reach");
        } else if (refused.contains(reply.peer())) {
            fail(number, FabricException.Kind.PEER_GONE, "is refused by process " + process);
        } else {
            carry(reply.peer(), number, bytes);
        }
    }

    /// A request is waited for no more; it may be handled all the same, and stays pending until its
    /// answer comes or its connection is lost.
    final void abandon(PeerReply reply) {
        fail(reply, FabricException.Kind.CONNECTION_LOST, "has not answered in time");
    }

    /// A request has arrived here.
    protected final void receive(PeerRequest request) {
        inbox.add(request);
        LockSupport.unpark(receiving);
    }

    /// An answer has arrived here. That of a refused process is dropped, as its request has failed.
    protected final void complete(long number, byte[] answer) {
        PeerReply reply = pending.remove(number);
        if (reply != null) {
            reply.complete(answer);
        }
    }

    /// A request fails: `what` follows the peer's name.
    protected final void fail(long number, FabricException.Kind kind, String what) {
        PeerReply reply = pending.remove(number);
        if (reply != null) {
            fail(reply, kind, what);
        }
    }

    private static void fail(PeerReply reply, FabricException.Kind kind, String what) {
        reply.complete(new FabricException(kind, "process " + reply.peer() + " " + what));
    }

    /// How many requests were posted: the number of the last one.
    protected final long posted() {
        return numbers.get();
    }

    /// All requests to a peer that have no answer yet fail, up to the number `last`.
    protected final void fail(int peer, long last, FabricException.Kind kind, String what) {
        pending.headMap(last, true)
                .forEach((number, reply) -> {
                    if (reply.peer() == peer) {
                        fail(number, kind, what);
                    }
                });
    }

    private void handleRequests(PeerHandler handler) {
        receiving = Thread.currentThread();
        for (long count = 1; !isClosed; count += 2) {
            batches = count;
            boolean isIdle;
            try {
                isIdle = isClosed || !handleBatch(handler);
            } finally {
                batches = count + 1;
            }
            if (isIdle) {
                park();
            }
        }
    }

    /// Has what has arrived handled.
    ///
    /// @return whether there was anything
    private boolean handleBatch(PeerHandler handler) {
        List<PeerRequest> batch = new ArrayList<>();
        for (PeerRequest request = inbox.poll(); request != null; request = inbox.poll()) {
            if (refused.contains(request.from())) {
                request.reject();
            } else {
                batch.add(request);
            }
        }
        if (!batch.isEmpty()) {
            try {
                handler.handle(batch);
            } catch (Throwable e) { // other compute servers wait for this thread
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                batch.forEach(PeerRequest::rejectUnanswered);
            }
        }
        return !batch.isEmpty();
    }

    static void requireSize(byte[] message) {
        if (message.length > MAX_BYTES) {
            throw new FabricException(
                    FabricException.Kind.TOO_LARGE,
                    "a message of %,d bytes: compute servers send each other at most %,d"
                            .formatted(message.length, MAX_BYTES));
        }
    }
}

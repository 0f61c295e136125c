package org.namdb.fabric.rdma;

import java.lang.foreign.Arena;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RequestHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers the requests to one memory server, one at a time. A thread of its own, so that a handler
/// may take its time, and may call other memory servers of its process.
final class RequestThread {
    private static final Logger LOG = LoggerFactory.getLogger(RequestThread.class);
    private static final long WAKE_UP_MILLISECONDS = 50;

    private final int server;
    private final RequestHandler handler;
    private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final Thread thread;

    /// For the thread alone: the request that is being handled, a whole message, and its reply.
    private final Arena arena = Arena.ofAuto();

    private final long request = arena.allocate(Message.BUFFER_BYTES, Long.BYTES).address();
    private final long reply = arena.allocate(Message.MAX_BYTES, Long.BYTES).address();

    /// How it went ([Message.Answer]).
    private int failure;

    private volatile boolean closed;

    /// Nothing is taken out of the queue any more. Guarded by the queue.
    private boolean ended;

    RequestThread(int server, RequestHandler handler) {
        this.server = server;
        this.handler = handler;
        thread = Host.MACHINE.start("rdma-requests-" + server, this::run);
    }

    /// Takes the request that a connection has, a message of `bytes` bytes. It is not handled if
    /// the connection has ended until its turn comes.
    void take(Peer peer, int bytes) {
        afterThoseBefore(() -> handle(peer, bytes));
    }

    /// Runs something when all that was taken before has been handled.
    void afterThoseBefore(Runnable step) {
        synchronized (waiting) {
            if (!ended) {
                waiting.add(step);
                return;
            }
        }
        step.run();
    }

    private void run() {
        try {
            while (!closed) {
                Runnable next = waiting.poll(WAKE_UP_MILLISECONDS, TimeUnit.MILLISECONDS);
                if (next != null) {
                    next.run();
                }
            }
        } catch (InterruptedException _) {
            closed = true;
        }
        while (!hasEnded()) {
            waiting.remove().run();
        }
    }

    private boolean hasEnded() {
        synchronized (waiting) {
            ended = waiting.isEmpty();
            return ended;
        }
    }

    private void handle(Peer peer, int bytes) {
        if (closed) {
            peer.answer(Message.Answer.GONE, reply, 0);
            return;
        }
        if (!peer.copyRequest(request, bytes)) {
            return;
        }
        int replyBytes = Message.Request.replyBytes(LocalMemory.intAt(request));
        int length;
        try {
            length = Message.length(request, bytes);
        } catch (FabricException _) {
            peer.end(); // what it has sent is no message of ours
            return;
        }
        int answered = answer(length, Math.min(replyBytes, Message.MAX_BYTES));
        peer.answer(failure, reply, answered);
    }

    /// @return the length of the reply
    @SuppressWarnings("CatchingUnchecked") // whatever it is, the next request must be answered
    private int answer(int bytes, int replyBytes) {
        failure = Message.Answer.DONE;
        try {
            return RequestHandler.answer(
                    server, handler, request + Message.HEAD_BYTES, bytes, reply, replyBytes);
        } catch (FabricException e) {
            LOG.warn("a request has failed", e);
            failure =
                    e.kind() == FabricException.Kind.TOO_LARGE
                            ? Message.Answer.TOO_LARGE
                            : Message.Answer.FAILED;
        } catch (Error e) {
            LOG.error("a request has failed", e);
            failure = Message.Answer.FAILED;
        }
        return 0;
    }

    /// From now on what waits is answered with the failure that the server is gone.
    void close() {
        closed = true;
    }

    /// Until no request is being handled any more. After [#close].
    void awaitEnd() {
        if (!Thread.currentThread().equals(thread)) {
            Listener.join(thread);
        }
    }
}

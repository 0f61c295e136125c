package org.namdb.fabric.rdma;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.RequestHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers the requests to one memory server, one at a time. A thread of its own, so that a handler
/// may take its time, and may ask other memory servers of its process.
final class RequestThread {
    private static final Logger LOG = LoggerFactory.getLogger(RequestThread.class);
    private static final long WAKE_UP_MILLISECONDS = 50;

    private final RequestHandler handler;
    private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean closed;

    /// Nothing is taken out of the queue any more. Guarded by the queue.
    private boolean ended;

    RequestThread(int server, RequestHandler handler) {
        this.handler = handler;
        thread = Host.MACHINE.start("rdma-requests-" + server, this::run);
    }

    /// Takes a request. It is not handled if its connection has ended until its turn comes.
    void take(Peer peer, Message request) {
        afterThoseBefore(() -> {
            if (!peer.isEnded()) {
                peer.answer(answer(request.bytes()));
            }
        });
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

    @SuppressWarnings("CatchingUnchecked") // whatever it is, the next request must be answered
    private Message answer(byte[] request) {
        if (closed) {
            return new Message(Message.Answer.GONE, Message.NOTHING);
        }
        try {
            byte[] answer = handler.handle(request);
            return answer.length > Message.MOST_BYTES
                    ? new Message(Message.Answer.TOO_LARGE, Message.NOTHING)
                    : new Message(Message.Answer.DONE, answer);
        } catch (FabricException e) {
            LOG.warn("a request has failed", e);
            return new Message(Message.Answer.FAILED, Message.NOTHING);
        } catch (RuntimeException | Error e) {
            LOG.error("a request has failed", e);
            return new Message(Message.Answer.FAILED, Message.NOTHING);
        }
    }

    /// From now on whatever waits is answered with the news that the server is gone.
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

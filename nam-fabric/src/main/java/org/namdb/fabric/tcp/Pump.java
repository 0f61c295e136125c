package org.namdb.fabric.tcp;

import java.util.concurrent.atomic.AtomicBoolean;
import org.namdb.fabric.Host;

/// Sends and receives for the virtual threads of a crowd, as one of them: it yields between two
/// looks, so that whoever is ready runs first, and what all of them post goes out in one message.
/// ```
///   p   lands the replies for a, b, c: they are ready, and stand before p in the run queue
///   a, b, c   go on, post, and park
///   p   sends what all three have posted, looks for replies, ..
/// ```
/// A wake-up of the [Poller] for each message, and of carrier threads for those that it has come
/// for, costs more than the message. When nothing has come for a while, the poller takes over, and
/// the next of a crowd starts the pump again. The poller takes over, too, and everybody sends for
/// himself, while those who stand before the pump in the run queue keep it from its turn:
/// ```
///   p   lands the replies for a, b: they go on, and compute for seconds; there are two processors
///   c   a thread of another kind posts, and sees that p has not looked for long: it sends, and
///       arms the poller
/// ```
final class Pump implements Runnable {
    /// For how long it may not have looked before others do without it.
    static final long MOST_REST_NANOS = 2_000_000;

    private final AgentLink link;
    private final long patienceNanos;
    private final AtomicBoolean running = new AtomicBoolean();

    /// When it looked last, or was started.
    private volatile long lookedNanos;

    /// Whether it has heard of a crowd when it looked last.
    private boolean hasHeard;

    /// @param patienceNanos how long it looks in vain, or for one thread alone, before it ends; 0
    ///     if it is never to start
    Pump(AgentLink link, long patienceNanos) {
        this.link = link;
        this.patienceNanos = patienceNanos;
    }

    /// Whether it sends what is posted from now on, and lands the replies.
    boolean isRunning() {
        return running.get() && Host.MACHINE.nanoTime() - lookedNanos < MOST_REST_NANOS;
    }

    /// Starts it, unless it runs.
    void start() {
        if (patienceNanos > 0 && !running.get() && running.compareAndSet(false, true)) {
            boolean isStarted = false;
            lookedNanos = Host.MACHINE.nanoTime();
            try {
                Thread _ = Host.MACHINE.startOneOfMany("nam-tcp-pump", this);
                isStarted = true;
            } finally {
                if (!isStarted) {
                    running.set(false);
                    link.withoutPump();
                }
            }
        }
    }

    @Override
    public void run() {
        try {
            long heardNanos = Host.MACHINE.nanoTime();
            while (looks(heardNanos)) {
                heardNanos = hasHeard ? lookedNanos : heardNanos;
                Thread.yield();
            }
        } finally {
            running.set(false);
            link.withoutPump();
        }
    }

    /// Sends and receives once.
    ///
    /// @param heardNanos when a crowd was last heard of
    /// @return whether to go on: not if it has looked in vain, and for the last time
    private boolean looks(long heardNanos) {
        long now = Host.MACHINE.nanoTime();
        lookedNanos = now;
        link.send();
        boolean isCrowd = link.isCrowd();
        hasHeard = link.receive() && isCrowd;
        return hasHeard || now - heardNanos < patienceNanos;
    }
}

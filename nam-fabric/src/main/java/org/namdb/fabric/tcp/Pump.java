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
/// the next of a crowd starts the pump again.
final class Pump implements Runnable {
    private final AgentLink link;
    private final long patienceNanos;
    private final AtomicBoolean running = new AtomicBoolean();

    /// @param patienceNanos how long it looks in vain, or for one thread alone, before it ends; 0
    ///     if it is never to start
    Pump(AgentLink link, long patienceNanos) {
        this.link = link;
        this.patienceNanos = patienceNanos;
    }

    /// Whether it sends what is posted from now on, and lands the replies.
    boolean isRunning() {
        return running.get();
    }

    /// Starts it, unless it runs.
    void start() {
        if (patienceNanos > 0 && !running.get() && running.compareAndSet(false, true)) {
            boolean isStarted = false;
            try {
                Thread _ = Host.MACHINE.startOneOfMany("nam-tcp-pump", this);
                isStarted = true;
            } finally {
                if (!isStarted) {
                    running.set(false);
                }
            }
        }
    }

    @Override
    public void run() {
        try {
            long heardNanos = Host.MACHINE.nanoTime();
            long now = heardNanos;
            while (now - heardNanos < patienceNanos) {
                link.send();
                boolean isCrowd = link.isCrowd();
                if (link.receive() && isCrowd) {
                    heardNanos = now;
                }
                Thread.yield();
                now = Host.MACHINE.nanoTime();
            }
        } finally {
            running.set(false);
            link.withoutPump();
        }
    }
}

package org.namdb.fabric.tcp;

import java.util.concurrent.atomic.AtomicBoolean;
import org.namdb.fabric.Host;

/// The I/O loop of many virtual threads, one of them itself: it yields between two polls, so that
/// runnable threads run first, and what all of them post goes out in one message.
/// ```
///   p   lands the replies for a, b, c: they are ready, and stand before p in the run queue
///   a, b, c   go on, post, and park
///   p   sends what all three have posted, polls for replies, ..
/// ```
/// A wake-up of the [Poller] for each message, and of carrier threads for its receivers, costs more
/// than the message. When nothing has come for a while, the poller takes over, and the next virtual
/// thread starts the loop again. The poller also takes over, and each thread sends for itself,
/// while the threads before the loop in the run queue delay its turn:
/// ```
///   p   lands the replies for a, b: they go on, and compute for seconds; there are two processors
///   c   a platform thread posts, and sees that p has not polled for long: it sends, and
///       arms the poller
/// ```
final class IoLoop implements Runnable {
    /// For how long it may not have polled before others do without it.
    static final long MAX_REST_NANOS = 2_000_000;

    private final AgentLink link;
    private final long timeoutNanos;
    private final AtomicBoolean running = new AtomicBoolean();

    /// When it polled last, or was started.
    private volatile long polledNanos;

    /// Whether several threads were waiting when it polled last.
    private boolean hasHeard;

    /// @param timeoutNanos how long it polls without a reply, or for one thread alone, before it
    ///     ends; 0 if it is never to start
    IoLoop(AgentLink link, long timeoutNanos) {
        this.link = link;
        this.timeoutNanos = timeoutNanos;
    }

    /// Whether it sends what is posted from now on, and lands the replies.
    boolean isRunning() {
        return running.get() && Host.MACHINE.nanoTime() - polledNanos < MAX_REST_NANOS;
    }

    /// Starts it, unless it runs.
    void start() {
        if (timeoutNanos > 0 && !running.get() && running.compareAndSet(false, true)) {
            boolean isStarted = false;
            polledNanos = Host.MACHINE.nanoTime();
            try {
                Thread _ = Host.MACHINE.startOneOfMany("nam-tcp-io", this);
                isStarted = true;
            } finally {
                if (!isStarted) {
                    running.set(false);
                    link.withoutIoLoop();
                }
            }
        }
    }

    @Override
    public void run() {
        try {
            long heardNanos = Host.MACHINE.nanoTime();
            while (looks(heardNanos)) {
                heardNanos = hasHeard ? polledNanos : heardNanos;
                Thread.yield();
            }
        } finally {
            running.set(false);
            link.withoutIoLoop();
        }
    }

    /// Sends and receives once.
    ///
    /// @param heardNanos when several threads last waited
    /// @return whether to go on: not if it has polled without a reply until its timeout
    private boolean looks(long heardNanos) {
        long now = Host.MACHINE.nanoTime();
        polledNanos = now;
        link.send();
        boolean isCrowd = link.isCrowd();
        hasHeard = link.receive() && isCrowd;
        return hasHeard || now - heardNanos < timeoutNanos;
    }
}

package org.namdb.fabric.rdma;

import org.namdb.fabric.Host;

/// How a thread waits for completions: it polls, yields after a while, and now and then checks that
/// there is still something to wait for.
final class CompletionWait {
    private static final int SPINS = 200;
    private static final int POLLS_PER_CLOCK = 64;
    private static final long CHECK_NANOS = 20_000_000;

    private final long timeoutNanos;
    private int polls;
    private long start;
    private long lastCheck;

    CompletionWait(long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
    }

    /// There was progress: the timeout restarts.
    void renew() {
        polls = 0;
    }

    /// Waits a little. Returns whether it is time to see whether the connections still stand.
    @SuppressWarnings("ThreadPriorityCheck") // the awaited thread may need this processor
    boolean pause() {
        polls++;
        if (polls < SPINS && !Thread.currentThread().isVirtual()) {
            Thread.onSpinWait();
            return false;
        }
        Thread.yield();
        if (polls % POLLS_PER_CLOCK != 0) {
            return false;
        }
        long now = Host.MACHINE.nanoTime();
        if (polls <= SPINS + POLLS_PER_CLOCK) {
            start = now;
            lastCheck = now;
        }
        if (now - lastCheck < CHECK_NANOS) {
            return false;
        }
        lastCheck = now;
        return true;
    }

    /// Whether nothing has come for too long.
    boolean isOver() {
        return Host.MACHINE.nanoTime() - start > timeoutNanos;
    }
}

package org.namdb.mvcc.owner;

import org.namdb.fabric.Host;

/// The owner of latches: the timestamp slot that its latches bear, and how its thread waits for
/// those of others. A wait starts with a few tries at once, then yields the processor between them,
/// then sleeps longer and longer; it ends with an exception when the statement is cancelled, or at
/// its timeout. A waiter holds no latch.
/// ```java
/// owner.startWait();
/// while (!tryLatch()) {
///     owner.pause(LatchKind.BUCKET, home, holder);
/// }
/// ```
/// Belongs to one thread, which waits for one latch at a time.
public final class LatchOwner {
    /// Called while a thread waits; throws if its statement is cancelled.
    @FunctionalInterface
    public interface Cancellation {
        /// For work that is never cancelled.
        Cancellation NEVER = () -> {};

        /// Throws if the wait is to end.
        void check();
    }

    private static final int SPINS = 32;
    private static final int YIELDS = 256;
    private static final long MIN_SLEEP_NANOS = 100_000;
    private static final int MAX_DOUBLINGS = 4;

    /// In the place of a holder: it is unknown.
    public static final int UNKNOWN = -1;

    private int slot;
    private final Host host;
    private final long limitNanos;
    private final Cancellation cancellation;
    private int attempts;
    private long waitsSince;

    /// @param slot the number of the timestamp slot that the latches bear
    /// @param host the clock, and the sleep
    /// @param limitNanos the timeout; below 0 for one that ends after the tries at once
    /// @param cancellation called during a wait
    public LatchOwner(int slot, Host host, long limitNanos, Cancellation cancellation) {
        this.slot = slot;
        this.host = host;
        this.limitNanos = limitNanos;
        this.cancellation = cancellation;
    }

    /// The number of the slot.
    public int slot() {
        return slot;
    }

    /// For a thread that works for one session after the other: from now on its latches bear this
    /// slot. Nothing is latched.
    public void actFor(int newSlot) {
        slot = newSlot;
    }

    /// The same owner, for what is not cancelled any more.
    public LatchOwner uncancellable() {
        return new LatchOwner(slot, host, limitNanos, Cancellation.NEVER);
    }

    /// Ends what takes long, as a wait would end; to be called where nothing is latched.
    public void checkCancelled() {
        cancellation.check();
    }

    /// Another wait begins.
    public void startWait() {
        attempts = 0;
    }

    /// Waits a little, after a try that has failed.
    ///
    /// @param address the remote address of what is latched
    /// @param holder the slot that holds the latch, or [#UNKNOWN]
    /// @throws LatchTimeoutException at the timeout
    public void pause(LatchKind kind, long address, int holder) {
        if (attempts < SPINS) {
            attempts++;
            Thread.onSpinWait();
            return;
        }
        cancellation.check();
        long now = host.nanoTime();
        if (attempts == SPINS) {
            waitsSince = now;
        }
        if (now - waitsSince > limitNanos) {
            throw new LatchTimeoutException(kind, address, holder, now - waitsSince);
        }
        attempts++;
        if (attempts <= SPINS + YIELDS) {
            Thread.yield();
        } else {
            int doublings = Math.min(attempts - SPINS - YIELDS, MAX_DOUBLINGS);
            host.sleep(MIN_SLEEP_NANOS << doublings);
        }
    }
}

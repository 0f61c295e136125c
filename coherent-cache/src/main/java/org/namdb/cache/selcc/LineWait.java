package org.namdb.cache.selcc;

import org.namdb.fabric.Host;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.owner.LatchOwner.Cancellation;

/// How long an access to a line waits for others: pauses between its attempts, up to a limit. Used
/// again for the next access of the thread.
final class LineWait {
    static final long MIN_PAUSE_NANOS = 1_000;
    private static final long MAX_PAUSE_NANOS = 64_000;

    private final LineCache cache;
    private final Host host;
    private int waits;

    private boolean isWaiting;

    /// When the wait began, if it waits.
    private long waitsSince;

    private long limitNanos;
    private boolean isBusyEnd;
    private Cancellation cancellation = Cancellation.NEVER;

    LineWait(LineCache cache) {
        this.cache = cache;
        this.host = cache.host();
    }

    /// An access begins.
    ///
    /// @param cancelled polled while it waits; what it throws ends the wait
    void begin(long maxNanos, Cancellation cancelled) {
        waits = 0;
        isWaiting = false;
        limitNanos = maxNanos;
        cancellation = cancelled;
        isBusyEnd = false;
    }

    /// An access begins that ends as soon as it finds the line in use. It waits for answers alone.
    void beginOnce() {
        begin(cache.waitNanos(), Cancellation.NEVER);
        isBusyEnd = true;
    }

    /// The priority of a request: how often it has waited.
    int priority() {
        return Math.min(waits, LineRequest.MAX_PRIORITY);
    }

    /// Waits a while for another thread.
    void pause(long line) {
        sleep(line, MIN_PAUSE_NANOS << Math.min(waits, 16));
    }

    /// Waits about so long for a thread that is using the line.
    void sleep(long line, long nanos) {
        if (isBusyEnd) {
            throw LineTimeoutException.BUSY;
        }
        nextAttempt(line);
        host.sleep(Math.clamp(nanos, MIN_PAUSE_NANOS, MAX_PAUSE_NANOS));
    }

    /// Counts another attempt, which is about to be made; throws if the wait has taken too long.
    void nextAttempt(long line) {
        checkEnd();
        waits++;
        long waited = waitedNanos();
        if (waited >= limitNanos) {
            throw new LineTimeoutException(
                    "line %s was in use for %,d ms: close guards promptly, and latch lines in ascending address order"
                            .formatted(RemoteAddress.describe(line), waited / 1_000_000));
        }
    }

    /// Throws if the wait is cancelled, or the cache has failed.
    void checkEnd() {
        cache.requireUsable();
        cancellation.check();
    }

    /// How long it may wait still.
    long leftNanos() {
        return limitNanos - waitedNanos();
    }

    /// How long it has waited: since the first call of this.
    private long waitedNanos() {
        long now = host.nanoTime();
        if (!isWaiting) {
            isWaiting = true;
            waitsSince = now;
        }
        return now - waitsSince;
    }
}

package org.namdb.compute;

import org.namdb.fabric.Host;

/// A request to stop what a session is running: from another thread, or at a deadline. The
/// session's thread polls it, and alone sets and clears the deadline.
final class Cancellation {
    private final Host host;

    /// Set by other threads.
    private volatile boolean isRequested;

    /// When what is running has taken too long, on the host's clock; only if there is such
    /// a moment.
    private long deadlineNanos;

    private boolean hasDeadline;

    Cancellation(Host host) {
        this.host = host;
    }

    /// For any thread.
    void request() {
        isRequested = true;
    }

    void requestAfter(long nanos) {
        deadlineNanos = host.nanoTime() + nanos;
        hasDeadline = true;
    }

    void clear() {
        isRequested = false;
        hasDeadline = false;
    }

    /// Throws if there is such a request, and clears it.
    void check() {
        if (isRequested) {
            isRequested = false;
            throw StatementCancelledException.requested();
        }
        if (hasDeadline && host.nanoTime() - deadlineNanos >= 0) {
            hasDeadline = false;
            throw StatementCancelledException.tooLong();
        }
    }
}

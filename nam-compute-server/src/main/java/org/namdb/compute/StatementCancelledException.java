package org.namdb.compute;

import org.namdb.mvcc.owner.CancelledException;

/// What a session was running was cancelled: by another thread ([Session#cancel]), or because it
/// took too long ([Session#cancelAfter]). The transaction is intact: it may go on, be rolled back
/// to a savepoint, or end.
public final class StatementCancelledException extends CancelledException {
    private static final long serialVersionUID = 1L;

    private final boolean isTimeout;

    private StatementCancelledException(String message, boolean isTimeout) {
        super(message);
        this.isTimeout = isTimeout;
    }

    static StatementCancelledException requested() {
        return new StatementCancelledException("cancelled at another thread's request", false);
    }

    static StatementCancelledException tooLong() {
        return new StatementCancelledException("cancelled because it took too long", true);
    }

    /// Whether it was the time that ended it.
    public boolean isTimeout() {
        return isTimeout;
    }
}

package org.namdb.compute;

/// Another thread wants what a session is running to end: see [Session#cancel]. The transaction is as good as before, and may go on, be rolled back to a savepoint,
/// or end.
public final class StatementCancelledException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StatementCancelledException() {
        super("cancelled at another session's request");
    }
}

package org.namdb.compute;

/// Leaves a transaction's body early; what has happened is the transaction's outcome: see
/// [Transaction#abortOutcome]. A body lets it pass. Has no stack trace and is made once, since an
/// abort is an ordinary outcome.
public final class TransactionAborted extends RuntimeException {
    static final TransactionAborted INSTANCE = new TransactionAborted();

    private static final long serialVersionUID = 1L;

    private TransactionAborted() {
        super("the transaction is aborted", null, false, false);
    }
}

package org.namdb.compute;

import org.namdb.compute.commit.CommitOutcome;

/// A transaction could not be committed, and nothing of it has happened.
public final class TransactionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient CommitOutcome outcome;

    /// What to throw for the outcome of a transaction that was opened by [Session#begin].
    public TransactionException(CommitOutcome outcome) {
        this(outcome, 1);
    }

    TransactionException(CommitOutcome outcome, int attempts) {
        super(message(outcome) + (attempts > 1 ? ", in " + attempts + " attempts" : ""));
        this.outcome = outcome;
    }

    /// How the last attempt ended.
    public CommitOutcome outcome() {
        return outcome;
    }

    private static String message(CommitOutcome outcome) {
        return switch (outcome) {
            case CommitOutcome.WriteConflict c ->
                    "write conflict: another transaction has changed " + c.table() + c.key();
            case CommitOutcome.DuplicateKey d ->
                    "duplicate key: " + d.table() + d.key() + " is there already";
            case CommitOutcome.SnapshotTooOld s ->
                    "snapshot too old: the transaction took longer than the maximum transaction time";
            case CommitOutcome.MemoryFull m -> m.message();
            case CommitOutcome.JournalFull j -> j.message();
            case CommitOutcome.RolledBack r -> "rolled back";
            case CommitOutcome.Committed c -> "committed";
        };
    }
}

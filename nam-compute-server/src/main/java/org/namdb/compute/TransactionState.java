package org.namdb.compute;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.maintenance.SessionFailure;
import org.namdb.compute.read.ReadGuard;
import org.namdb.fabric.FabricException;

/// How far a session's transaction is: none, about to begin, running, open; and whether it was
/// aborted, or shall be rolled back. Decides whether it may go on.
final class TransactionState implements ReadGuard {
    private final ComputeServer server;
    private final Cancellation cancellation;
    private final SessionFailure fatalFailure;
    private boolean isStarting;
    private boolean isRunning;
    private boolean isOpen;
    private boolean isRolledBack;
    private @Nullable CommitOutcome abort;

    TransactionState(ComputeServer server, Cancellation cancellation, SessionFailure fatalFailure) {
        this.server = server;
        this.cancellation = cancellation;
        this.fatalFailure = fatalFailure;
    }

    /// Throws if there is a transaction.
    void requireNone() {
        if (isRunning) {
            throw new IllegalStateException(
                    isOpen
                            ? "a transaction is open: commit it, or roll it back"
                            : "a transaction is running: transactions don't nest");
        }
    }

    void requireOpen() {
        if (!isOpen) {
            throw new IllegalStateException("no transaction is open");
        }
    }

    void setStarting(boolean isSo) {
        isStarting = isSo;
    }

    void setOpen(boolean isSo) {
        isOpen = isSo;
    }

    /// A transaction begins, behind the schema latch.
    void begin() {
        isRunning = true;
        isRolledBack = false;
        abort = null;
    }

    void end() {
        isRunning = false;
    }

    boolean isRunning() {
        return isRunning;
    }

    /// Whether a transaction is open, by [Session#begin].
    boolean isOpen() {
        return isOpen;
    }

    void rollBack() {
        isRolledBack = true;
    }

    boolean isRolledBack() {
        return isRolledBack;
    }

    /// How the transaction was aborted; null if it was not.
    @Nullable CommitOutcome abort() {
        return abort;
    }

    /// The transaction was rolled back to before its abort; its snapshot is as old as it was.
    void forgive() {
        if (!(abort instanceof CommitOutcome.SnapshotTooOld)) {
            abort = null;
        }
    }

    @Override
    public TransactionAborted abort(CommitOutcome outcome) {
        abort = outcome;
        return TransactionAborted.INSTANCE;
    }

    @Override
    public void checkCancelled() {
        cancellation.check();
    }

    @Override
    public void checkHeld() {
        server.checkHeld();
    }

    @Override
    public FabricException lost(FabricException cause) {
        fatalFailure.note(cause);
        return cause;
    }

    /// Polled while the session waits for the schema latch. A waiting statement can be cancelled,
    /// and ends with the lease; the session's own maintenance does not.
    void checkStart() {
        if (isStarting) {
            cancellation.check();
            server.checkHeld();
        }
    }

    /// Polled while the session waits for a latch. Its own maintenance, such as garbage collection,
    /// belongs to no statement; nor does what a borrower does, even while a statement waits
    /// outside:
    /// ```
    /// s  begins, finds another epoch, releases the schema latch and waits
    /// b  borrows the session, collects, waits for a latch
    /// c  cancels the statement of s, which is to notice it, and not b
    /// ```
    void checkLatchWait(boolean isBorrowed) {
        server.checkNotFenced(); // no process may be left to recover a dead lock holder
        if (isRunning && !isBorrowed) {
            cancellation.check();
        }
    }
}

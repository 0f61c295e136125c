package org.namdb.compute;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.maintenance.SessionFailure;
import org.namdb.compute.read.ReadGuard;
import org.namdb.compute.read.ReadSnapshot;
import org.namdb.fabric.FabricException;

/// A session's pending outcome while its transaction runs: it was aborted, or shall be rolled back,
/// or neither yet.
final class PendingOutcome implements ReadGuard {
    private final ReadSnapshot held;
    private final Cancellation cancellation;
    private final SessionFailure fatalFailure;
    private final ComputeServer server;
    private boolean isRolledBack;
    private @Nullable CommitOutcome abort;

    PendingOutcome(
            ReadSnapshot held,
            Cancellation cancellation,
            SessionFailure fatalFailure,
            ComputeServer server) {
        this.held = held;
        this.cancellation = cancellation;
        this.fatalFailure = fatalFailure;
        this.server = server;
    }

    /// A transaction begins.
    void start() {
        isRolledBack = false;
        abort = null;
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
    public boolean isTooOld() {
        return held.isTooOld();
    }

    @Override
    public RuntimeException lost(FabricException cause) {
        fatalFailure.note(cause);
        return cause;
    }
}

package org.namdb.compute;

import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.admission.Admission;
import org.namdb.compute.commit.AbortCause;
import org.namdb.compute.commit.Commit;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.commit.ReadSnapshot;
import org.namdb.compute.commit.RequiredReads;
import org.namdb.compute.commit.WriteSet;
import org.namdb.compute.journal.SessionJournal;
import org.namdb.compute.maintenance.SessionFailure;
import org.namdb.compute.maintenance.SessionMaintenance;
import org.namdb.compute.read.ReadSet;
import org.namdb.compute.schema.SharedSchemaLatch;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.namdb.timestamp.snapshot.SnapshotOracle;

/// A session's transactions from their begin to their end: how they begin and choose a snapshot,
/// commit, are run again after a conflict, are rolled back, and fail; and how many have ended in
/// which way. The session's thread runs them, one at a time.
final class TransactionLifecycle {
    private final Session session;
    private final ComputeServer server;
    private final RetryPolicy policy;
    private final Host host;
    private final long outlastsNanos;
    private final SnapshotOracle oracle;
    private final ReadSnapshot held;
    private final TransactionState state;
    private final RequiredReads required;
    private final SessionJournal journal;
    private final Admission.Participant admission;
    private final SharedSchemaLatch sharedLatch;
    private final SessionFailure fatalFailure;
    private final SessionMaintenance maintenance;
    private final ReadSet readSet;
    private final Commit commit;
    private final TransactionAttempt attempt;
    private final SplittableRandom random;
    private final long[] outcomes = new long[AbortCause.values().length];
    private long retries;
    private @Nullable TransactionObserver observer;

    /// The schema epoch that the oracle's snapshots are not older than.
    private long epoch;

    /// @param session all of whose other parts are there
    /// @param held the snapshot of its transactions, which the oracle chooses
    /// @param required what its transactions rely on
    TransactionLifecycle(
            Session session,
            EmbeddedOptions options,
            SnapshotOracle oracle,
            ReadSnapshot held,
            TransactionState state,
            RequiredReads required,
            SessionJournal journal) {
        this.session = session;
        this.server = session.server;
        this.policy = options.retryPolicy();
        this.host = options.host();
        this.outlastsNanos = policy.outlastsTheDead() ? options.latchWait().toNanos() : 0;
        this.oracle = oracle;
        this.held = held;
        this.state = state;
        this.required = required;
        this.journal = journal;
        this.admission = session.admission();
        this.sharedLatch = session.sharedLatch;
        this.fatalFailure = session.fatalFailure;
        this.maintenance = session.maintenance();
        this.readSet = session.readSet;
        this.commit = session.commit;
        this.attempt = new TransactionAttempt(held.snapshot(), readSet);
        this.random = new SplittableRandom(session.slotNumber()); // of the pauses
    }

    /// Notifies `chosen` of every attempt, from the next transaction on.
    void observe(@Nullable TransactionObserver chosen) {
        observer = chosen;
    }

    /// Runs a procedure, again after a conflict, as the retry policy says. Neither a result nor an
    /// error is returned that a crash could undo.
    <A, R extends @Nullable Object> R call(StoredProcedure<A, R> procedure, A arguments) {
        boolean isDone = false;
        try {
            R result = runAndRetry(procedure, arguments);
            isDone = true;
            return result;
        } finally {
            awaitDurable(isDone);
        }
    }

    private void awaitDurable(boolean isDone) {
        try {
            if (isDone) {
                journal.awaitSeen();
            } else {
                journal.await(); // a conflict, too, may depend on what was not read
            }
        } catch (FabricException e) {
            fatalFailure.note(e);
            server.sessions().handOverIfFailed(session);
            throw e;
        }
    }

    private <A, R extends @Nullable Object> R runAndRetry(
            StoredProcedure<A, R> procedure, A arguments) {
        long firstNanos = outlastsNanos > 0 ? host.nanoTime() : 0;
        for (int number = 1; ; number++) {
            CommitOutcome outcome = null;
            long beganNanos = policy.measuresAttempts() ? host.nanoTime() : 0;
            admission.enter();
            try {
                begin(false, false);
                try {
                    R result = procedure.run(session.transaction, arguments);
                    outcome = commitOrAbort();
                    if (outcome instanceof CommitOutcome.Committed
                            || outcome instanceof CommitOutcome.RolledBack) {
                        count(outcome);
                        return result;
                    }
                } catch (TransactionAborted e) {
                    outcome = Objects.requireNonNull(state.abort());
                } catch (FabricException e) {
                    throw state.lost(e);
                } finally {
                    end(outcome);
                }
            } finally {
                admission.leave();
            }
            count(outcome);
            if (!outcome.isRetryable()
                    || number >= policy.attempts() && !isWithin(outlastsNanos, firstNanos)) {
                throw new TransactionException(outcome, number);
            }
            retries++;
            long attemptNanos = policy.measuresAttempts() ? host.nanoTime() - beganNanos : 0;
            host.sleep(policy.pauseNanos(number, attemptNanos, random.nextLong()));
        }
    }

    private boolean isWithin(long nanos, long sinceNanos) {
        return nanos > 0 && host.nanoTime() - sinceNanos < nanos;
    }

    /// Opens a transaction; what its snapshot shows is durable when this returns.
    ///
    /// @param isBeside whether it runs while another one of the same thread is open
    void open(boolean isBeside) {
        begin(true, isBeside);
        state.setOpen(true);
        try {
            journal.await(admission);
        } catch (Throwable e) {
            rollback();
            throw e;
        }
    }

    /// Commits the open transaction.
    ///
    /// @return the outcome, which is durable
    CommitOutcome commit() {
        state.requireOpen();
        state.setOpen(false);
        CommitOutcome outcome = null;
        try {
            outcome = commitOrAbort();
        } catch (FabricException e) {
            throw state.lost(e);
        } finally {
            end(outcome);
        }
        count(outcome);
        boolean isAnswer = !(outcome instanceof CommitOutcome.Committed) || journal.hasAppended();
        if (isAnswer && journal.wouldWait()) { // what was only read is durable since the begin
            admission.stepAside(); // permanently: only the outcome is left to report
            journal.await();
        }
        return outcome;
    }

    /// Ends the open transaction without a change.
    void rollback() {
        state.requireOpen();
        state.setOpen(false);
        CommitOutcome abort = state.abort();
        CommitOutcome outcome = abort != null ? abort : CommitOutcome.RolledBack.INSTANCE;
        end(fatalFailure.isThere() ? null : outcome);
        count(outcome);
    }

    /// A transaction begins, maybe while another is open; its snapshot is chosen now or with its
    /// reads.
    private void begin(boolean isChosenNow, boolean isBeside) {
        state.requireNone();
        commit.begin(); // also of one that can't begin: it has no commit timestamp
        server.checkHeld();
        boolean isReady = false;
        try {
            fatalFailure.requireNone(session.slotNumber());
            state.setStarting(true);
            sharedLatch.enter(isBeside);
            state.begin();
            held.begin();
            held.started(startSnapshot());
            readSet.start(isChosenNow, observer != null);
            isReady = true;
        } catch (FabricException e) {
            throw state.lost(e);
        } finally {
            state.setStarting(false);
            if (!isReady) {
                state.end();
                if (sharedLatch.isEnteredBy(Thread.currentThread())) { // else it may be borrowed
                    sharedLatch.leave();
                }
                server.sessions().handOverIfFailed(session);
            }
        }
    }

    /// Takes a snapshot that is not older than this compute server's schema. If the begin finds
    /// that another compute server has begun to change it, the transaction yields first, unless
    /// that waits for another one of the same thread.
    ///
    /// @return as of [SnapshotOracle#start]: whether the snapshot is chosen
    private boolean startSnapshot() {
        while (true) {
            long known = server.schemaLatch().epoch();
            if (known != epoch) {
                // Rows that were copied to another table are not in older snapshots.
                if (!PlantedFault.INDEX_SNAPSHOT_STALE.isPlanted()) {
                    oracle.expire();
                }
                epoch = known;
            }
            boolean isChosen = oracle.start(held.snapshot());
            if (oracle.schemaEpoch() <= known || sharedLatch.isBeside()) {
                return isChosen;
            }
            oracle.release();
            session.queuePair.await();
            sharedLatch.leave();
            sharedLatch.awaitOpen();
            sharedLatch.enter(false);
        }
    }

    /// Commits the running transaction, or returns how it was aborted.
    private CommitOutcome commitOrAbort() {
        CommitOutcome abort = state.abort(); // the body may have caught the abort
        if (abort != null) {
            return abort;
        }
        if (state.isRolledBack()) {
            return CommitOutcome.RolledBack.INSTANCE;
        }
        server.checkHeld(); // a memory server may have died, and this commit not need it
        try {
            WriteSet writes = readSet.changes().collect(required);
            if (!writes.isEmpty()) {
                readSet.settle();
            }
            CommitOutcome outcome = commit.commit(writes, required);
            return outcome instanceof CommitOutcome.MemoryFull full ? retryFull(full) : outcome;
        } catch (TransactionAborted e) {
            return Objects.requireNonNull(state.abort());
        } finally {
            fatalFailure.note(commit.fatalFailure());
        }
    }

    /// A commit has failed as a memory server is full: tries once more if memory can be freed, and,
    /// if it only deletes, by what memory servers keep for that. What a failed commit took is free
    /// when its error is returned.
    private CommitOutcome retryFull(CommitOutcome.MemoryFull failure) {
        journal.force(); // what is not durable is not collected
        if (!canRetry(failure)) {
            return failure;
        }
        WriteSet writes = readSet.changes().collect(required); // of which nothing is locked
        CommitOutcome outcome = failure;
        if (maintenance.freeMemory()) {
            outcome = commit.commit(writes, required);
        }
        if (canRetry(outcome) && writes.isOfDeletes()) {
            WriteSet deletes = readSet.changes().collect(required);
            outcome = maintenance.fromReserve(() -> commit.commit(deletes, required));
        }
        if (outcome instanceof CommitOutcome.MemoryFull && commit.fatalFailure() == null) {
            maintenance.releaseMemory();
        }
        return outcome;
    }

    private boolean canRetry(CommitOutcome outcome) {
        return outcome instanceof CommitOutcome.MemoryFull full
                && full.where() == CommitOutcome.MemoryFull.Where.SERVER
                && commit.fatalFailure() == null;
    }

    /// @param outcome null if an exception ends it
    private void end(@Nullable CommitOutcome outcome) {
        try {
            state.end();
            if (observer != null) { // while the rows of the transaction are still there
                attempt.ended(
                        outcome,
                        fatalFailure.isThere(),
                        commit.commitTimestamp(),
                        held.beginNanos(),
                        host.nanoTime());
                observer.ended(attempt);
            }
        } finally {
            release();
        }
    }

    /// What the transaction held is released. A failure from here on does not change its outcome.
    private void release() {
        try {
            try {
                oracle.release();
                session.queuePair.await();
                if (!fatalFailure.isThere()) {
                    maintenance.afterTransaction();
                }
            } finally {
                if (readSet.shrink()) { // it was a large one; no verb is in flight
                    required.clear();
                    commit.shrink();
                }
            }
        } catch (FabricException e) {
            maintenance.lost(e);
        } catch (AssertionError e) {
            throw e; // a violated invariant is no outcome
        } catch (Throwable e) {
            fatalFailure.note(e);
        } finally {
            sharedLatch.leave();
            server.sessions().handOverIfFailed(session);
        }
    }

    /// Counts an outcome. What a conflict was with is in a fresh snapshot, and in no older one.
    private void count(CommitOutcome outcome) {
        outcomes[AbortCause.of(outcome).ordinal()]++;
        if (outcome instanceof CommitOutcome.WriteConflict conflict) {
            server.sessions().conflict(conflict.table());
        }
        if (outcome.isRetryable()) {
            oracle.expire();
        }
    }

    long outcomes(AbortCause cause) {
        return outcomes[cause.ordinal()];
    }

    long retries() {
        return retries;
    }
}

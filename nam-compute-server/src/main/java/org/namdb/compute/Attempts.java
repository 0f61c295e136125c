package org.namdb.compute;

import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.admission.Admission;
import org.namdb.compute.commit.AbortCause;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.journal.SessionJournal;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;

/// Runs a session's procedures as transactions, again after a conflict, as the retry policy says;
/// and counts how attempts have ended.
final class Attempts {
    private final Session session;
    private final RetryPolicy policy;
    private final Host host;
    private final long outlastsNanos;
    private final Admission.Participant admission;
    private final SessionJournal journal;
    private final SplittableRandom random;
    private final long[] outcomes = new long[AbortCause.values().length];
    private long retries;

    /// @param seed of the random pauses
    Attempts(
            Session session,
            EmbeddedOptions options,
            Admission.Participant admission,
            SessionJournal journal,
            long seed) {
        this.session = session;
        this.policy = options.retryPolicy();
        this.host = options.host();
        this.outlastsNanos = policy.outlastsTheDead() ? options.latchWait().toNanos() : 0;
        this.admission = admission;
        this.journal = journal;
        this.random = new SplittableRandom(seed);
    }

    /// Neither a result nor an error is returned that a crash could undo.
    <A, R extends @Nullable Object> R run(
            Transaction transaction, StoredProcedure<A, R> procedure, A arguments) {
        boolean isDone = false;
        try {
            R result = tryAgain(transaction, procedure, arguments);
            isDone = true;
            return result;
        } finally {
            if (isDone) {
                journal.awaitSeen();
            } else {
                journal.await(); // a conflict, too, may depend on what was not read
            }
        }
    }

    private <A, R extends @Nullable Object> R tryAgain(
            Transaction transaction, StoredProcedure<A, R> procedure, A arguments) {
        long firstNanos = outlastsNanos > 0 ? host.nanoTime() : 0;
        for (int attempt = 1; ; attempt++) {
            CommitOutcome outcome = null;
            long beganNanos = policy.measuresAttempts() ? host.nanoTime() : 0;
            enter();
            try {
                R result = procedure.run(transaction, arguments);
                outcome = session.commitOutcome();
                if (outcome instanceof CommitOutcome.Committed
                        || outcome instanceof CommitOutcome.RolledBack) {
                    count(outcome);
                    return result;
                }
            } catch (TransactionAborted e) {
                outcome = Objects.requireNonNull(transaction.abortOutcome());
            } catch (FabricException e) {
                session.fatalFailure.note(e);
                throw e;
            } finally {
                try {
                    session.end(outcome);
                } finally {
                    admission.leave();
                }
            }
            count(outcome);
            if (!outcome.isRetryable()
                    || attempt >= policy.attempts() && !isWithin(outlastsNanos, firstNanos)) {
                throw new TransactionException(outcome, attempt);
            }
            retries++;
            long attemptNanos = policy.measuresAttempts() ? host.nanoTime() - beganNanos : 0;
            host.sleep(policy.pauseNanos(attempt, attemptNanos, random.nextLong()));
        }
    }

    private boolean isWithin(long nanos, long sinceNanos) {
        return nanos > 0 && host.nanoTime() - sinceNanos < nanos;
    }

    /// Starts an attempt when it is admitted.
    private void enter() {
        admission.enter();
        boolean isStarted = false;
        try {
            session.start(false, false);
            isStarted = true;
        } finally {
            if (!isStarted) {
                admission.leave();
            }
        }
    }

    /// Counts an outcome. What a conflict was with is in a fresh snapshot, and in no older one.
    void count(CommitOutcome outcome) {
        outcomes[AbortCause.of(outcome).ordinal()]++;
        if (outcome.isRetryable()) {
            session.expireSnapshot();
        }
    }

    long outcomes(AbortCause cause) {
        return outcomes[cause.ordinal()];
    }

    long retries() {
        return retries;
    }
}

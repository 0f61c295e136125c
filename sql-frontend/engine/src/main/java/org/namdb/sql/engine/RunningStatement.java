package org.namdb.sql.engine;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.LeaseLostException;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionAborted;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.VerbTally;
import org.namdb.sql.engine.monitor.SessionActivity;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;

/// The statement that a session runs, from before its admission to its end: it can be cancelled
/// meanwhile, and failures become errors of SQL. A query goes on until its result is at its end, or
/// closed.
final class RunningStatement implements CursorResult.Owner {
    /// How many messages are kept for a client.
    private static final int MAX_NOTICES = 1_000;

    private final SessionLease lease;
    private final TransactionBlock block;
    private final Settings settings;
    private final SessionActivity activity;
    private @Nullable CursorResult open;
    private String text = "";

    /// Guards what [#cancel] reads: a session of a pool is another one's as soon as this statement
    /// has ended.
    private final Object cancelLock = new Object();

    private boolean isRunning;

    /// How many calls of the session's thread use the block while a statement runs.
    private int uses;

    /// Whether another thread ends the block's transaction.
    private boolean isMakingWay;

    /// Whether it has its engine session.
    private boolean isHeld;

    private volatile boolean isCancelledEarly;

    /// Whether its open result waits for its reader, and there is nothing to cancel.
    private boolean isSuspended;

    /// Whether the session is to end: no statement begins any more.
    private boolean isTerminated;

    private VerbTally ended = VerbTally.NOTHING;

    /// Whether it has its permit to run.
    private boolean isAdmitted;

    private VerbTally before = VerbTally.NOTHING;

    /// How many rows the running statement has returned or changed.
    private long rows;

    private boolean hasFailed;

    /// The messages of procedures and functions that no result has taken yet.
    private final List<Notice> notices = new ArrayList<>();

    RunningStatement(
            SessionLease lease,
            TransactionBlock block,
            Settings settings,
            SessionActivity activity) {
        this.lease = lease;
        this.block = block;
        this.settings = settings;
        this.activity = activity;
    }

    /// Runs a statement.
    ///
    /// @param statement does it; it may leave a [result][#open] open
    /// @throws SqlException if it can't be done
    Result run(CompiledStatement compiled, Supplier<Result> statement) {
        closeResult();
        text = compiled.text();
        if (block.status() == TransactionStatus.FAILED) {
            requireRecovery(compiled.statement());
        }
        boolean isLeftOpen = false;
        try {
            begin(compiled);
            Result result = statement.get();
            isLeftOpen = open != null;
            rows = result.rowCount();
            return result;
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            throw failed(e);
        } catch (Error e) {
            hasFailed = true;
            failBlock(); // nothing of it is committed, nor stays open
            throw e;
        } finally {
            if (!isLeftOpen) {
                end();
            }
        }
    }

    private static void requireRecovery(Statement statement) {
        boolean ends =
                statement instanceof Statement.Rollback
                        || statement instanceof Statement.RollbackTo
                        || statement instanceof Statement.Commit;
        if (!ends) {
            throw aborted();
        }
    }

    static SqlException aborted() {
        return new SqlException(
                SqlState.IN_FAILED_TRANSACTION,
                "current transaction is aborted, commands ignored until end of transaction block");
    }

    /// A statement begins before it is admitted: from now on it can be cancelled, and is when it
    /// takes too long.
    private void begin(CompiledStatement compiled) {
        synchronized (cancelLock) {
            if (isTerminated) {
                throw terminated();
            }
            awaitWay();
            isCancelledEarly = false;
            isRunning = true;
        }
        try {
            block.locks().requireKept();
        } catch (SqlException e) {
            terminate();
            throw e;
        }
        hasFailed = false;
        rows = 0;
        activity.began(
                compiled.ownText(),
                compiled.normalized(),
                settings.sessionUser(),
                settings.applicationName());
        block.progress().begin();
        block.statementBegins();
        if (isOnlyOfBlock(compiled.statement()) && !lease.isHeld()) {
            return;
        }
        lease.acquire(() -> isCancelledEarly);
        Session engine = lease.session();
        before = engine.counters().tally();
        synchronized (cancelLock) {
            engine.clearCancel();
            if (isCancelledEarly) {
                engine.cancel();
            }
            isHeld = true;
        }
        limitTime(engine);
        engine.setDurability(settings.durability());
        engine.admission().enter();
        isAdmitted = true;
    }

    /// Does something with the block while no statement runs.
    <T> T undisturbed(Supplier<T> work) {
        synchronized (cancelLock) {
            awaitWay();
            uses++;
        }
        try {
            return work.get();
        } finally {
            synchronized (cancelLock) {
                uses--;
            }
        }
    }

    /// Does something with the block if the session does nothing. For any thread.
    void ifIdle(Runnable work) {
        synchronized (cancelLock) {
            if (isRunning || uses > 0 || isMakingWay) {
                return;
            }
            isMakingWay = true;
        }
        try {
            work.run();
        } finally {
            synchronized (cancelLock) {
                isMakingWay = false;
                cancelLock.notifyAll();
            }
        }
    }

    /// Waits for another thread in [#ifIdle].
    private void awaitWay() {
        boolean isInterrupted = false;
        while (isMakingWay) {
            try {
                cancelLock.wait();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// Whether a statement needs no engine session where no transaction is open. It must not fail
    /// for want of one: drivers send others behind it before they know.
    /// ```
    /// client              server
    /// BEGIN, INSERT
    ///                     BEGIN fails, as there is no session
    ///                     INSERT gets one, runs outside of a block, and is committed
    /// ROLLBACK
    /// ```
    private static boolean isOnlyOfBlock(Statement statement) {
        return statement instanceof Statement.Begin
                || statement instanceof Statement.Commit
                || statement instanceof Statement.Rollback;
    }

    private static SqlException terminated() {
        return new SqlException(
                SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
    }

    private void limitTime(Session engine) {
        long millis = settings.statementTimeoutMillis();
        if (millis > 0) {
            engine.cancelAfter(TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    /// Keeps a message of a procedure or function for the client, unless there are too many.
    void notice(Notice notice) {
        if (!settings.shows(notice)) {
            return;
        }
        if (notices.size() < MAX_NOTICES) {
            notices.add(notice);
        } else if (notices.size() == MAX_NOTICES) {
            notices.add(
                    Notice.warning(
                            "more than " + MAX_NOTICES + " messages: the others were dropped"));
        }
    }

    /// The messages since the last time.
    List<Notice> takeNotices() {
        List<Notice> taken = List.copyOf(notices);
        notices.clear();
        return taken;
    }

    /// Drops the messages of an attempt that is run again.
    void dropNotices() {
        notices.clear();
    }

    /// Lets others have its permit for a while.
    void stepAside(Host host, long nanos) {
        stepAside(() -> host.sleep(nanos));
    }

    /// Lets others have its permit while it waits.
    void stepAside(Runnable wait) {
        lease.session().admission().leave();
        isAdmitted = false;
        wait.run();
        lease.session().admission().enter();
        isAdmitted = true;
    }

    /// The open result is not going to be read for a while: others may run, no time counts, and a
    /// cancel comes too late:
    /// ```
    /// s  sends the rows requested, suspends
    /// c  cancels
    /// s  reads on, and must not fail
    /// ```
    void suspend() {
        if (open != null && isAdmitted) {
            isAdmitted = false;
            synchronized (cancelLock) {
                isSuspended = true;
                lease.session().clearCancel();
            }
            lease.session().admission().pause();
        }
    }

    /// The open result is read on.
    ///
    /// @throws SqlException if it is cancelled, or takes too long, before it may run; the result is
    ///     closed then
    void resume() {
        CursorResult result = open;
        if (result == null || isAdmitted) {
            return;
        }
        try {
            synchronized (cancelLock) {
                isSuspended = false;
                if (isTerminated) {
                    throw terminated();
                }
            }
            limitTime(lease.session());
            lease.session().admission().enter();
            isAdmitted = true;
        } catch (RuntimeException e) {
            throw result.fail(e);
        }
    }

    private void end() {
        synchronized (cancelLock) {
            if (!isRunning) {
                return;
            }
            isRunning = false;
            isSuspended = false;
            if (isHeld) {
                isHeld = false;
                lease.session().clearCancel();
            } else {
                ended = VerbTally.NOTHING;
                activity.ended(state(), hasFailed, rows, ended, logFromNanos());
                return;
            }
        }
        Session engine = lease.session();
        if (isAdmitted) {
            isAdmitted = false;
            if (engine.isOpen()) {
                engine.admission().pause();
            } else {
                engine.admission().leave();
            }
        }
        ended = verbs();
        activity.ended(state(), hasFailed, rows, ended, logFromNanos());
        releaseIfIdle();
    }

    private SessionActivity.State state() {
        return switch (block.status()) {
            case IDLE -> SessionActivity.State.IDLE;
            case ACTIVE -> SessionActivity.State.IN_TRANSACTION;
            case FAILED -> SessionActivity.State.IN_FAILED_TRANSACTION;
        };
    }

    private long logFromNanos() {
        return TimeUnit.MILLISECONDS.toNanos(settings.logMinDurationMillis());
    }

    private void releaseIfIdle() {
        if (!block.isBlock()) {
            lease.release();
            if (!lease.isHeld()) {
                block.forgetLast();
            }
        }
    }

    /// The result of a query, whose rows are made as they are read.
    ///
    /// @param verb what its tag begins with
    CursorResult open(String verb, List<ResultColumn> columns, TupleCursor tuples) {
        CursorResult result = new CursorResult(this, verb, columns, tuples);
        open = result;
        return result;
    }

    /// Closes the result that is open, if one is: its rows can't be read any more.
    void closeResult() {
        CursorResult result = open;
        if (result != null) {
            result.close();
        }
    }

    /// Whether its commit is being rolled back. For any thread.
    boolean isRollingBack() {
        synchronized (cancelLock) {
            return isRunning && isHeld && lease.session().isRollingBack();
        }
    }

    /// Makes the statement fail with 57014; does nothing if none runs. For any thread.
    void cancel() {
        synchronized (cancelLock) {
            if (!isRunning || isSuspended) {
                return;
            }
            if (isHeld) {
                lease.session().cancel();
                return;
            }
            isCancelledEarly = true;
        }
        lease.wake();
    }

    /// Cancels the running statement, and has all fail that would begin later. For any thread.
    void terminate() {
        synchronized (cancelLock) {
            isTerminated = true;
        }
        cancel();
    }

    /// The verbs that the last statement has cost that has ended.
    VerbTally endedVerbs() {
        return ended;
    }

    /// The verbs that the last statement has cost so far.
    VerbTally verbs() {
        return lease.isHeld()
                ? lease.session().counters().tally().minus(before)
                : VerbTally.NOTHING;
    }

    /// A statement has failed before it could be run.
    ///
    /// @return the error
    SqlException failed(String sql, Throwable failure) {
        text = sql;
        return failed(failure);
    }

    private SqlException failed(Throwable failure) {
        hasFailed = true;
        SqlException error = errorOf(failure);
        try {
            failBlock();
        } catch (FabricException e) {
            error.addSuppressed(e);
        }
        return error.inText(text);
    }

    private void failBlock() {
        boolean _ =
                undisturbed(() -> {
                    block.fail();
                    return true;
                });
    }

    /// Whether a transaction has lost a conflict, so that another attempt may succeed.
    boolean isConflict(RuntimeException failure) {
        if (failure instanceof TransactionAborted
                && lease.session().abortOutcome() instanceof CommitOutcome.WriteConflict) {
            return true; // most are; what it was is read by people only
        }
        SqlException error = errorOf(failure);
        return error.state() == SqlState.SERIALIZATION_FAILURE
                && !(error.getCause() instanceof LeaseLostException);
    }

    /// What SQL calls a failure, made when it is needed: the transaction may have ended then.
    Supplier<SqlException> laterErrorOf(Throwable failure) {
        CommitOutcome abort = lease.isHeld() ? lease.session().abortOutcome() : null;
        return () -> EngineFailures.of(failure, abort, block.catalog());
    }

    /// What SQL calls a failure.
    SqlException errorOf(Throwable failure) {
        return block.temporary().shown(laterErrorOf(failure).get());
    }

    @Override
    public List<Notice> notices() {
        return takeNotices();
    }

    @Override
    public ZoneId zone() {
        return block.zone();
    }

    @Override
    public void ended(CursorResult result) {
        open = null;
        rows = result.rowCount();
        try {
            if (!block.isBlock()) {
                block.commit();
            }
        } catch (RuntimeException e) {
            throw failed(e);
        } finally {
            end();
        }
    }

    @Override
    public RuntimeException failed(CursorResult result, Throwable failure) {
        open = null;
        rows = result.rowCount();
        try {
            return failed(failure);
        } finally {
            end();
        }
    }
}

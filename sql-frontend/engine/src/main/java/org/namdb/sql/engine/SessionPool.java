package org.namdb.sql.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FirstFailure;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.timestamp.SlotsExhaustedException;

/// Engine sessions that many SQL sessions share. A SQL session holds one of them while a statement
/// or a transaction block runs, and none in between: then it keeps its settings and its prepared
/// statements, but no slot and no snapshot. Those that find none free wait in order of arrival, for
/// a limited time.
///
/// ```java
/// try (SessionPool pool = new SessionPool(database, 32, Duration.ofSeconds(10));
///         SqlSession session = pool.session(1)) { .. }
/// ```
public final class SessionPool implements AutoCloseable {
    /// How long no session is opened after other processes have had all slots.
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final SqlDatabase database;
    private final int maxSessions;
    private final long timeoutNanos;
    private final ReentrantLock lock = new ReentrantLock();

    /// The last one returned is the first to be taken again. Empty while a session waits.
    private final Deque<EngineSession> idle = new ArrayDeque<>();

    /// The first of them alone may take an idle session, or open one.
    private final Deque<Waiter> waiters = new ArrayDeque<>();

    /// How many are open, or being opened.
    private int open;

    /// No session is opened before this, on the host's clock.
    private long retryNanos;

    private boolean isClosed;

    /// A SQL session that waits; guarded by the lock.
    private static final class Waiter {
        private final Condition condition;
        private final long endNanos;
        private @Nullable EngineSession given;

        /// Why it could not open a session.
        private @Nullable SlotsExhaustedException exhausted;

        private Waiter(Condition condition, long endNanos) {
            this.condition = condition;
            this.endNanos = endNanos;
        }
    }

    /// @param maxSessions how many engine sessions there are at most
    /// @param timeout how long a SQL session waits for one
    public SessionPool(SqlDatabase database, int maxSessions, Duration timeout) {
        if (maxSessions < 1) {
            throw new IllegalArgumentException("1 or more sessions, not " + maxSessions);
        }
        this.database = database;
        this.maxSessions = maxSessions;
        this.timeoutNanos = timeout.toNanos();
        this.retryNanos = database.host().nanoTime();
    }

    /// Opens a SQL session that takes its engine sessions from here.
    ///
    /// @param number what `pg_backend_pid()` gives in it
    public SqlSession session(int number) {
        return database.open(SessionLease.of(database, this), number, null);
    }

    /// How many engine sessions run a statement or a block now.
    public int used() {
        lock.lock();
        try {
            return open - idle.size();
        } finally {
            lock.unlock();
        }
    }

    /// Takes a session, when there is one.
    ///
    /// @param isCancelled ends the wait; [#wake] has it checked
    /// @throws SqlException 53300 if there was none in time, 57014 if the wait was cancelled, 57P01
    ///     if the pool is closed
    /// @throws SlotsExhaustedException if other processes had all slots all the time
    EngineSession acquire(BooleanSupplier isCancelled) {
        EngineSession idling = takeIdle();
        while (idling != null && idling.session().isFailed()) {
            close(idling);
            idling = takeIdle();
        }
        if (idling != null) {
            return idling;
        }
        Waiter waiter = new Waiter(lock.newCondition(), database.host().nanoTime() + timeoutNanos);
        while (true) {
            EngineSession session = await(waiter, isCancelled);
            if (session == null) {
                session = open(waiter);
            }
            if (session != null) {
                return session;
            }
        }
    }

    private @Nullable EngineSession takeIdle() {
        lock.lock();
        try {
            requireOpen();
            return idle.pollFirst();
        } finally {
            lock.unlock();
        }
    }

    /// Closes a session that has failed. Not under the lock: that takes verbs, and all others would
    /// wait for them.
    private void close(EngineSession failed) {
        new FirstFailure().attempt(failed.session()::close);
        uncount(false);
    }

    private void requireOpen() {
        if (isClosed) {
            throw new SqlException(
                    SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
        }
    }

    /// Waits for a session that is returned, or for leave to open one, which is counted then.
    ///
    /// @return null if the caller is to open one
    private @Nullable EngineSession await(Waiter waiter, BooleanSupplier isCancelled) {
        lock.lock();
        try {
            if (waiter.exhausted == null) {
                waiters.addLast(waiter);
            } else {
                waiters.addFirst(waiter); // it has been the first already
            }
            while (waiter.given == null) {
                requireOpen();
                boolean isFirst = waiter.equals(waiters.peekFirst());
                EngineSession session = isFirst ? idle.pollFirst() : null;
                if (session != null && session.session().isFailed()) {
                    lock.unlock();
                    try {
                        close(session);
                    } finally {
                        lock.lock();
                    }
                    continue; // it may have been given another one
                }
                if (session != null) {
                    return session;
                }
                if (isCancelled.getAsBoolean()) {
                    throw cancelled();
                }
                long now = database.host().nanoTime();
                long nanos = waiter.endNanos - now;
                if (nanos <= 0) {
                    throw waiter.exhausted == null ? allBusy() : waiter.exhausted;
                }
                if (isFirst && open < maxSessions) {
                    if (now - retryNanos >= 0) {
                        open++;
                        return null;
                    }
                    nanos = Math.min(nanos, retryNanos - now);
                }
                waiter.condition.awaitNanos(nanos);
            }
            return waiter.given;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            if (waiter.given != null) {
                return waiter.given;
            }
            throw cancelled();
        } finally {
            waiters.remove(waiter);
            signalFirst();
            lock.unlock();
        }
    }

    private void signalFirst() {
        Waiter first = waiters.peekFirst();
        if (first != null) {
            first.condition.signal();
        }
    }

    private static SqlException cancelled() {
        return new SqlException(SqlState.QUERY_CANCELED, "canceling statement due to user request");
    }

    private SqlException allBusy() {
        return new SqlException(
                        SqlState.TOO_MANY_SESSIONS,
                        "all " + maxSessions + " sessions are busy with open transactions")
                .withHint(
                        "End idle transactions, set idle_in_transaction_session_timeout, or start"
                                + " the server with more --sessions.");
    }

    /// Opens one that is counted already.
    ///
    /// @return null if other processes have all slots: they may free one later, and a session of
    ///     this process may be returned
    private @Nullable EngineSession open(Waiter waiter) {
        EngineSession session = null;
        boolean isKept = false;
        try {
            session = EngineSession.open(database);
            isKept = !isClosed();
        } catch (SlotsExhaustedException e) {
            waiter.exhausted = e;
        } finally {
            if (!isKept) {
                uncount(waiter.exhausted != null);
            }
        }
        if (session != null && !isKept) {
            session.session().close(); // the next wait says why
            return null;
        }
        return session;
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return isClosed;
        } finally {
            lock.unlock();
        }
    }

    private void uncount(boolean isExhausted) {
        lock.lock();
        try {
            open--;
            if (isExhausted) {
                retryNanos = database.host().nanoTime() + RETRY_NANOS;
            }
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    /// Returns a session, with no transaction open.
    void release(EngineSession session) {
        boolean isKept;
        lock.lock();
        try {
            isKept = !isClosed && !session.session().isFailed();
            if (isKept) {
                Waiter next = waiters.pollFirst();
                if (next == null) {
                    idle.addFirst(session);
                } else {
                    next.given = session;
                    next.condition.signal();
                }
            }
        } finally {
            lock.unlock();
        }
        if (!isKept) {
            try {
                session.session().close();
            } finally {
                uncount(false);
            }
        }
    }

    /// Has all that wait see whether they are cancelled.
    void wake() {
        lock.lock();
        try {
            waiters.forEach(waiter -> waiter.condition.signal());
        } finally {
            lock.unlock();
        }
    }

    /// Closes the engine sessions: those in use when they are returned. Nothing waits any more.
    @Override
    public void close() {
        List<EngineSession> unused;
        lock.lock();
        try {
            isClosed = true;
            unused = new ArrayList<>(idle);
            open -= idle.size();
            idle.clear();
            waiters.forEach(waiter -> waiter.condition.signal());
        } finally {
            lock.unlock();
        }
        FirstFailure failures = new FirstFailure();
        unused.forEach(session -> failures.attempt(session.session()::close));
        failures.rethrow();
    }
}

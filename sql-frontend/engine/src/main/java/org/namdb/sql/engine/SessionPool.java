package org.namdb.sql.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
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
    private final SqlDatabase database;
    private final int maxSessions;
    private final long timeoutNanos;
    private final ReentrantLock lock = new ReentrantLock();

    /// The last one returned is the first to be taken again.
    private final Deque<EngineSession> idle = new ArrayDeque<>();

    private final Deque<Waiter> waiters = new ArrayDeque<>();

    /// How many are open, or being opened.
    private int open;

    private boolean isClosed;

    /// A SQL session that waits; guarded by the lock.
    private static final class Waiter {
        private final Condition condition;
        private @Nullable EngineSession given;

        /// Whether it may open one in the place of another that was closed.
        private boolean mayOpen;

        private Waiter(Condition condition) {
            this.condition = condition;
        }

        private boolean isServed() {
            return given != null || mayOpen;
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
    }

    /// Opens a SQL session that takes its engine sessions from here.
    ///
    /// @param number what `pg_backend_pid()` gives in it
    public SqlSession session(int number) {
        return database.open(SessionLease.of(this), number, null);
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

    EngineSession acquire(BooleanSupplier isCancelled) {
        EngineSession session = null;
        boolean mayOpen = false;
        lock.lock();
        try {
            if (waiters.isEmpty()) {
                session = idle.pollFirst();
                mayOpen = session == null && open < maxSessions;
                open += mayOpen ? 1 : 0;
            }
            if (session == null && !mayOpen) {
                session = await(isCancelled);
            }
        } finally {
            lock.unlock();
        }
        return session == null ? open(isCancelled) : session;
    }

    /// @return null if the caller may open one
    private @Nullable EngineSession await(BooleanSupplier isCancelled) {
        Waiter waiter = new Waiter(lock.newCondition());
        waiters.addLast(waiter);
        long nanos = timeoutNanos;
        try {
            while (!waiter.isServed() && nanos > 0 && !isCancelled.getAsBoolean()) {
                nanos = waiter.condition.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            nanos = 0;
        } finally {
            if (!waiter.isServed()) {
                waiters.remove(waiter);
            }
        }
        if (waiter.isServed()) {
            return waiter.given;
        }
        throw isCancelled.getAsBoolean()
                ? new SqlException(
                        SqlState.QUERY_CANCELED, "canceling statement due to user request")
                : allBusy();
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
    private EngineSession open(BooleanSupplier isCancelled) {
        try {
            return EngineSession.open(database);
        } catch (SlotsExhaustedException e) {
            // Other processes have the slots. What this one has comes back to the pool.
            return withoutSlot(e, isCancelled);
        } catch (RuntimeException e) {
            uncount();
            throw e;
        }
    }

    private EngineSession withoutSlot(
            SlotsExhaustedException exhausted, BooleanSupplier isCancelled) {
        EngineSession session;
        lock.lock();
        try {
            open--;
            if (open == 0) {
                throw exhausted;
            }
            session = idle.pollFirst();
            if (session == null) {
                session = await(isCancelled);
            }
        } finally {
            lock.unlock();
        }
        return session == null ? open(isCancelled) : session;
    }

    private void uncount() {
        lock.lock();
        try {
            open--;
            Waiter next = waiters.pollFirst();
            if (next != null) {
                open++;
                next.mayOpen = true;
                next.condition.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /// Takes a session back, with no transaction open.
    void release(EngineSession session) {
        boolean isKept;
        lock.lock();
        try {
            isKept = !isClosed && !session.session().isBroken();
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
            session.session().close();
            uncount();
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

    /// Closes the engine sessions: those that are used when they come back.
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            open -= idle.size();
            idle.forEach(session -> session.session().close());
            idle.clear();
        } finally {
            lock.unlock();
        }
    }
}

package org.namdb.sql.engine;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Session;

/// The engine session that a SQL session runs on: one of its own from its opening to its close, or
/// one of a pool while a statement or a transaction block runs.
final class SessionLease {
    private final @Nullable SessionPool pool;
    private final SqlDatabase database;
    private @Nullable EngineSession held;

    private SessionLease(
            SqlDatabase database, @Nullable SessionPool pool, @Nullable EngineSession held) {
        this.database = database;
        this.pool = pool;
        this.held = held;
    }

    /// A session of its own; another one when that can't be used any more.
    static SessionLease own(SqlDatabase database) {
        return new SessionLease(database, null, EngineSession.open(database));
    }

    /// One of a pool, when it is needed.
    static SessionLease of(SqlDatabase database, SessionPool pool) {
        return new SessionLease(database, pool, null);
    }

    /// Takes a session, unless one is held.
    ///
    /// @param isCancelled ends the wait for one
    /// @throws org.namdb.sql.language.error.SqlException 53300 if none was free in time
    void acquire(BooleanSupplier isCancelled) {
        EngineSession current = held;
        if (pool != null) {
            held = current == null ? pool.acquire(isCancelled) : current;
        } else if (current != null && current.session().isFailed() && !current.session().isOpen()) {
            held = EngineSession.open(database);
            current.session().close();
        }
    }

    /// Wakes this session up if it waits for one of the pool, to see whether it is cancelled.
    void wake() {
        if (pool != null) {
            pool.wake();
        }
    }

    boolean isHeld() {
        return held != null;
    }

    /// @throws IllegalStateException if none is held
    Session session() {
        return current().session();
    }

    RowIds rowIds() {
        return current().rowIds();
    }

    private EngineSession current() {
        EngineSession current = held;
        if (current == null) {
            throw new IllegalStateException("no statement runs, and no transaction block is open");
        }
        return current;
    }

    /// Returns a session of the pool to it; one of its own stays.
    void release() {
        EngineSession current = held;
        if (pool != null && current != null) {
            held = null;
            pool.release(current);
        }
    }

    /// Gives up whatever is held.
    void close() {
        EngineSession current = held;
        if (pool != null) {
            release();
        } else if (current != null) {
            held = null;
            current.session().close();
        }
    }
}

package org.namdb.sql.engine.expression;

import org.jspecify.annotations.Nullable;

/// The execution context of a statement.
public interface Environment extends SessionTime {
    /// The value of a parameter of the statement, from 0.
    @Nullable Object parameter(int index);

    /// Random bits of the session.
    long nextRandom();

    /// Throws if the statement is cancelled: to be called now and then in what may take long.
    void checkCancelled();

    /// The session.
    SessionContext session();
}

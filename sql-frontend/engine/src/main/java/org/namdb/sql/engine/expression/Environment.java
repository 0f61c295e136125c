package org.namdb.sql.engine.expression;

import java.time.LocalDateTime;
import org.jspecify.annotations.Nullable;

/// The circumstances of a statement.
public interface Environment {
    /// The value of a parameter of the statement, from 0.
    @Nullable Object parameter(int index);

    /// When the transaction began, in the session's local time, in microseconds.
    LocalDateTime transactionTime();

    /// The time now, in the session's local time, in microseconds.
    default LocalDateTime clockTime() {
        return transactionTime();
    }

    /// Random bits of the session.
    long nextRandom();

    /// The session.
    SessionContext session();
}

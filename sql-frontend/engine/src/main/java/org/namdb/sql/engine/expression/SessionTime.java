package org.namdb.sql.engine.expression;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.namdb.sql.language.type.TimeZones;

/// The times that a statement may read, in microseconds, and the session's time zone.
@FunctionalInterface
public interface SessionTime {
    /// When the transaction began.
    Instant transactionTime();

    /// When the client's statement began.
    default Instant statementTime() {
        return transactionTime();
    }

    /// The time now.
    default Instant clockTime() {
        return transactionTime();
    }

    /// The session's time zone.
    default ZoneId zone() {
        return ZoneOffset.UTC;
    }

    /// Of a statement that is a transaction of its own, and begins now.
    static SessionTime of(Instant now, ZoneId zone) {
        return new SessionTime() {
            @Override
            public Instant transactionTime() {
                return now;
            }

            @Override
            public ZoneId zone() {
                return zone;
            }
        };
    }

    /// When the transaction began, in the session's time zone.
    default LocalDateTime localTime() {
        return TimeZones.local(transactionTime(), zone());
    }
}

package org.namdb.sql.engine.expression;

import java.time.ZoneId;

/// What an operator makes of two values that are not NULL in a session's time zone.
@FunctionalInterface
public interface ZonedBinary {
    /// The result, which is not NULL.
    Object apply(Object left, Object right, ZoneId zone);
}

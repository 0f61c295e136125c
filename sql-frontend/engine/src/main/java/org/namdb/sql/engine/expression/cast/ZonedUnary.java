package org.namdb.sql.engine.expression.cast;

import java.time.ZoneId;

/// What a cast makes of a value that is not NULL in a session's time zone.
@FunctionalInterface
interface ZonedUnary {
    /// The result, which is not NULL.
    Object apply(Object value, ZoneId zone);
}

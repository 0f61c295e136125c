package org.namdb.sql.engine.expression;

import org.jspecify.annotations.Nullable;

/// What an operator or a cast makes of a value that is not NULL.
@FunctionalInterface
public interface Unary {
    /// The result; null for NULL.
    @Nullable Object apply(Object value);
}

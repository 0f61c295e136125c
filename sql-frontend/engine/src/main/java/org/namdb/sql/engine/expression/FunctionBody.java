package org.namdb.sql.engine.expression;

import org.jspecify.annotations.Nullable;

/// What a function makes of arguments that are not NULL.
@FunctionalInterface
interface FunctionBody {
    /// The result; null for NULL.
    @Nullable Object apply(Frame frame, Object[] arguments);
}

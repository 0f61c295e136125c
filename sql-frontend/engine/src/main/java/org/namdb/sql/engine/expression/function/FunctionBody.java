package org.namdb.sql.engine.expression.function;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;

/// What a function makes of arguments that are not NULL.
@FunctionalInterface
interface FunctionBody {
    /// The result; null for NULL.
    @Nullable Object apply(EvaluationFrame frame, Object[] arguments);
}

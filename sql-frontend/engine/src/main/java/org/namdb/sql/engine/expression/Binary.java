package org.namdb.sql.engine.expression;

/// What an operator makes of two values that are not NULL.
@FunctionalInterface
public interface Binary {
    /// The result, which is not NULL.
    Object apply(Object left, Object right);
}

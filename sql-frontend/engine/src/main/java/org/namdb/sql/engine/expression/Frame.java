package org.namdb.sql.engine.expression;

import org.jspecify.annotations.Nullable;

/// What an expression is evaluated in: a tuple, the tuples of the queries around it, and the
/// statement's circumstances. Belongs to one thread; the tuple is changed from row to row.
public final class Frame {
    private static final @Nullable Object[] EMPTY = {};

    private final Environment environment;
    private final @Nullable Frame outer;

    @Nullable Object[] tuple = EMPTY;

    public Frame(Environment environment, @Nullable Frame outer) {
        this.environment = environment;
        this.outer = outer;
    }

    /// The circumstances of the statement.
    public Environment environment() {
        return environment;
    }

    /// The frame of the query around this one; null in the outermost.
    public @Nullable Frame outer() {
        return outer;
    }

    /// Moves on to another tuple.
    public Frame on(@Nullable Object[] newTuple) {
        tuple = newTuple;
        return this;
    }
}

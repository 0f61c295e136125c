package org.namdb.sql.engine.expression;

import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What an expression is evaluated in: a tuple, the tuples of the queries around it, and the
/// statement's execution context. Belongs to one thread; the tuple is changed from row to row.
public final class EvaluationFrame {
    private static final @Nullable Object[] EMPTY = {};

    private final Environment environment;
    private final @Nullable EvaluationFrame outer;

    @Nullable Object[] tuple = EMPTY;

    /// What expressions keep from row to row.
    private @Nullable IdentityHashMap<Object, Object> memory;

    public EvaluationFrame(Environment environment, @Nullable EvaluationFrame outer) {
        this.environment = environment;
        this.outer = outer;
    }

    /// The execution context of the statement.
    public Environment environment() {
        return environment;
    }

    /// The frame of the query around this one; null in the outermost.
    public @Nullable EvaluationFrame outer() {
        return outer;
    }

    /// What an expression keeps of the rows before this one.
    ///
    /// @param owner the expression
    /// @param initial what it begins with
    public <T> T memory(Object owner, Supplier<T> initial) {
        IdentityHashMap<Object, Object> known = memory;
        if (known == null) {
            known = new IdentityHashMap<>();
            memory = known;
        }
        @SuppressWarnings("unchecked") // an owner always puts the same type
        T remembered = (T) known.computeIfAbsent(owner, _ -> Objects.requireNonNull(initial.get()));
        return remembered;
    }

    /// Moves on to another tuple.
    public EvaluationFrame on(@Nullable Object[] newTuple) {
        tuple = newTuple;
        return this;
    }
}

package org.namdb.sql.engine.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// A column of the current tuple of a query around this one.
public final class OuterColumnScalar extends Scalar {
    private final int depth;
    private final int index;
    private final String name;

    /// @param depth how many queries further out, from 1
    /// @param index the place in that query's tuple, from 0
    /// @param name the name that EXPLAIN shows
    public OuterColumnScalar(int depth, int index, SqlType type, String name) {
        super(type);
        this.depth = depth;
        this.index = index;
        this.name = name;
    }

    /// The place in that query's tuple, from 0.
    public int index() {
        return index;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        EvaluationFrame around = frame;
        for (int i = 0; i < depth; i++) {
            EvaluationFrame next = around.outer();
            if (next == null) {
                throw new IllegalStateException(
                        "no query around, " + depth + " levels out: " + name);
            }
            around = next;
        }
        return around.tuple[index];
    }

    @Override
    public List<Scalar> operands() {
        return List.of();
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return this;
    }

    @Override
    protected Object traits() {
        return List.of(depth, index);
    }

    @Override
    public String toString() {
        return name;
    }
}

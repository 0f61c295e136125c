package org.namdb.sql.engine.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// A column of the current tuple.
public final class ColumnScalar extends Scalar {
    private final int index;
    private final String name;

    /// @param index the place in the tuple, from 0
    /// @param name the name that EXPLAIN shows
    public ColumnScalar(int index, SqlType type, String name) {
        super(type);
        this.index = index;
        this.name = name;
    }

    /// The place in the tuple, from 0.
    public int index() {
        return index;
    }

    /// The name that EXPLAIN shows.
    public String name() {
        return name;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        return frame.tuple[index];
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
        return index;
    }

    @Override
    public String toString() {
        return name;
    }
}

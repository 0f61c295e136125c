package org.namdb.sql.engine.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// A parameter of the statement. Its type may come from the context in which it stands, and be
/// UNKNOWN before.
public final class ParameterScalar extends Scalar {
    private final int index;
    private final ParameterTypes types;

    /// @param index from 0
    /// @param types where its type is found, and kept once it is known
    public ParameterScalar(int index, ParameterTypes types) {
        super(SqlType.UNKNOWN);
        this.index = index;
        this.types = types;
        types.mention(index);
    }

    @Override
    public SqlType type() {
        return types.type(index);
    }

    /// Gives it a type, unless it has one.
    public void infer(SqlType type) {
        types.infer(index, type);
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        return frame.environment().parameter(index);
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
        return "$" + (index + 1);
    }
}

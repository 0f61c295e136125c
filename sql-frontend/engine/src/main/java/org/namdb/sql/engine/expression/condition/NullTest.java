package org.namdb.sql.engine.expression.condition;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// `a IS [NOT] NULL`.
public final class NullTest extends Scalar {
    private final Scalar operand;
    private final boolean isNegated;

    public NullTest(Scalar operand, boolean isNegated) {
        super(SqlType.BOOLEAN);
        this.operand = operand;
        this.isNegated = isNegated;
    }

    /// What is tested.
    public Scalar operand() {
        return operand;
    }

    /// Whether it tests for NOT NULL.
    public boolean isNegated() {
        return isNegated;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        return (operand.evaluate(frame) == null) != isNegated;
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operand);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new NullTest(newOperands.getFirst(), isNegated);
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return isNegated;
    }

    @Override
    public String toString() {
        return "(" + operand + (isNegated ? " IS NOT NULL)" : " IS NULL)");
    }
}

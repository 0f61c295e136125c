package org.namdb.sql.engine.expression.condition;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// `a IS [NOT] TRUE`, FALSE or UNKNOWN; never NULL.
public final class TruthTest extends Scalar {
    private final Scalar operand;
    private final @Nullable Boolean value;
    private final boolean isNegated;

    public TruthTest(Scalar operand, @Nullable Boolean value, boolean isNegated) {
        super(SqlType.BOOLEAN);
        this.operand = operand;
        this.value = value;
        this.isNegated = isNegated;
    }

    private String name() {
        String truth = value == null ? "UNKNOWN" : value ? "TRUE" : "FALSE";
        return (isNegated ? " IS NOT " : " IS ") + truth;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object truth = operand.evaluate(frame);
        return Objects.equals(truth, value) != isNegated;
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operand);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new TruthTest(newOperands.getFirst(), value, isNegated);
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return name();
    }

    @Override
    public String toString() {
        return "(" + operand + name() + ")";
    }
}

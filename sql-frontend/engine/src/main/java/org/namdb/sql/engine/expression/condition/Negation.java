package org.namdb.sql.engine.expression.condition;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// NOT of a condition; NULL of NULL.
public final class Negation extends Scalar {
    private final Scalar operand;

    public Negation(Scalar operand) {
        super(SqlType.BOOLEAN);
        this.operand = operand;
    }

    /// What is tested.
    public Scalar operand() {
        return operand;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object value = operand.evaluate(frame);
        return value == null ? null : (Object) !(Boolean) value;
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operand);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new Negation(newOperands.getFirst());
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return "NOT";
    }

    @Override
    public String toString() {
        return "(NOT " + operand + ")";
    }
}

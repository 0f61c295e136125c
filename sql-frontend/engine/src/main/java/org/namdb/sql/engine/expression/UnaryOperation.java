package org.namdb.sql.engine.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// An operator before one operand; NULL of NULL.
public final class UnaryOperation extends Scalar {
    private final String operator;
    private final Scalar operand;
    private final Unary function;

    public UnaryOperation(String operator, Scalar operand, SqlType type, Unary function) {
        super(type);
        this.operator = operator;
        this.operand = operand;
        this.function = function;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object value = operand.evaluate(frame);
        return value == null ? null : function.apply(value);
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operand);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new UnaryOperation(operator, newOperands.getFirst(), type(), function);
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return operator;
    }

    @Override
    public String toString() {
        return "(" + operator + " " + operand + ")";
    }
}

package org.namdb.sql.engine.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// An operator between two operands; NULL if one of them is.
public final class BinaryOperation extends Scalar {
    private final String operator;
    private final Scalar left;
    private final Scalar right;
    private final Binary function;

    public BinaryOperation(
            String operator, Scalar left, Scalar right, SqlType type, Binary function) {
        super(type);
        this.operator = operator;
        this.left = left;
        this.right = right;
        this.function = function;
    }

    @Override
    public @Nullable Object evaluate(Frame frame) {
        Object a = left.evaluate(frame);
        if (a == null) {
            return null;
        }
        Object b = right.evaluate(frame);
        return b == null ? null : function.apply(a, b);
    }

    @Override
    public List<Scalar> operands() {
        return List.of(left, right);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new BinaryOperation(
                operator, newOperands.get(0), newOperands.get(1), type(), function);
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
        return "(" + left + " " + operator + " " + right + ")";
    }
}

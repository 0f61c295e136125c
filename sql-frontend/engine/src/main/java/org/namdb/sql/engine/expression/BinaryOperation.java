package org.namdb.sql.engine.expression;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// An operator between two operands; NULL if one of them is.
public final class BinaryOperation extends Scalar {
    private final String operator;
    private final Scalar left;
    private final Scalar right;
    private final @Nullable Binary function;

    /// In place of `function`, where the session's time zone matters.
    private final @Nullable ZonedBinary zoned;

    public BinaryOperation(
            String operator, Scalar left, Scalar right, SqlType type, Binary function) {
        super(type);
        this.operator = operator;
        this.left = left;
        this.right = right;
        this.function = function;
        this.zoned = null;
    }

    /// One that depends on the session's time zone.
    public BinaryOperation(
            String operator, Scalar left, Scalar right, SqlType type, ZonedBinary zoned) {
        super(type);
        this.operator = operator;
        this.left = left;
        this.right = right;
        this.function = null;
        this.zoned = zoned;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object a = left.evaluate(frame);
        if (a == null) {
            return null;
        }
        Object b = right.evaluate(frame);
        if (b == null) {
            return null;
        }
        return function != null
                ? function.apply(a, b)
                : Objects.requireNonNull(zoned).apply(a, b, frame.environment().zone());
    }

    @Override
    public List<Scalar> operands() {
        return List.of(left, right);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        Scalar a = newOperands.get(0);
        Scalar b = newOperands.get(1);
        return function != null
                ? new BinaryOperation(operator, a, b, type(), function)
                : new BinaryOperation(operator, a, b, type(), Objects.requireNonNull(zoned));
    }

    @Override
    public Volatility volatility() {
        return zoned == null ? Volatility.IMMUTABLE : Volatility.STABLE;
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

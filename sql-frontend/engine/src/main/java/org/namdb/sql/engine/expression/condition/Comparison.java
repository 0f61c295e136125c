package org.namdb.sql.engine.expression.condition;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.ValueOrder;

/// `a = b`, `a < b` and so on, over operands whose values have one class; NULL if one of them is.
/// Made by `Operators.binary`.
public abstract sealed class Comparison extends Scalar {
    final ComparisonOperator operator;
    final Scalar left;
    final Scalar right;
    final ValueOrder order;

    private Comparison(ComparisonOperator operator, Scalar left, Scalar right, ValueOrder order) {
        super(SqlType.BOOLEAN);
        this.operator = operator;
        this.left = left;
        this.right = right;
        this.order = order;
    }

    public static Comparison of(
            ComparisonOperator operator, Scalar left, Scalar right, ValueOrder order) {
        if (order == ValueOrder.LONG) {
            boolean isConstant =
                    right instanceof ConstantScalar constant && constant.value() != null;
            return isConstant
                    ? new WithInteger(operator, left, right)
                    : new OfIntegers(operator, left, right);
        }
        boolean isEquality =
                operator == ComparisonOperator.EQUAL || operator == ComparisonOperator.NOT_EQUAL;
        boolean hasEquals = order == ValueOrder.STRING || order == ValueOrder.NATURAL;
        return isEquality && hasEquals
                ? new ByEquals(operator, left, right, order)
                : new InOrder(operator, left, right, order);
    }

    /// Which comparison.
    public ComparisonOperator operator() {
        return operator;
    }

    /// The left side.
    public Scalar left() {
        return left;
    }

    /// The right side.
    public Scalar right() {
        return right;
    }

    /// The order in which the sides are compared.
    public ValueOrder order() {
        return order;
    }

    /// The same with the sides exchanged: `5 > a` of `a < 5`.
    public Comparison swapped() {
        return of(operator.swapped(), right, left, order);
    }

    /// The comparison that is true where this one is false, and NULL where it is.
    public Comparison negated() {
        return of(operator.negated(), left, right, order);
    }

    @Override
    public List<Scalar> operands() {
        return List.of(left, right);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return of(operator, newOperands.get(0), newOperands.get(1), order);
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
        return "(" + left + " " + operator.symbol() + " " + right + ")";
    }

    /// Any values.
    private static final class InOrder extends Comparison {
        InOrder(ComparisonOperator operator, Scalar left, Scalar right, ValueOrder order) {
            super(operator, left, right, order);
        }

        @Override
        public @Nullable Object evaluate(EvaluationFrame frame) {
            Object a = left.evaluate(frame);
            if (a == null) {
                return null;
            }
            Object b = right.evaluate(frame);
            return b == null ? null : (Object) operator.holds(order.compare(a, b));
        }
    }

    /// Equality of values that [Object#equals] compares as SQL does.
    private static final class ByEquals extends Comparison {
        private final boolean wantsEqual;

        ByEquals(ComparisonOperator operator, Scalar left, Scalar right, ValueOrder order) {
            super(operator, left, right, order);
            wantsEqual = operator == ComparisonOperator.EQUAL;
        }

        @Override
        public @Nullable Object evaluate(EvaluationFrame frame) {
            Object a = left.evaluate(frame);
            if (a == null) {
                return null;
            }
            Object b = right.evaluate(frame);
            return b == null ? null : (Object) (a.equals(b) == wantsEqual);
        }
    }

    /// Two integers.
    private static final class OfIntegers extends Comparison {
        OfIntegers(ComparisonOperator operator, Scalar left, Scalar right) {
            super(operator, left, right, ValueOrder.LONG);
        }

        @Override
        public @Nullable Object evaluate(EvaluationFrame frame) {
            Object a = left.evaluate(frame);
            if (a == null) {
                return null;
            }
            Object b = right.evaluate(frame);
            return b == null ? null : (Object) operator.holds(Long.compare((Long) a, (Long) b));
        }
    }

    /// An integer and a constant.
    private static final class WithInteger extends Comparison {
        private final long constant;

        WithInteger(ComparisonOperator operator, Scalar left, Scalar right) {
            super(operator, left, right, ValueOrder.LONG);
            Object value = ((ConstantScalar) right).value();
            constant = value == null ? 0 : (Long) value;
        }

        @Override
        public @Nullable Object evaluate(EvaluationFrame frame) {
            Object a = left.evaluate(frame);
            return a == null ? null : (Object) operator.holds(Long.compare((Long) a, constant));
        }
    }
}

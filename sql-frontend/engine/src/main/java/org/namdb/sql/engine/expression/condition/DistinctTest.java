package org.namdb.sql.engine.expression.condition;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.ValueOrder;

/// `a IS [NOT] DISTINCT FROM b`, never NULL.
public final class DistinctTest extends Scalar {
    private final Scalar left;
    private final Scalar right;
    private final ValueOrder order;
    private final boolean isNegated;

    public DistinctTest(Scalar left, Scalar right, ValueOrder order, boolean isNegated) {
        super(SqlType.BOOLEAN);
        this.left = left;
        this.right = right;
        this.order = order;
        this.isNegated = isNegated;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object a = left.evaluate(frame);
        Object b = right.evaluate(frame);
        boolean isEqual = a == null || b == null ? a == null && b == null : order.isEqual(a, b);
        return isEqual == isNegated;
    }

    @Override
    public List<Scalar> operands() {
        return List.of(left, right);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new DistinctTest(newOperands.get(0), newOperands.get(1), order, isNegated);
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
        String operator = isNegated ? " IS NOT DISTINCT FROM " : " IS DISTINCT FROM ";
        return "(" + left + operator + right + ")";
    }
}

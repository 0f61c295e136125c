package org.namdb.sql.engine.expression.aggregate;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;

/// An aggregate's argument behind `FILTER (WHERE ..)`: NULL, which aggregates leave out, where the
/// condition isn't true.
final class FilteredScalar extends Scalar {
    private final Scalar value;
    private final Scalar condition;

    FilteredScalar(Scalar value, Scalar condition) {
        super(value.type());
        this.value = value;
        this.condition = condition;
    }

    Scalar value() {
        return value;
    }

    Scalar condition() {
        return condition;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        return Boolean.TRUE.equals(condition.evaluate(frame)) ? value.evaluate(frame) : null;
    }

    @Override
    public List<Scalar> operands() {
        return List.of(value, condition);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new FilteredScalar(newOperands.get(0), newOperands.get(1));
    }

    /// Not to be folded: its value may be of no SQL type.
    @Override
    public Volatility volatility() {
        return Volatility.STABLE;
    }

    @Override
    protected Object traits() {
        return "filter";
    }

    @Override
    public String toString() {
        return value + " FILTER (WHERE " + condition + ")";
    }
}

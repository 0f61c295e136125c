package org.namdb.sql.engine.expression.condition;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;

/// `NULLIF(a, b)`: NULL if both are equal, else the first.
public final class NullIfScalar extends Scalar {
    private final Scalar value;
    private final Scalar isEqual;

    /// @param isEqual whether the value is to become NULL
    public NullIfScalar(Scalar value, Scalar isEqual) {
        super(value.type());
        this.value = value;
        this.isEqual = isEqual;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object equal = isEqual.evaluate(frame);
        return equal != null && (Boolean) equal ? null : value.evaluate(frame);
    }

    @Override
    public List<Scalar> operands() {
        return List.of(value, isEqual);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new NullIfScalar(newOperands.get(0), newOperands.get(1));
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return "NULLIF";
    }

    @Override
    public String toString() {
        String right =
                isEqual.operands().isEmpty()
                        ? isEqual.toString()
                        : isEqual.operands().get(1).toString();
        return "NULLIF(" + value + ", " + right + ")";
    }
}

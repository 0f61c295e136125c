package org.namdb.sql.engine.expression.aggregate;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.ValueOrder;

/// The argument of `array_agg` as a value that is never NULL, since the aggregate counts NULLs.
final class ElementScalar extends Scalar {
    private final Scalar value;

    /// Equal to others whose values are equal in SQL.
    ///
    /// @param order of the values
    record Element(@Nullable Object value, ValueOrder order) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Element that && Objects.equals(key(), that.key());
        }

        @Override
        public int hashCode() {
            return Objects.hashCode(key());
        }

        private @Nullable Object key() {
            return value == null ? null : order.key(value);
        }
    }

    ElementScalar(Scalar value) {
        super(value.type());
        this.value = value;
    }

    @Override
    public Object evaluate(EvaluationFrame frame) {
        return new Element(value.evaluate(frame), ValueOrder.of(type()));
    }

    @Override
    public List<Scalar> operands() {
        return List.of(value);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new ElementScalar(newOperands.getFirst());
    }

    /// Not to be folded: its value is of no SQL type.
    @Override
    public Volatility volatility() {
        return Volatility.STABLE;
    }

    @Override
    protected Object traits() {
        return "array_agg";
    }

    @Override
    public String toString() {
        return value.toString();
    }
}

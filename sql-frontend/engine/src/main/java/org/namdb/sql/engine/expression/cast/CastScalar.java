package org.namdb.sql.engine.expression.cast;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Unary;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// A value as one of another type.
final class CastScalar extends Scalar {
    private final Scalar operand;
    private final Unary conversion;

    /// What it does first, in the session's time zone; null if that does not matter.
    private final @Nullable ZonedUnary zoned;

    private final boolean truncates;

    /// @param truncates whether a string that is too long is cut, and no error
    CastScalar(
            Scalar operand,
            SqlType type,
            @Nullable ZonedUnary zoned,
            Unary conversion,
            boolean truncates) {
        super(type);
        this.zoned = zoned;
        this.operand = operand;
        this.conversion = conversion;
        this.truncates = truncates;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object value = operand.evaluate(frame);
        if (value != null && zoned != null) {
            value = zoned.apply(value, frame.environment().zone());
        }
        return value == null ? null : conversion.apply(value);
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operand);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new CastScalar(newOperands.getFirst(), type(), zoned, conversion, truncates);
    }

    @Override
    public Volatility volatility() {
        return zoned == null ? Volatility.IMMUTABLE : Volatility.STABLE;
    }

    @Override
    protected Object traits() {
        return truncates;
    }

    @Override
    public String toString() {
        return "(" + operand + ")::" + type();
    }
}

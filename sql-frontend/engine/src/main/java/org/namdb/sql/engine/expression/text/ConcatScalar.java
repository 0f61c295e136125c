package org.namdb.sql.engine.expression.text;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;
import org.namdb.sql.language.type.TextFormat;

/// `concat(a, b)` and `concat_ws(separator, a, b)`: the texts of all that are not NULL.
public final class ConcatScalar extends Scalar {
    private final Scalar[] operands;
    private final boolean hasSeparator;

    /// @param operands the separator first, if there is one
    public ConcatScalar(List<Scalar> operands, boolean hasSeparator) {
        super(SqlType.TEXT);
        this.operands = operands.toArray(new Scalar[0]);
        this.hasSeparator = hasSeparator;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object separator = hasSeparator ? operands[0].evaluate(frame) : "";
        if (separator == null) {
            return null;
        }
        StringBuilder out = new StringBuilder();
        boolean isFirst = true;
        for (int i = hasSeparator ? 1 : 0; i < operands.length; i++) {
            Object value = operands[i].evaluate(frame);
            if (value == null) {
                continue;
            }
            if (!isFirst) {
                out.append((String) separator);
            }
            isFirst = false;
            out.append(
                    value instanceof String text && operands[i].type().kind() != Kind.CHAR
                            ? text
                            : TextFormat.format(
                                    value, operands[i].type(), zone(operands[i], frame)));
        }
        return out.toString();
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operands);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new ConcatScalar(newOperands, hasSeparator);
    }

    @Override
    public Volatility volatility() {
        for (Scalar operand : operands) {
            if (operand.type().kind() == Kind.TIMESTAMPTZ) {
                return Volatility.STABLE;
            }
        }
        return Volatility.IMMUTABLE;
    }

    private static ZoneId zone(Scalar operand, EvaluationFrame frame) {
        return operand.type().kind() == Kind.TIMESTAMPTZ
                ? frame.environment().zone()
                : ZoneOffset.UTC;
    }

    @Override
    protected Object traits() {
        return hasSeparator;
    }

    @Override
    public String toString() {
        return operands().stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(", ", hasSeparator ? "concat_ws(" : "concat(", ")"));
    }
}

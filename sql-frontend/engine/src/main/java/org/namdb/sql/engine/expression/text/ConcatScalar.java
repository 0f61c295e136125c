package org.namdb.sql.engine.expression.text;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;

/// `concat(a, b)`, `concat_ws(separator, a, b)`, `format(format, a, b)` and `quote_nullable(a)`:
/// functions of the texts of any number of arguments of any types, of which some may be NULL.
public final class ConcatScalar extends Scalar {
    /// What is made of the texts.
    public enum Kind {
        CONCAT,
        CONCAT_WS,
        FORMAT,
        QUOTE_NULLABLE
    }

    private final Scalar[] operands;
    private final Kind kind;

    /// @param operands the separator or the format first, if there is one
    public ConcatScalar(List<Scalar> operands, Kind kind) {
        super(SqlType.TEXT);
        this.operands = operands.toArray(new Scalar[0]);
        this.kind = kind;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        @Nullable String[] texts = new String[operands.length];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = text(operands[i], frame);
        }
        return switch (kind) {
            case CONCAT -> joined("", texts);
            case QUOTE_NULLABLE -> FormatText.of("%L", texts);
            case CONCAT_WS, FORMAT -> {
                String first = texts[0];
                @Nullable String[] rest = Arrays.copyOfRange(texts, 1, texts.length);
                yield first == null
                        ? null
                        : kind == Kind.FORMAT ? FormatText.of(first, rest) : joined(first, rest);
            }
        };
    }

    private static @Nullable String text(Scalar operand, EvaluationFrame frame) {
        Object value = operand.evaluate(frame);
        return value == null
                        || value instanceof String && operand.type().kind() != SqlType.Kind.CHAR
                ? (String) value
                : TextFormat.format(value, operand.type(), zone(operand, frame));
    }

    private static String joined(String separator, @Nullable String[] texts) {
        return Arrays.stream(texts).filter(Objects::nonNull).collect(Collectors.joining(separator));
    }

    @Override
    public List<Scalar> operands() {
        return List.of(operands);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new ConcatScalar(newOperands, kind);
    }

    @Override
    public Volatility volatility() {
        for (Scalar operand : operands) {
            if (operand.type().kind() == SqlType.Kind.TIMESTAMPTZ) {
                return Volatility.STABLE;
            }
        }
        return Volatility.IMMUTABLE;
    }

    private static ZoneId zone(Scalar operand, EvaluationFrame frame) {
        return operand.type().kind() == SqlType.Kind.TIMESTAMPTZ
                ? frame.environment().zone()
                : ZoneOffset.UTC;
    }

    @Override
    protected Object traits() {
        return kind;
    }

    @Override
    public String toString() {
        return operands().stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(", ", kind.name().toLowerCase(Locale.ROOT) + "(", ")"));
    }
}

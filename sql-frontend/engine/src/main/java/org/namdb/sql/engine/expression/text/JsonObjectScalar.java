package org.namdb.sql.engine.expression.text;

import java.util.List;
import java.util.stream.Collectors;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;

/// `json_build_object(key, value, ..)`, by which clients read what the system's catalog has.
public final class JsonObjectScalar extends Scalar {
    private final List<Scalar> operands;

    /// @param operands keys, each with its value
    public JsonObjectScalar(List<Scalar> operands) {
        super(SqlType.JSON);
        this.operands = List.copyOf(operands);
    }

    @Override
    public Object evaluate(EvaluationFrame frame) {
        StringBuilder out = new StringBuilder("{");
        for (int i = 0; i < operands.size(); i += 2) {
            Object key = operands.get(i).evaluate(frame);
            if (key == null) {
                throw new SqlException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "argument " + (i + 1) + " cannot be null");
            }
            out.append(i == 0 ? "" : ", ");
            quote(out, text(key, operands.get(i), frame));
            out.append(" : ");
            append(out, operands.get(i + 1), frame);
        }
        return out.append('}').toString();
    }

    private static void append(StringBuilder out, Scalar operand, EvaluationFrame frame) {
        Object value = operand.evaluate(frame);
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (operand.type().isNumeric() || operand.type().equals(SqlType.JSON)) {
            out.append(text(value, operand, frame));
        } else {
            quote(out, text(value, operand, frame));
        }
    }

    private static String text(Object value, Scalar operand, EvaluationFrame frame) {
        return TextFormat.format(value, operand.type(), frame.environment().zone());
    }

    private static void quote(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> out.append(c < ' ' ? "\\u%04x".formatted((int) c) : String.valueOf(c));
            }
        }
        out.append('"');
    }

    @Override
    public List<Scalar> operands() {
        return operands;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new JsonObjectScalar(newOperands);
    }

    @Override
    public String toString() {
        return operands.stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(", ", "json_build_object(", ")"));
    }
}

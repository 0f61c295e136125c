package org.namdb.sql.engine.expression;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.engine.expression.operator.Logic;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;

/// Evaluates expressions of a small part of SQL: `call(a, b)`, `cast(a as type)`, `a + b`,
/// `type 'text'`, numbers, NULL.
final class Evaluation {
    private static final Instant NOW = Instant.parse("2026-01-31T10:00:00.5Z");

    private final String text;
    private int at;

    private Evaluation(String text) {
        this.text = text;
    }

    /// The value as text, NULL, or SQLSTATE and message of the error.
    static String of(String expression) {
        try {
            Scalar scalar = Constants.fold(new Evaluation(expression).whole());
            Object value = scalar.evaluate(frame());
            return value == null ? "NULL" : TextFormat.format(value, scalar.type());
        } catch (SqlException e) {
            return e.state().code() + ": " + e.getMessage();
        }
    }

    static Scalar scalar(String expression) {
        return new Evaluation(expression).whole();
    }

    static EvaluationFrame frame(@Nullable Object... tuple) {
        return new EvaluationFrame(
                        new Environment() {
                            @Override
                            public SessionContext session() {
                                return SessionContext.NONE;
                            }

                            @Override
                            public @Nullable Object parameter(int index) {
                                return null;
                            }

                            @Override
                            public Instant transactionTime() {
                                return NOW;
                            }

                            @Override
                            public void checkCancelled() {}

                            @Override
                            public long nextRandom() {
                                return 0x123456789ABCDEFL;
                            }
                        },
                        null)
                .on(tuple);
    }

    private Scalar whole() {
        Scalar left = operand();
        skipBlanks();
        while (at < text.length() && text.charAt(at) != ')' && text.charAt(at) != ',') {
            int end = text.indexOf(' ', at);
            String operator = text.substring(at, end);
            if (operator.equals("as")) {
                break;
            }
            at = end;
            Scalar right = operand();
            left =
                    operator.equals("like")
                            ? Logic.like(left, right, null, false, false)
                            : operator.equals("ilike")
                                    ? Logic.like(left, right, null, false, true)
                                    : Operators.binary(operator, left, right);
            skipBlanks();
        }
        return left;
    }

    private Scalar operand() {
        skipBlanks();
        char c = text.charAt(at);
        if (c == '\'') {
            return new ConstantScalar(string(), SqlType.UNKNOWN);
        }
        if (c == '(') {
            at++;
            Scalar inner = whole();
            at++;
            return inner;
        }
        if (c == '-' && !Character.isDigit(text.charAt(at + 1))) {
            at++;
            return Operators.unary("-", operand());
        }
        return Character.isDigit(c) || c == '-' ? number() : named();
    }

    private Scalar number() {
        int start = at++;
        while (at < text.length()
                && (Character.isDigit(text.charAt(at)) || ".e".indexOf(text.charAt(at)) >= 0)) {
            at++;
        }
        String digits = text.substring(start, at);
        boolean isBig = digits.matches("-?\\d{1,18}");
        boolean isWhole = isBig && Math.abs(Long.parseLong(digits)) <= Integer.MAX_VALUE;
        SqlType type = isWhole ? SqlType.INTEGER : isBig ? SqlType.BIGINT : SqlType.DECIMAL;
        return Casts.explicit(new ConstantScalar(digits, SqlType.UNKNOWN), type);
    }

    private Scalar named() {
        int start = at;
        while (at < text.length()
                && (Character.isLetterOrDigit(text.charAt(at))
                        || text.charAt(at) == '_'
                        || isGap())) {
            at++;
        }
        String name = text.substring(start, at).strip();
        skipBlanks();
        if (name.equals("null")) {
            return ConstantScalar.NULL;
        }
        if (name.equals("true") || name.equals("false")) {
            return name.equals("true") ? ConstantScalar.TRUE : ConstantScalar.FALSE;
        }
        if (at < text.length() && text.charAt(at) == '\'') {
            return Casts.explicit(new ConstantScalar(string(), SqlType.UNKNOWN), type(name));
        }
        at++;
        return name.equals("cast") ? cast() : Functions.call(name, arguments());
    }

    /// A blank in `double precision`.
    private boolean isGap() {
        return text.startsWith(" precision", at);
    }

    private Scalar cast() {
        Scalar operand = whole();
        int end = text.indexOf(')', at);
        int open = text.indexOf('(', at);
        if (open > 0 && open < end) {
            end = text.indexOf(')', end + 1);
        }
        SqlType type = type(text.substring(at + 3, end).strip());
        at = end + 1;
        return Casts.explicit(operand, type);
    }

    private List<Scalar> arguments() {
        List<Scalar> arguments = new ArrayList<>();
        skipBlanks();
        while (text.charAt(at) != ')') {
            arguments.add(whole());
            skipBlanks();
            at += text.charAt(at) == ',' ? 1 : 0;
        }
        at++;
        return arguments;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        at++;
        while (text.charAt(at) != '\'' || text.startsWith("''", at)) {
            at += text.charAt(at) == '\'' ? 1 : 0;
            out.append(text.charAt(at++));
        }
        at++;
        return out.toString();
    }

    static SqlType type(String text) {
        int open = text.indexOf('(');
        String name = (open < 0 ? text : text.substring(0, open)).toLowerCase(Locale.ROOT);
        List<Integer> arguments = new ArrayList<>();
        if (open > 0) {
            for (String argument : text.substring(open + 1, text.length() - 1).split(",", -1)) {
                arguments.add(Integer.valueOf(argument.strip()));
            }
        }
        return SqlType.named(new TypeName(name.strip(), arguments, false, Position.NONE));
    }

    private void skipBlanks() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }
}

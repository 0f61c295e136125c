package org.namdb.sql.define;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.ast.Expression;
import org.namdb.sql.ast.TypeName;
import org.namdb.sql.error.SqlException;
import org.namdb.sql.error.SqlState;

/// Writes the expression of a DEFAULT as SQL, to be kept with the table: every operator in parentheses, names quoted.
final class DefaultText {
    private DefaultText() {}

    /// The text, which is parsed to the same expression.
    ///
    /// @throws SqlException 0A000 if a column or a subquery is in it
    static String of(Expression expression) {
        return switch (expression) {
            case Expression.Literal e -> literal(e);
            case Expression.TypedLiteral e ->
                    "CAST(" + string(e.text()) + " AS " + type(e.type()) + ")";
            case Expression.Parameter e -> throw refused("parameter", e);
            case Expression.ColumnName e -> throw refused("column reference", e);
            case Expression.Unary e -> "(" + e.operator() + " " + of(e.operand()) + ")";
            case Expression.Binary e ->
                    "(" + of(e.left()) + " " + e.operator() + " " + of(e.right()) + ")";
            case Expression.IsNull e -> "(" + of(e.operand()) + " IS " + not(e.negated()) + "NULL)";
            case Expression.IsTruth e ->
                    "(" + of(e.operand()) + " IS " + not(e.negated()) + truth(e.value()) + ")";
            case Expression.IsDistinct e ->
                    "("
                            + of(e.left())
                            + " IS "
                            + not(e.negated())
                            + "DISTINCT FROM "
                            + of(e.right())
                            + ")";
            case Expression.Between e ->
                    "("
                            + of(e.operand())
                            + " "
                            + not(e.negated())
                            + (e.isSymmetric() ? "BETWEEN SYMMETRIC " : "BETWEEN ")
                            + of(e.low())
                            + " AND "
                            + of(e.high())
                            + ")";
            case Expression.Like e -> like(e);
            case Expression.InList e ->
                    "(" + of(e.operand()) + " " + not(e.negated()) + "IN " + list(e.values()) + ")";
            case Expression.Quantified e -> throw refused("subquery", e);
            case Expression.AggregateCall e -> throw refused("aggregate", e);
            case Expression.InQuery e -> throw refused("subquery", e);
            case Expression.Exists e -> throw refused("subquery", e);
            case Expression.ScalarQuery e -> throw refused("subquery", e);
            case Expression.Row e -> throw refused("row value", e);
            case Expression.Case e -> choice(e);
            case Expression.Cast e -> "CAST(" + of(e.operand()) + " AS " + type(e.type()) + ")";
            case Expression.Extract e -> "EXTRACT(" + e.field() + " FROM " + of(e.operand()) + ")";
            case Expression.Call e -> call(e);
            case Expression.Default e -> throw refused("DEFAULT", e);
        };
    }

    private static String literal(Expression.Literal literal) {
        return switch (literal.kind()) {
            case NULL -> "NULL";
            case STRING -> string(literal.text());
            case BOOLEAN, INTEGER, DECIMAL, FLOAT -> literal.text();
        };
    }

    private static String string(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private static String type(TypeName type) {
        String arguments =
                type.arguments().stream().map(String::valueOf).collect(Collectors.joining(", "));
        String unit = type.inBytes() ? " BYTES" : "";
        return arguments.isEmpty() ? type.name() : type.name() + "(" + arguments + unit + ")";
    }

    private static String not(boolean negated) {
        return negated ? "NOT " : "";
    }

    private static String truth(@Nullable Boolean value) {
        return value == null ? "UNKNOWN" : value.toString().toUpperCase(Locale.ROOT);
    }

    private static String like(Expression.Like e) {
        return "("
                + of(e.operand())
                + " "
                + not(e.negated())
                + (e.ignoresCase() ? "ILIKE " : "LIKE ")
                + of(e.pattern())
                + (e.escape() == null ? "" : " ESCAPE " + of(e.escape()))
                + ")";
    }

    private static String choice(Expression.Case e) {
        StringBuilder text = new StringBuilder("CASE");
        if (e.operand() != null) {
            text.append(' ').append(of(e.operand()));
        }
        for (Expression.Case.When when : e.whens()) {
            text.append(" WHEN ").append(of(when.condition()));
            text.append(" THEN ").append(of(when.result()));
        }
        if (e.otherwise() != null) {
            text.append(" ELSE ").append(of(e.otherwise()));
        }
        return text.append(" END").toString();
    }

    private static String call(Expression.Call e) {
        // Some are keywords, and are written without parentheses.
        boolean isKeyword =
                e.arguments().isEmpty()
                        && (e.function().text().startsWith("current_")
                                || e.function().text().startsWith("localtime"));
        return isKeyword
                ? e.function().text()
                : Names.quoted(e.function().text()) + list(e.arguments());
    }

    private static String list(List<Expression> expressions) {
        return expressions.stream()
                .map(DefaultText::of)
                .collect(Collectors.joining(", ", "(", ")"));
    }

    private static SqlException refused(String what, Expression at) {
        return new SqlException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "cannot use " + what + " in DEFAULT expression",
                at.position());
    }
}

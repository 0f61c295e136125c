package org.namdb.sql.engine.bind;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.type.SqlType;

/// The names of a result's columns.
final class ColumnNames {
    private static final String UNNAMED = "?column?";

    private ColumnNames() {}

    /// The alias; else what the expression is called after.
    static String of(Query.Value item) {
        Name alias = item.alias();
        return alias != null ? alias.text() : of(item.expression());
    }

    private static String of(Expression expression) {
        return named(expression).name();
    }

    /// A name, and whether a cast or CASE around the expression leaves it.
    private record Named(String name, boolean isStrong) {}

    private static Named named(Expression expression) {
        return switch (expression) {
            case Expression.ColumnName column -> strong(column.column().text());
            case Expression.Call call -> strong(call.function().text());
            case Expression.AggregateCall call -> strong(call.call().function().text());
            case Expression.Extract _ -> strong("extract");
            case Expression.Exists _ -> strong("exists");
            case Expression.ScalarQuery query -> strong(of(query.query()));
            case Expression.Row _ -> strong("row");
            case Expression.Cast cast -> strongOr(cast.operand(), typeName(cast.type()));
            case Expression.TypedLiteral literal -> new Named(typeName(literal.type()), false);
            case Expression.WindowCall window -> strong(window.call().function().text());
            case Expression.Subscript subscript -> named(subscript.operand());
            case Expression.Slice slice -> named(slice.operand());
            case Expression.Array _ -> strong("array");
            case Expression.Case choice -> strongOr(choice.otherwise(), "case");
            case Expression.Literal _,
                    Expression.Parameter _,
                    Expression.Unary _,
                    Expression.Binary _,
                    Expression.IsNull _,
                    Expression.IsTruth _,
                    Expression.IsDistinct _,
                    Expression.Between _,
                    Expression.Like _,
                    Expression.InList _,
                    Expression.InQuery _,
                    Expression.Quantified _,
                    Expression.QuantifiedArray _,
                    Expression.Default _ ->
                    new Named(UNNAMED, false);
        };
    }

    private static Named strong(String name) {
        return new Named(name, true);
    }

    private static Named strongOr(@Nullable Expression inner, String name) {
        Named named = inner == null ? null : named(inner);
        return named != null && named.isStrong() ? named : new Named(name, false);
    }

    /// PostgreSQL's internal name of a type.
    private static String typeName(TypeName type) {
        if (type.name().endsWith("[]")) {
            String element = type.name().substring(0, type.name().length() - 2);
            return typeName(
                    new TypeName(element, type.arguments(), type.inBytes(), type.position()));
        }
        if (SystemFunctions.isType(type.name())) {
            return type.name();
        }
        SqlType resolved = SqlType.named(type);
        return switch (resolved.kind()) {
            case BOOLEAN -> "bool";
            case SMALLINT -> "int2";
            case INTEGER -> "int4";
            case BIGINT -> "int8";
            case DECIMAL -> "numeric";
            case REAL -> "float4";
            case DOUBLE -> "float8";
            case CHAR -> "bpchar";
            case VARCHAR -> "varchar";
            case TIME -> "time";
            case TIMESTAMP -> "timestamp";
            case TIMESTAMPTZ -> "timestamptz";
            case TEXT, DATE, INTERVAL, BYTEA, UUID, ARRAY, UNKNOWN -> resolved.name();
        };
    }

    /// The name of a subquery's only column.
    private static String of(Query query) {
        return switch (query.body()) {
            case Query.Values _ -> "column1";
            case Query.Returned _ -> UNNAMED;
            case Query.SetOperation operation -> of(operation.left());
            case Query.Select select ->
                    select.items().size() == 1
                                    && select.items().getFirst() instanceof Query.Value value
                            ? of(value)
                            : UNNAMED;
        };
    }
}

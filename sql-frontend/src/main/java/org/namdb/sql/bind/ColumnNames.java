package org.namdb.sql.bind;

import org.namdb.sql.ast.Expression;
import org.namdb.sql.ast.Name;
import org.namdb.sql.ast.Query;

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
        return switch (expression) {
            case Expression.ColumnName column -> column.column().text();
            case Expression.Call call -> call.function().text();
            case Expression.Cast cast -> {
                String inner = of(cast.operand());
                yield inner.equals(UNNAMED) ? cast.type().name() : inner;
            }
            case Expression.TypedLiteral literal -> literal.type().name();
            case Expression.Extract _ -> "extract";
            case Expression.Case choice -> {
                Expression otherwise = choice.otherwise();
                String inner = otherwise == null ? UNNAMED : of(otherwise);
                yield inner.equals(UNNAMED) ? "case" : inner;
            }
            case Expression.Exists _ -> "exists";
            case Expression.ScalarQuery query -> of(query.query());
            case Expression.Row _ -> "row";
            case Expression.Literal literal ->
                    literal.kind() == Expression.Literal.Kind.BOOLEAN ? "bool" : UNNAMED;
            case Expression.Parameter _,
                    Expression.Unary _,
                    Expression.Binary _,
                    Expression.IsNull _,
                    Expression.IsTruth _,
                    Expression.IsDistinct _,
                    Expression.Between _,
                    Expression.Like _,
                    Expression.InList _,
                    Expression.InQuery _,
                    Expression.Default _ ->
                    UNNAMED;
        };
    }

    private static String of(Query query) {
        return query.body() instanceof Query.Select select
                        && select.items().size() == 1
                        && select.items().getFirst() instanceof Query.Value value
                ? of(value)
                : UNNAMED;
    }
}

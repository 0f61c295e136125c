package org.namdb.sql.engine.bind;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Writes comparisons with ANY and ALL of a subquery as a subquery that counts.
final class Quantifiers {
    /// Names that no query gives to a column: what is compared keeps its meaning inside of the
    /// subquery.
    private static final String TABLE = "quantified rows";

    private static final String VALUE = "quantified value";

    /// The name by which the subquery sees what it compares, under the same name as its table.
    static final String OPERAND = "quantified operand";

    private Quantifiers() {}

    /// `a < ANY (q)` is `(SELECT CASE WHEN bool_or(a < v) THEN TRUE WHEN count(a < v) < count(*)
    /// THEN NULL ELSE FALSE END FROM (q) AS t(v))`; for ALL, with `NOT bool_and(a < v)` first, and
    /// TRUE and FALSE exchanged.
    ///
    /// @param operand stands for what is compared
    static Expression.ScalarQuery query(Expression.Quantified test, Expression operand) {
        Position at = test.position();
        Name table = new Name(TABLE, at);
        Name value = new Name(VALUE, at);
        Expression compared =
                compared(test.operator(), operand, new Expression.ColumnName(table, value, at), at);
        Expression decided =
                test.isAll()
                        ? new Expression.Unary("not", call("bool_and", compared, at), at)
                        : call("bool_or", compared, at);
        Expression isUnknown =
                new Expression.Binary(
                        "<", call("count", compared, at), call("count", null, at), at);
        Expression choice =
                new Expression.Case(
                        null,
                        List.of(
                                new Expression.Case.When(decided, truth(!test.isAll(), at)),
                                new Expression.Case.When(
                                        isUnknown,
                                        new Expression.Literal(
                                                Expression.Literal.Kind.NULL, "", at))),
                        truth(test.isAll(), at),
                        at);
        Query.Select select =
                new Query.Select(
                        false,
                        List.of(new Query.Value(choice, null, at)),
                        List.of(new Query.QuerySource(test.query(), table, List.of(value), at)),
                        null,
                        List.of(),
                        null,
                        at);
        return new Expression.ScalarQuery(new Query(select, List.of(), null, null, false, at), at);
    }

    private static Expression compared(
            String operator, Expression operand, Expression value, Position at) {
        if (!operator.contains("~~")) {
            return new Expression.Binary(operator, operand, value, at);
        }
        boolean isNegated = operator.startsWith("!");
        return new Expression.Like(operand, value, null, isNegated, operator.endsWith("*"), at);
    }

    /// Refuses rows of several columns, of which a value is compared with the first alone.
    ///
    /// @param alias that of a query in FROM
    /// @throws SqlException 42601 if the query is the one that is quantified
    static void requireOneColumn(Name alias, Relation query) {
        if (alias.text().equals(TABLE) && query.fields().size() > 1) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR, "subquery has too many columns", alias.position());
        }
    }

    /// The operand as a column that the query around gives.
    static Expression operand(Position at) {
        Name name = new Name(OPERAND, at);
        return new Expression.ColumnName(name, name, at);
    }

    private static Expression truth(boolean value, Position at) {
        return new Expression.Literal(
                Expression.Literal.Kind.BOOLEAN, value ? "TRUE" : "FALSE", at);
    }

    /// @param argument null for `*`
    private static Expression call(String name, @Nullable Expression argument, Position at) {
        return new Expression.Call(
                new Name(name, at),
                argument == null ? List.of() : List.of(argument),
                argument == null,
                false,
                at);
    }
}

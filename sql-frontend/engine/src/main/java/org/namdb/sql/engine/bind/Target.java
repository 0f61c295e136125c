package org.namdb.sql.engine.bind;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Query;

/// The rows that an UPDATE or DELETE is about.
///
/// @param relation them, all columns of the table first
/// @param scope the names of its columns
public record Target(Relation relation, Scope scope) {
    /// The rows of a table, joined with others, that meet a condition.
    ///
    /// @param from the tables of FROM or USING
    /// @param where null for all rows
    public static Target of(
            BindContext context,
            SqlTable table,
            String alias,
            List<Query.Source> from,
            @Nullable Expression where) {
        FromBinder binder = new FromBinder(context, null);
        FromBinder.Bound all = binder.target(table, alias);
        if (!from.isEmpty()) {
            all = binder.crossed(all, binder.bind(from), from.getFirst());
        }
        Relation relation = all.relation();
        if (where != null) {
            Scalar condition =
                    new ExpressionBinder(context, "WHERE").condition(where, all.scope(), "WHERE");
            relation = new Relation.Filtered(relation, condition);
        }
        return new Target(relation, all.scope());
    }
}

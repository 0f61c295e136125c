package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Query;

/// A value that a RETURNING list gives.
///
/// @param name its column's name
/// @param value the value; its subqueries are not planned
public record Returning(String name, Scalar value) {
    /// Gives the items of a RETURNING list their meaning.
    ///
    /// @param scope the names of the tuples that it is evaluated on
    /// @throws org.namdb.sql.language.error.SqlException with a position, if a name is not known
    public static List<Returning> bind(List<Query.Item> items, Scope scope, BindContext context) {
        ExpressionBinder binder = new ExpressionBinder(context, "RETURNING");
        List<Returning> all = new ArrayList<>();
        for (Query.Item item : items) {
            switch (item) {
                case Query.Value value ->
                        all.add(
                                new Returning(
                                        ColumnNames.of(value),
                                        binder.bind(value.expression(), scope)));
                case Query.Star star -> {
                    List<Scope.Visible> columns =
                            star.qualifier() == null ? scope.all() : scope.all(star.qualifier());
                    columns.forEach(c -> all.add(new Returning(c.name(), c.value())));
                }
            }
        }
        return all;
    }
}

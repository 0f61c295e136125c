package org.namdb.sql.engine.bind;

import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Columns that ORDER BY and GROUP BY name by their place.
final class Ordinals {
    private Ordinals() {}

    /// The place that an expression names, from 0; -1 if it is no integer literal.
    ///
    /// @throws SqlException 42P10 if there is no such place
    static int of(Expression expression, int columns, String clause) {
        if (!(expression instanceof Expression.Literal literal)) {
            return -1;
        }
        if (literal.kind() != Expression.Literal.Kind.INTEGER) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR, "non-integer constant in " + clause, literal.position());
        }
        String digits = literal.text();
        int ordinal = digits.length() > 6 ? Integer.MAX_VALUE : Integer.parseInt(digits);
        if (ordinal < 1 || ordinal > columns) {
            throw new SqlException(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    clause + " position " + digits + " is not in select list",
                    literal.position());
        }
        return ordinal - 1;
    }

    /// One part of an order, with the default place of NULLs: they are greater than all values.
    static Relation.Ordering ordering(Scalar value, Query.SortKey key) {
        Boolean nullsFirst = key.nullsFirst();
        return new Relation.Ordering(
                value, key.isDescending(), nullsFirst == null ? key.isDescending() : nullsFirst);
    }
}

package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.OuterColumnScalar;
import org.namdb.sql.engine.expression.Scalar;

/// What a subquery takes from the query around it: collected while its names are looked up.
final class Arguments {
    private final Scope outer;
    private final @Nullable String clause;
    private final List<Scalar> values = new ArrayList<>();

    /// @param outer what the query around the subquery sees
    /// @param clause the clause that the subquery stands in, if aggregates of the query around must
    ///     not be there; else null
    Arguments(Scope outer, @Nullable String clause) {
        this.outer = outer;
        this.clause = clause;
    }

    /// What the query around the subquery sees.
    Scope outer() {
        return outer;
    }

    /// The clause of the query around that no aggregate of that query may be in; null if they are
    /// allowed.
    @Nullable String clause() {
        return clause;
    }

    /// The values, as expressions of the query around.
    List<Scalar> values() {
        return values;
    }

    /// A value of the query around, as an expression of the subquery.
    Scalar take(Scalar value) {
        int place = values.indexOf(value);
        if (place < 0) {
            place = values.size();
            values.add(value);
        }
        String name = value instanceof ColumnScalar column ? column.name() : value.toString();
        return new OuterColumnScalar(1, place, value.type(), name);
    }
}

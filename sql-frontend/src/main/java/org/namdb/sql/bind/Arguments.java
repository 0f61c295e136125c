package org.namdb.sql.bind;

import java.util.ArrayList;
import java.util.List;
import org.namdb.sql.expression.ColumnScalar;
import org.namdb.sql.expression.OuterColumnScalar;
import org.namdb.sql.expression.Scalar;

/// What a subquery takes from the query around it: collected while its names are looked up.
final class Arguments {
    private final Scope outer;
    private final List<Scalar> values = new ArrayList<>();

    Arguments(Scope outer) {
        this.outer = outer;
    }

    /// What the query around the subquery sees.
    Scope outer() {
        return outer;
    }

    /// The values, in terms of the query around.
    List<Scalar> values() {
        return values;
    }

    /// A value of the query around, in terms of the subquery.
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

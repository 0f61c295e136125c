package org.namdb.sql.engine.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.namdb.sql.engine.bind.BoundSubquery;
import org.namdb.sql.engine.bind.Field;
import org.namdb.sql.engine.bind.Rewrite;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Scalar;

/// Which columns an expression uses.
final class Uses {
    private Uses() {}

    static void collect(Scalar scalar, Set<Integer> ids) {
        Rewrite.visit(
                scalar,
                part -> {
                    if (part instanceof ColumnScalar column) {
                        ids.add(column.index());
                    }
                });
    }

    static Set<Integer> of(Scalar scalar) {
        Set<Integer> ids = new HashSet<>();
        collect(scalar, ids);
        return ids;
    }

    static Set<Integer> ids(List<Field> fields) {
        Set<Integer> ids = new HashSet<>();
        fields.forEach(field -> ids.add(field.id()));
        return ids;
    }

    /// Whether an expression uses only these columns.
    static boolean only(Scalar scalar, Set<Integer> ids) {
        return ids.containsAll(of(scalar));
    }

    static boolean hasSubquery(Scalar scalar) {
        boolean[] found = new boolean[1];
        Rewrite.visit(scalar, part -> found[0] |= part instanceof BoundSubquery);
        return found[0];
    }
}

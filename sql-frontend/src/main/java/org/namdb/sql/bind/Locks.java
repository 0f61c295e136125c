package org.namdb.sql.bind;

import java.util.ArrayList;
import java.util.List;
import org.namdb.sql.expression.Scalar;

/// Which records a SELECT .. FOR UPDATE locks.
final class Locks {
    private Locks() {}

    /// Collects the base tables of a FROM clause; not those of derived tables.
    static void collect(Relation relation, List<Relation.Base> found) {
        if (relation instanceof Relation.Base base) {
            found.add(base);
        } else if (relation instanceof Relation.Joined joined) {
            collect(joined.left(), found);
            collect(joined.right(), found);
        }
    }

    /// The primary keys of these tables.
    static List<Scalar> keys(List<Relation.Base> tables) {
        List<Scalar> keys = new ArrayList<>();
        for (Relation.Base base : tables) {
            for (int column : base.table().primaryKey()) {
                keys.add(base.fields().get(column).scalar());
            }
        }
        return keys;
    }
}

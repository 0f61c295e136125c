package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Which records a SELECT .. FOR UPDATE locks.
final class Locks {
    private Locks() {}

    /// The base tables whose records FOR UPDATE locks.
    ///
    /// @throws SqlException 42P01 for a table behind OF that isn't in the FROM clause, 0A000 for
    ///     one that an outer join fills with NULLs
    static List<Relation.Base> of(Query query, Relation from) {
        List<Relation.Base> all = new ArrayList<>();
        collect(from, all);
        List<Relation.Base> wanted = query.lockedTables().isEmpty() ? all : new ArrayList<>();
        for (Name name : query.lockedTables()) {
            wanted.add(named(name, all));
        }
        Set<Integer> nullable = new HashSet<>();
        collectNullable(from, nullable);
        for (Relation.Base base : wanted) {
            if (nullable.contains(base.fields().getFirst().id())) {
                throw new SqlException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "FOR UPDATE cannot be applied to the nullable side of an outer join",
                        query.position());
            }
        }
        return wanted;
    }

    private static Relation.Base named(Name name, List<Relation.Base> tables) {
        for (Relation.Base base : tables) {
            if (base.alias().equals(name.text())) {
                return base;
            }
        }
        throw new SqlException(
                SqlState.UNDEFINED_TABLE,
                "relation \"" + name.text() + "\" in FOR UPDATE clause not found in FROM clause",
                name.position());
    }

    /// Collects the fields of what an outer join may fill with NULLs.
    private static void collectNullable(Relation relation, Set<Integer> found) {
        if (relation instanceof Relation.Lateral lateral) {
            collectNullable(lateral.left(), found);
        }
        if (!(relation instanceof Relation.Joined joined)) {
            return;
        }
        if (joined.kind() == JoinKind.LEFT || joined.kind() == JoinKind.FULL) {
            joined.right().fields().forEach(field -> found.add(field.id()));
        }
        if (joined.kind() == JoinKind.FULL) {
            joined.left().fields().forEach(field -> found.add(field.id()));
        }
        collectNullable(joined.left(), found);
        collectNullable(joined.right(), found);
    }

    /// Collects the base tables of a FROM clause; not those of derived tables.
    static void collect(Relation relation, List<Relation.Base> found) {
        if (relation instanceof Relation.Base base) {
            found.add(base);
        } else if (relation instanceof Relation.Joined joined) {
            collect(joined.left(), found);
            collect(joined.right(), found);
        } else if (relation instanceof Relation.Lateral lateral) {
            collect(lateral.left(), found);
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

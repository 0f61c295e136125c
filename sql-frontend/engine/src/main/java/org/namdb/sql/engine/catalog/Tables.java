package org.namdb.sql.engine.catalog;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.engine.statistics.TableStatistics;

/// Gives tables by name.
public interface Tables {
    /// The table of this name; null if there is none.
    @Nullable SqlTable find(String name);

    /// The name of the relation that a statement means: one in the session's schema for temporary
    /// tables hides a permanent one.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 0A000 if it is another session's
    default String resolve(String name) {
        return name;
    }

    /// The sequence of this name; null if there is none.
    default @Nullable Sequence findSequence(String name) {
        return null;
    }

    /// The view of this name; null if there is none.
    default @Nullable SqlView findView(String name) {
        return null;
    }

    /// What ANALYZE has learned of a table; null if that is nothing.
    default @Nullable TableStatistics statistics(SqlTable table) {
        return null;
    }

    /// The function or procedure of this name whose source the database holds; null if there is
    /// none.
    default @Nullable Routine routine(String name) {
        return null;
    }

    /// The procedure in Java of this name; null if there is none.
    default @Nullable Routine javaProcedure(String name) {
        return null;
    }

    /// The relations of the system's catalog.
    default SystemCatalog system() {
        return new SystemCatalog(
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                Roles.NONE,
                _ -> null,
                _ -> null,
                null,
                name -> name);
    }
}

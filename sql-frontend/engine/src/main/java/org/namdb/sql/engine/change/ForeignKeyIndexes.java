package org.namdb.sql.engine.change;

import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;

/// The indexes by which a parent finds its children.
public final class ForeignKeyIndexes {
    private ForeignKeyIndexes() {}

    /// The index of a table by which rows with values in these columns are found; null if there
    /// is none.
    static @Nullable SqlIndex find(SqlTable table, List<Integer> columns) {
        for (SqlIndex index : table.indexes()) {
            if (index.index() != null && serves(index, columns)) {
                return index;
            }
        }
        return null;
    }

    /// Whether an index finds rows by values in these columns, in any order: a hashed one has these
    /// and no others, an ordered one begins with them.
    public static boolean serves(SqlIndex index, List<Integer> columns) {
        int count = columns.size();
        return index.index() != null
                && index.columns().size() >= count
                && (index.isOrdered() || index.columns().size() == count)
                && new HashSet<>(index.columns().subList(0, count)).equals(new HashSet<>(columns));
    }
}

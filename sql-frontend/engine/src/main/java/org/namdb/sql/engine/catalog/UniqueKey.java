package org.namdb.sql.engine.catalog;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A unique index as its table's properties keep it.
///
/// @param name its name
/// @param columns the names of the indexed columns
/// @param isConstraint whether it belongs to a UNIQUE constraint
/// @param orderedIndex the name of the ordered index beside it; null if there is none
public record UniqueKey(
        String name, List<String> columns, boolean isConstraint, @Nullable String orderedIndex) {
    /// What the names of the tables that SQL keeps for itself start with. Tables and indexes of
    /// users have other names.
    public static final String HIDDEN = "nam:";

    public UniqueKey {
        columns = List.copyOf(columns);
    }

    /// The name of the table that holds its entries.
    public String tableName() {
        return tableName(name);
    }

    /// The name of the table that holds the entries of the unique index of this name.
    public static String tableName(String index) {
        return HIDDEN + "unique:" + index;
    }
}

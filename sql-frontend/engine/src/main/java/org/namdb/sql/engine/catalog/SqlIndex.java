package org.namdb.sql.engine.catalog;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.IndexDefinition;

/// A secondary index as SQL sees it.
///
/// A unique index is a table of its own, whose primary key are the indexed columns and whose
/// payload is the primary key of the row: so that two rows with the same values are two inserts of
/// one key, of which one wins. Rows with a NULL among the columns are not in it.
///
/// @param name its name
/// @param columns the numbers of the indexed columns
/// @param isUnique whether no two rows may have the same values
/// @param isOrdered whether it gives ranges; a unique one may have an ordered index beside
///     its table
/// @param isConstraint whether it belongs to a UNIQUE constraint
/// @param index the compute server's index; null for a unique one without order
/// @param uniqueTable the table of a unique index; null for others. Its payload columns, in order,
///     are the primary key's columns
public record SqlIndex(
        String name,
        List<Integer> columns,
        boolean isUnique,
        boolean isOrdered,
        boolean isConstraint,
        @Nullable Index index,
        @Nullable Table uniqueTable) {
    /// The property of an index that was made for a foreign key, with the key's name.
    public static final String FOREIGN_KEY = "sql.foreign";

    private static final long MEGABYTE = 1L << 20;

    public SqlIndex {
        columns = List.copyOf(columns);
    }

    /// The foreign key that the database has made it for; null if a user has made it. Users don't
    /// see it: in PostgreSQL, a foreign key makes no index.
    public @Nullable String foreignKey() {
        return index == null ? null : index.definition().properties().get(FOREIGN_KEY);
    }

    /// Whether the database has made it for a foreign key.
    public boolean isAutomatic() {
        return foreignKey() != null;
    }

    /// What WITH has said when it was created, as in `cache='64MB', node_bytes='2048'`; empty for
    /// nothing.
    public String options() {
        if (index == null) {
            return "";
        }
        List<String> options = new ArrayList<>();
        index.definition()
                .cacheBytes()
                .ifPresent(bytes -> options.add("cache='%s'".formatted(size(bytes))));
        String distribution = index.definition().properties().get(IndexDefinition.DISTRIBUTION);
        if (distribution != null) {
            options.add("distribution='%s'".formatted(distribution));
        }
        index.definition()
                .nodeBytes()
                .ifPresent(bytes -> options.add("node_bytes='%d'".formatted(bytes)));
        for (String property : List.of(IndexDefinition.PARTITION, IndexDefinition.SHARES)) {
            String value = index.definition().properties().get(property);
            if (value != null) {
                options.add("%s='%s'".formatted(property, value));
            }
        }
        return String.join(", ", options);
    }

    /// The same behind the index's columns, or nothing.
    public String with() {
        String options = options();
        return options.isEmpty() ? "" : " WITH (" + options + ")";
    }

    private static String size(long bytes) {
        return bytes != 0 && bytes % MEGABYTE == 0
                ? bytes / MEGABYTE + "MB"
                : String.valueOf(bytes);
    }
}

package org.namdb.mvcc.schema;

import java.util.List;

/// What a secondary index is: an ordered or a hashed set of entries, each the indexed columns followed by the primary key. It holds
/// no versions: every hit is checked against the record (NAM-DB, section 5.2).
///
/// @param name the index's name
/// @param table the table's name
/// @param columns the indexed columns' names
/// @param kind how entries are found
public record IndexDefinition(String name, String table, List<String> columns, Kind kind) {
    /// How entries are found.
    public enum Kind {
        /// By equality of all indexed columns.
        HASH,
        /// In order, by ranges: a B-link tree.
        ORDERED
    }

    public IndexDefinition {
        columns = List.copyOf(columns);
        if (columns.isEmpty()) {
            throw new IllegalArgumentException("index " + name + " has no columns");
        }
    }

    /// An index for equality.
    public static IndexDefinition hash(String name, String table, String... columns) {
        return new IndexDefinition(name, table, List.of(columns), Kind.HASH);
    }

    /// An index for ranges.
    public static IndexDefinition ordered(String name, String table, String... columns) {
        return new IndexDefinition(name, table, List.of(columns), Kind.ORDERED);
    }
}

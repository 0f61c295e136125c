package org.namdb.sql.shell;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the shell shows about a table. Every list is in the order in which it is shown.
///
/// @param name the table's name
/// @param columns its columns, without hidden ones
/// @param primaryKey its primary key; null if there is only a hidden one
/// @param indexes the other indexes
/// @param checks its CHECK constraints, as `"name" CHECK (condition)`
/// @param foreignKeys its foreign keys, as `"name" FOREIGN KEY (a) REFERENCES t(b)`
/// @param referencedBy the foreign keys of other tables that refer to it, in the same form
/// @param design the physical design, as `2 old versions`
public record TableFacts(
        String name,
        List<ColumnFacts> columns,
        @Nullable IndexFacts primaryKey,
        List<IndexFacts> indexes,
        List<String> checks,
        List<String> foreignKeys,
        List<String> referencedBy,
        List<String> design) {
    public TableFacts {
        columns = List.copyOf(columns);
        indexes = List.copyOf(indexes);
        checks = List.copyOf(checks);
        foreignKeys = List.copyOf(foreignKeys);
        referencedBy = List.copyOf(referencedBy);
        design = List.copyOf(design);
    }

    /// A column.
    ///
    /// @param name its name
    /// @param type its type as SQL
    /// @param isNullable whether it may be NULL
    /// @param defaultText its DEFAULT as SQL; null if there is none
    public record ColumnFacts(
            String name, String type, boolean isNullable, @Nullable String defaultText) {}

    /// An index.
    ///
    /// @param name its name
    /// @param kind as in `UNIQUE, hash`
    /// @param columns the names of its columns
    /// @param options as in `cache='64MB'`; empty for none
    public record IndexFacts(String name, String kind, List<String> columns, String options) {
        public IndexFacts {
            columns = List.copyOf(columns);
        }

        /// An index without options.
        public IndexFacts(String name, String kind, List<String> columns) {
            this(name, kind, columns, "");
        }

        /// As in `"t_pkey" PRIMARY KEY (id)`.
        String text() {
            return "\"%s\" %s (%s)%s"
                    .formatted(
                            name,
                            kind,
                            String.join(", ", columns),
                            options.isEmpty() ? "" : " WITH (" + options + ")");
        }
    }
}

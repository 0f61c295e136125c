package org.namdb.sql.engine.catalog;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.role.Ownership;

/// A table as SQL sees it; immutable, of one version of the schema.
///
/// @param name its name
/// @param columns all columns in the order of their numbers in the record, the hidden row id last
/// @param primaryKey the numbers of the primary key's columns, in the key's order; the hidden row
///     id if there is no other
/// @param keyOrder the ordered index that serves ranges of the primary key; null if there is none.
///     It bears the primary key's name, and is none of the secondary indexes
/// @param indexes the secondary indexes, unique ones too
/// @param checks the CHECK constraints
/// @param foreignKeys those of this table
/// @param referencedBy the foreign keys of tables that refer to this one
/// @param longValues where the chunks of its long values are; null if it has none
/// @param ownership its owner, and the privileges of others
/// @param definition the compute server's definition of it
/// @param stored the compute server's table. In a transaction that has changed its definition, the
///     names that it has itself are former ones
public record SqlTable(
        String name,
        List<SqlColumn> columns,
        List<Integer> primaryKey,
        String primaryKeyName,
        @Nullable SqlIndex keyOrder,
        List<SqlIndex> indexes,
        List<CheckConstraint> checks,
        List<ForeignKeyConstraint> foreignKeys,
        List<ForeignKeyConstraint> referencedBy,
        @Nullable Table longValues,
        Ownership ownership,
        TableDefinition definition,
        Table stored) {
    public SqlTable {
        columns = List.copyOf(columns);
        primaryKey = List.copyOf(primaryKey);
        indexes = List.copyOf(indexes);
        checks = List.copyOf(checks);
        foreignKeys = List.copyOf(foreignKeys);
        referencedBy = List.copyOf(referencedBy);
    }

    /// The indexes that users have made, also by constraints.
    public List<SqlIndex> shownIndexes() {
        return indexes.stream().filter(index -> !index.isAutomatic()).toList();
    }

    /// What the compute server calls the index that serves ranges of the primary key of this name.
    public static String keyOrderName(String primaryKey) {
        return UniqueKey.HIDDEN + "order:" + primaryKey;
    }

    /// The number of the column of this name; -1 if there is none, or it is hidden.
    public int columnNumber(String column) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equals(column) && !columns.get(i).isHidden()) {
                return i;
            }
        }
        return -1;
    }

    /// Whether there is no primary key but the hidden row id.
    public boolean hasHiddenKey() {
        return columns.get(primaryKey.getFirst()).isHidden();
    }
}

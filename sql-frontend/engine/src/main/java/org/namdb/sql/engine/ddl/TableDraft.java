package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Schema;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.KeyShares;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.catalog.CheckConstraint;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.StoredTypes;
import org.namdb.sql.engine.catalog.TableProperties;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.engine.record.LongValues;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// A table that is being defined or changed.
final class TableDraft {
    /// The name of a hidden row id, unless a column has it.
    private static final String ROW_ID = "rowid";

    /// A column of the draft.
    static final class DraftColumn {
        String name;
        SqlType type;
        boolean isNullable;
        @Nullable String defaultText;

        /// Whether its values are made of those of other columns, as its default text says.
        boolean isGenerated;

        /// Null if it is no identity column.
        SqlColumn.@Nullable Identity identity;

        /// The sequence that numbers the rows if this is a new column; null for others.
        @Nullable String newSequence;

        /// What its values of another type become; null if the type stays.
        @Nullable Expression conversion;

        /// The column's number before the change; -1 for a new one.
        final int oldNumber;

        DraftColumn(String name, SqlType type, boolean isNullable, int oldNumber) {
            this.name = name;
            this.type = type;
            this.isNullable = isNullable;
            this.oldNumber = oldNumber;
        }
    }

    String name;
    final List<DraftColumn> columns = new ArrayList<>();

    /// The names of the primary key's columns; empty if there is only a hidden row id.
    List<String> primaryKey = List.of();

    String primaryKeyName;
    final List<CheckConstraint> checks = new ArrayList<>();
    final List<UniqueKey> uniqueKeys = new ArrayList<>();
    final List<ForeignKeyConstraint> foreignKeys = new ArrayList<>();
    Ownership ownership = Ownership.BOOTSTRAP;

    /// The former names of constraints that were renamed.
    final Map<String, String> oldConstraintNames = new HashMap<>();

    /// The name of the table with the chunks of long values; null if there is none.
    @Nullable String longValues;

    /// Whether compute servers are to keep copies of rows; null for as it was.
    @Nullable Boolean cached;

    TableDraft(String name) {
        this.name = name;
        this.primaryKeyName = name + "_pkey";
    }

    /// A table as it is, to be changed.
    static TableDraft of(SqlTable table) {
        TableDraft draft = new TableDraft(table.name());
        for (SqlColumn column : table.columns()) {
            if (!column.isHidden()) {
                DraftColumn copy =
                        new DraftColumn(
                                column.name(),
                                column.type(),
                                column.isNullable(),
                                column.stored().index());
                copy.defaultText = column.defaultText();
                copy.identity = column.identity();
                copy.isGenerated = column.isGenerated();
                draft.columns.add(copy);
            }
        }
        draft.primaryKeyName = table.primaryKeyName();
        if (!table.hasHiddenKey()) {
            draft.primaryKey = names(table, table.primaryKey());
        }
        draft.ownership = table.ownership();
        draft.longValues = table.longValues() == null ? null : table.longValues().name();
        draft.checks.addAll(table.checks());
        draft.foreignKeys.addAll(table.foreignKeys());
        for (SqlIndex index : table.indexes()) {
            if (index.isUnique()) {
                draft.uniqueKeys.add(
                        new UniqueKey(
                                index.name(),
                                names(table, index.columns()),
                                index.isConstraint(),
                                index.index() == null ? null : index.index().name()));
            }
        }
        return draft;
    }

    /// Names a hidden table for long values, if there is none and a column may have some.
    ///
    /// @return its definition; null if it is not to be made
    @Nullable TableDefinition newLongValues(Schema db) {
        boolean isNeeded =
                columns.stream()
                        .anyMatch(c -> StoredTypes.isLong(c.type) && !primaryKey.contains(c.name));
        if (!isNeeded || longValues != null) {
            return null;
        }
        String chosen = UniqueKey.HIDDEN + "long:" + name;
        for (int i = 1; db.findTable(chosen) != null; i++) {
            chosen = UniqueKey.HIDDEN + "long:" + name + i;
        }
        longValues = chosen;
        return LongValues.definition(chosen);
    }

    /// Whether one of the columns gets another type.
    boolean changesType(List<String> names) {
        return columns.stream().anyMatch(c -> c.conversion != null && names.contains(c.name));
    }

    @Nullable DraftColumn column(String column) {
        for (DraftColumn candidate : columns) {
            if (candidate.name.equals(column)) {
                return candidate;
            }
        }
        return null;
    }

    boolean hasConstraint(String constraint) {
        String name = TemporaryNames.bare(constraint);
        return checks.stream().anyMatch(c -> c.name().equals(name))
                || foreignKeys.stream().anyMatch(c -> c.name().equals(name))
                || uniqueKeys.stream().anyMatch(c -> TemporaryNames.bare(c.name()).equals(name))
                || (!primaryKey.isEmpty() && TemporaryNames.bare(primaryKeyName).equals(name));
    }

    /// The definition of the table; `design` brings its physical design.
    ///
    /// @throws SqlException 54000, 54011 if it is over a limit of the store
    TableDefinition definition(TableDefinition.Builder design) {
        int most = TableDefinition.MAX_COLUMNS - (primaryKey.isEmpty() ? 1 : 0);
        if (columns.size() > most) {
            throw new SqlException(
                    SqlState.TOO_MANY_COLUMNS,
                    "tables can have at most "
                            + most
                            + (primaryKey.isEmpty()
                                    ? " columns without a primary key"
                                    : " columns"));
        }
        for (DraftColumn column : columns) {
            if (column.isNullable && !primaryKey.contains(column.name)) {
                design.nullable(column.name, StoredTypes.stored(column.type));
            } else {
                design.column(column.name, StoredTypes.stored(column.type));
            }
        }
        if (primaryKey.isEmpty()) {
            String rowId = rowIdName();
            design.column(rowId, StoredTypes.stored(SqlType.BIGINT)).primaryKey(rowId);
        } else {
            design.primaryKey(primaryKey.toArray(String[]::new));
            primaryKeyTypes();
        }
        properties().encode().forEach(design::property);
        try {
            TableDefinition built = design.build();
            RecordSchema _ = new RecordSchema(built); // checks the sizes
            return built;
        } catch (IllegalArgumentException e) {
            throw new SqlException(
                            SqlState.PROGRAM_LIMIT_EXCEEDED,
                            "table \"" + name + "\" can't be kept: " + reason(e))
                    .causedBy(e);
        }
    }

    /// The store's reason, without the table's name before it.
    private String reason(IllegalArgumentException refusal) {
        String message = String.valueOf(refusal.getMessage());
        String before = name + ": ";
        return message.startsWith(before) ? message.substring(before.length()) : message;
    }

    /// The name of the hidden row id: one that no column has.
    String rowIdName() {
        String rowId = ROW_ID;
        while (column(rowId) != null) {
            rowId = "_" + rowId;
        }
        return rowId;
    }

    /// The types that the primary key's columns have in it.
    ///
    /// @throws SqlException 54000 if they don't fit
    List<ColumnType> primaryKeyTypes() {
        try {
            KeyLayout key = KeyShares.primaryKey(primaryKey, stored(primaryKey));
            return IntStream.range(0, key.columns()).mapToObj(key::type).toList();
        } catch (IllegalArgumentException e) {
            throw TableMaker.outOfMemory(primaryKeyName, e);
        }
    }

    /// The types that columns have in a unique index.
    ///
    /// @throws SqlException 54000 if they don't fit
    List<ColumnType> uniqueTypes(List<String> keyColumns, String index) {
        return TableMaker.keyTypes(keyColumns, stored(keyColumns), index);
    }

    private List<ColumnType> stored(List<String> names) {
        names.forEach(this::requireOrdered);
        return names.stream()
                .map(column -> StoredTypes.stored(Objects.requireNonNull(column(column)).type))
                .toList();
    }

    /// Keys and indexes hold what values are ordered by.
    ///
    /// @throws SqlException 0A000 if a column has arrays
    void requireOrdered(String column) {
        SqlType type = Objects.requireNonNull(column(column)).type;
        if (type.isArray()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "column \"%s\" is of type %s: keys and indexes of arrays are not supported"
                            .formatted(column, type));
        }
    }

    TableProperties properties() {
        Map<Integer, SqlType> types = new HashMap<>();
        Map<Integer, String> defaults = new HashMap<>();
        Map<Integer, Boolean> identities = new HashMap<>();
        Set<Integer> generated = new HashSet<>();
        for (int i = 0; i < columns.size(); i++) {
            DraftColumn column = columns.get(i);
            types.put(i, column.type);
            if (column.defaultText != null) {
                defaults.put(i, column.defaultText);
            }
            if (column.isGenerated) {
                generated.add(i);
            }
            if (column.identity != null) {
                identities.put(i, column.identity.isAlways());
            }
        }
        return new TableProperties(
                primaryKey.isEmpty(),
                primaryKeyName,
                types,
                defaults,
                identities,
                generated,
                checks,
                uniqueKeys,
                foreignKeys,
                longValues,
                ownership);
    }

    private static List<String> names(SqlTable table, List<Integer> numbers) {
        return numbers.stream().map(number -> table.columns().get(number).name()).toList();
    }
}

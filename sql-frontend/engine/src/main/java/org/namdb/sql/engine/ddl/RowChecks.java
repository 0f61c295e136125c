package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.sql.engine.catalog.CheckConstraint;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.StoredTypes;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.engine.ddl.TableDraft.DraftColumn;
import org.namdb.sql.engine.record.KeyLengths;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.error.ErrorObject;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlWriter;
import org.namdb.sql.language.type.TextFormat;

/// Whether the rows of a table fulfil what a draft demands and the table has not demanded before.
/// Checked by queries over the rows as they would be, before anything is changed.
final class RowChecks {
    /// The number of a row, as no column is called.
    private static final String NUMBER = "\"number of the row\"";

    private final DdlContext context;
    private final SqlTable table;
    private final TableDraft draft;
    private final String rows;

    RowChecks(DdlContext context, SqlTable table, TableDraft draft) {
        this.context = context;
        this.table = table;
        this.draft = draft;
        this.rows = rows();
    }

    /// Checks all new constraints.
    ///
    /// @param isReplaced whether the table is rebuilt: then uniqueness is checked here too, else
    ///     when the index is built
    /// @throws SqlException 23502, 23503, 23505, 23514, 54000
    void run(boolean isReplaced) {
        for (DraftColumn column : draft.columns) {
            boolean wasNullable =
                    column.oldNumber < 0 || table.columns().get(column.oldNumber).isNullable();
            if (!column.isNullable && wasNullable) {
                notNull(column);
            }
        }
        for (CheckConstraint check : draft.checks) {
            String old = oldName(check.name());
            boolean isNew =
                    table.checks().stream().noneMatch(c -> c.name().equals(old) && c.isValid());
            boolean hasOtherValues = draft.columns.stream().anyMatch(c -> c.conversion != null);
            if (check.isValid() && (isNew || hasOtherValues)) {
                check(check);
            }
        }
        for (ForeignKeyConstraint key : draft.foreignKeys) {
            String old = oldName(key.name());
            if (key.isValid()
                    && table.foreignKeys().stream()
                            .noneMatch(k -> k.name().equals(old) && k.isValid())) {
                foreignKey(key);
            }
        }
        if (isReplaced) {
            unique();
        }
    }

    private String oldName(String constraint) {
        return draft.oldConstraintNames.getOrDefault(constraint, constraint);
    }

    /// The rows as they would be, as a derived table with the table's name. Of a new sequence that
    /// will number them no value is taken yet.
    private String rows() {
        boolean isNumbered = draft.columns.stream().anyMatch(c -> c.newSequence != null);
        String source = Names.quoted(table.name());
        StringJoiner items =
                new StringJoiner(
                        ", ",
                        "(SELECT ",
                        " FROM "
                                + (isNumbered
                                        ? "(SELECT *, row_number() OVER () AS "
                                                + NUMBER
                                                + " FROM "
                                                + source
                                                + ") AS "
                                                + alias(table.name())
                                        : source)
                                + ")");
        for (DraftColumn column : draft.columns) {
            String value;
            if (isNewGenerated(column)) {
                continue;
            }
            if (column.conversion != null) {
                value =
                        "CAST((%s) AS %s)"
                                .formatted(SqlWriter.write(column.conversion), column.type);
            } else if (column.oldNumber >= 0) {
                value = Names.quoted(table.columns().get(column.oldNumber).name());
            } else if (column.newSequence != null) {
                Sequence sequence = context.catalog().sequence(column.newSequence);
                value =
                        "CAST(%d + (%s - 1) * %d AS %s)"
                                .formatted(
                                        sequence.start(),
                                        NUMBER,
                                        sequence.increment(),
                                        column.type);
            } else {
                value =
                        "CAST(("
                                + (column.defaultText == null ? "NULL" : column.defaultText)
                                + ") AS "
                                + column.type
                                + ")";
            }
            items.add(value + " AS " + Names.quoted(column.name));
        }
        return generated(items + " AS " + alias(draft.name));
    }

    private static boolean isNewGenerated(DraftColumn column) {
        return column.isGenerated && column.oldNumber < 0;
    }

    /// The rows with new generated columns, which are made of the others.
    private String generated(String others) {
        if (draft.columns.stream().noneMatch(RowChecks::isNewGenerated)) {
            return others;
        }
        StringJoiner items = new StringJoiner(", ", "(SELECT *, ", " FROM " + others + ")");
        for (DraftColumn column : draft.columns) {
            if (isNewGenerated(column)) {
                items.add(
                        "CAST((%s) AS %s) AS %s"
                                .formatted(
                                        column.defaultText,
                                        column.type,
                                        Names.quoted(column.name)));
            }
        }
        return items + " AS " + alias(draft.name);
    }

    /// A table's name as expressions have it.
    private static String alias(String table) {
        return Names.quoted(TemporaryNames.bare(table));
    }

    private void notNull(DraftColumn column) {
        if (isAny("SELECT 1 FROM " + rows + " WHERE " + Names.quoted(column.name) + " IS NULL")) {
            throw new SqlException(
                            SqlState.NOT_NULL_VIOLATION,
                            "column \""
                                    + column.name
                                    + "\" of relation \""
                                    + draft.name
                                    + "\" contains null values")
                    .about(ErrorObject.column(draft.name, column.name));
        }
    }

    private void check(CheckConstraint check) {
        context.requireUnchanged(table.name());
        if (isAny("SELECT 1 FROM " + rows + " WHERE NOT (" + check.condition() + "\n)")) {
            throw new SqlException(
                            SqlState.CHECK_VIOLATION,
                            "check constraint \""
                                    + check.name()
                                    + "\" of relation \""
                                    + draft.name
                                    + "\" is violated by some row")
                    .about(ErrorObject.constraint(draft.name, check.name()));
        }
    }

    private void foreignKey(ForeignKeyConstraint key) {
        context.requireUnchanged(table.name());
        if (!key.referencedTable().equals(draft.name)) {
            context.requireUnchanged(key.referencedTable());
        }
        String child = alias(draft.name);
        StringJoiner isWhole = new StringJoiner(" AND ");
        StringJoiner isParent = new StringJoiner(" AND ");
        for (int i = 0; i < key.columns().size(); i++) {
            String column = child + "." + Names.quoted(key.columns().get(i));
            isWhole.add(column + " IS NOT NULL");
            isParent.add(
                    "\"parent rows\"."
                            + Names.quoted(key.referencedColumns().get(i))
                            + " = "
                            + column);
        }
        String parents =
                key.referencedTable().equals(draft.name)
                        ? rows.substring(0, rows.lastIndexOf(" AS "))
                        : Names.quoted(key.referencedTable());
        String query =
                "SELECT "
                        + list(key.columns())
                        + " FROM "
                        + rows
                        + " WHERE "
                        + isWhole
                        + " AND NOT EXISTS (SELECT 1 FROM "
                        + parents
                        + " AS \"parent rows\" WHERE "
                        + isParent
                        + ")";
        @Nullable Object @Nullable [] orphan = context.first(query + " LIMIT 1");
        if (orphan != null) {
            throw new SqlException(
                            SqlState.FOREIGN_KEY_VIOLATION,
                            "insert or update on table \""
                                    + draft.name
                                    + "\" violates foreign key constraint \""
                                    + key.name()
                                    + "\"")
                    .about(ErrorObject.constraint(draft.name, key.name()))
                    .withDetail(
                            "Key "
                                    + keyText(key.columns(), orphan)
                                    + " is not present in table \""
                                    + key.referencedTable()
                                    + "\".");
        }
    }

    private void unique() {
        if (!draft.primaryKey.isEmpty()) {
            lengths(draft.primaryKeyName, draft.primaryKey, draft.primaryKeyTypes());
            unique(draft.primaryKeyName, draft.primaryKey);
        }
        for (UniqueKey key : draft.uniqueKeys) {
            boolean isNew =
                    table.indexes().stream().noneMatch(index -> index.name().equals(key.name()));
            if (isNew || draft.changesType(key.columns())) {
                lengths(key.name(), key.columns(), draft.uniqueTypes(key.columns(), key.name()));
                unique(key.name(), key.columns());
            }
        }
    }

    /// Whether the values fit in a key whose columns are of these types.
    private void lengths(String name, List<String> columns, List<ColumnType> types) {
        for (int i = 0; i < columns.size(); i++) {
            DraftColumn column = Objects.requireNonNull(draft.column(columns.get(i)));
            if (types.get(i).length() < StoredTypes.stored(column.type).length()) {
                String value = Names.quoted(column.name);
                boolean isBytes = types.get(i).kind() == ColumnType.Kind.BYTES;
                String bytes =
                        "octet_length(" + (isBytes ? value : "CAST(" + value + " AS text)") + ")";
                @Nullable Object @Nullable [] longest =
                        context.first("SELECT max(" + bytes + ") FROM " + rows);
                if (longest != null
                        && longest[0] instanceof Number found
                        && found.longValue() > types.get(i).length()) {
                    throw KeyLengths.tooLong(name, found.longValue(), types.get(i).length());
                }
            }
        }
    }

    private void unique(String name, List<String> columns) {
        StringJoiner isWhole = new StringJoiner(" AND ");
        columns.forEach(column -> isWhole.add(Names.quoted(column) + " IS NOT NULL"));
        String list = list(columns);
        @Nullable Object @Nullable [] twice =
                context.first(
                        "SELECT "
                                + list
                                + " FROM "
                                + rows
                                + " WHERE "
                                + isWhole
                                + " GROUP BY "
                                + list
                                + " HAVING count(*) > 1 LIMIT 1");
        if (twice != null) {
            throw new SqlException(
                            SqlState.UNIQUE_VIOLATION,
                            "could not create unique index \"" + name + "\"")
                    .about(ErrorObject.constraint(draft.name, name))
                    .withDetail("Key " + keyText(columns, twice) + " is duplicated.");
        }
    }

    private boolean isAny(String query) {
        return context.first(query + " LIMIT 1") != null;
    }

    private static String list(List<String> columns) {
        return String.join(", ", columns.stream().map(Names::quoted).toList());
    }

    private String keyText(List<String> columns, @Nullable Object[] values) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            DraftColumn column = draft.column(columns.get(i));
            Object value = values[i];
            texts.add(
                    value == null || column == null
                            ? "null"
                            : TextFormat.format(value, column.type));
        }
        return "(" + String.join(", ", columns) + ")=(" + String.join(", ", texts) + ")";
    }
}

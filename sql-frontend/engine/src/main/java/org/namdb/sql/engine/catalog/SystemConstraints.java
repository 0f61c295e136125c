package org.namdb.sql.engine.catalog;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;

/// `pg_constraint`, and the texts of constraints.
final class SystemConstraints {
    private final SystemCatalog catalog;
    private final Map<Long, String> definitions = new TreeMap<>();
    private final Map<String, Long> oids = new HashMap<>();

    SystemConstraints(SystemCatalog catalog) {
        this.catalog = catalog;
    }

    /// The texts of constraints, by their numbers.
    Map<Long, String> definitions() {
        return definitions;
    }

    /// The number of a constraint; null if the table has none of this name.
    @Nullable Long oid(String table, String name) {
        return oids.get(key(table, name));
    }

    private static String key(String table, String name) {
        return Fields.join(List.of(table, name));
    }

    /// Adds a CHECK constraint.
    void check(SqlTable table, CheckConstraint check) {
        String definition = "CHECK ((" + check.condition() + "))" + validity(check.isValid());
        add(table, check.name(), "c", 0, definition, List.of(), 0, List.of(), " ", check.isValid());
    }

    private static String validity(boolean isValid) {
        return isValid ? "" : " NOT VALID";
    }

    /// Adds a primary key or a unique constraint.
    void key(
            SqlTable table,
            String name,
            String type,
            long index,
            String definition,
            List<Integer> columns) {
        add(table, name, type, index, definition, columns, 0, List.of(), " ", true);
    }

    /// Adds a foreign key.
    void foreignKey(SqlTable table, ForeignKeyConstraint key) {
        SqlTable parent =
                Objects.requireNonNullElse(
                        catalog.table(catalog.oid(key.referencedTable())), table);
        String definition =
                "FOREIGN KEY (%s) REFERENCES %s(%s)%s%s%s"
                        .formatted(
                                SystemCatalog.list(key.columns()),
                                SystemCatalog.quoted(TemporaryNames.bare(key.referencedTable())),
                                SystemCatalog.list(key.referencedColumns()),
                                action(" ON UPDATE ", key.onUpdate().name()),
                                action(" ON DELETE ", key.onDelete().name()),
                                validity(key.isValid()));
        add(
                table,
                key.name(),
                "f",
                uniqueIndex(parent, key.referencedColumns()),
                definition,
                key.columns().stream().map(table::columnNumber).toList(),
                catalog.oid(key.referencedTable()),
                key.referencedColumns().stream().map(parent::columnNumber).toList(),
                letter(key.onUpdate().name()) + letter(key.onDelete().name()),
                key.isValid());
    }

    /// The number of the index that makes the columns unique which a foreign key refers to.
    private long uniqueIndex(SqlTable parent, List<String> columns) {
        for (SqlIndex index : parent.indexes()) {
            if (index.isUnique() && SystemCatalog.names(parent, index.columns()).equals(columns)) {
                return catalog.oid(index.name());
            }
        }
        return catalog.oid(parent.primaryKeyName());
    }

    private static String action(String clause, String action) {
        return action.equals("NO_ACTION") ? "" : clause + action.replace('_', ' ');
    }

    private static String letter(String action) {
        return switch (action) {
            case "RESTRICT" -> "r";
            case "CASCADE" -> "c";
            case "SET_NULL" -> "n";
            case "SET_DEFAULT" -> "d";
            default -> "a";
        };
    }

    /// @param actions two letters, for updates and for deletions; a blank if there are none
    private void add(
            SqlTable table,
            String name,
            String type,
            long index,
            String definition,
            List<Integer> columns,
            long parent,
            List<Integer> parentColumns,
            String actions,
            boolean isValid) {
        long oid = catalog.newOid("constraint " + table.name() + "." + name);
        definitions.put(oid, definition);
        oids.put(key(table.name(), name), oid);
        catalog.of("pg_constraint")
                .row(
                        oid,
                        name,
                        type,
                        catalog.oid(table.name()),
                        index,
                        parent,
                        actions.substring(0, 1),
                        actions.substring(actions.length() - 1),
                        type.equals("f") ? "s" : " ",
                        columns.isEmpty() ? null : array(columns),
                        parentColumns.isEmpty() ? null : array(parentColumns),
                        isValid,
                        true,
                        SystemCatalog.PUBLIC_NAMESPACE,
                        type.equals("c") ? definition : null);
    }

    private static SqlArray array(List<Integer> columns) {
        return new SqlArray(
                SqlType.SMALLINT, columns.stream().map(column -> (long) (column + 1)).toList());
    }
}

package org.namdb.sql.shell.local;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey.Action;
import org.namdb.sql.shell.TableFacts;
import org.namdb.sql.shell.TableFacts.ColumnFacts;
import org.namdb.sql.shell.TableFacts.IndexFacts;

/// Describes a table's catalog entry in words.
final class CatalogFacts {
    private CatalogFacts() {}

    static TableFacts of(SqlTable table) {
        return new TableFacts(
                table.name(),
                table.columns().stream()
                        .filter(column -> !column.isHidden())
                        .map(column ->
                                new ColumnFacts(
                                        column.name(),
                                        column.type().toString(),
                                        column.isNullable(),
                                        column.defaultText()))
                        .toList(),
                primaryKey(table),
                table.indexes().stream().map(index -> index(table, index)).toList(),
                table.checks().stream()
                        .map(check ->
                                "\"%s\" CHECK (%s)".formatted(check.name(), check.condition()))
                        .toList(),
                table.foreignKeys().stream().map(CatalogFacts::foreignKey).toList(),
                table.referencedBy().stream()
                        .map(key ->
                                "TABLE \"%s\" CONSTRAINT %s"
                                        .formatted(key.table(), foreignKey(key)))
                        .toList(),
                design(table.stored().definition()));
    }

    private static @Nullable IndexFacts primaryKey(SqlTable table) {
        return table.hasHiddenKey()
                ? null
                : new IndexFacts(
                        table.primaryKeyName(), "PRIMARY KEY", names(table, table.primaryKey()));
    }

    private static IndexFacts index(SqlTable table, SqlIndex index) {
        List<String> kind = new ArrayList<>();
        if (index.isUnique()) {
            kind.add(index.isConstraint() ? "UNIQUE CONSTRAINT" : "UNIQUE");
        }
        kind.add(index.isOrdered() ? "btree" : "hash");
        return new IndexFacts(
                index.name(),
                String.join(", ", kind),
                names(table, index.columns()),
                index.options());
    }

    private static List<String> names(SqlTable table, List<Integer> numbers) {
        return numbers.stream().map(number -> table.columns().get(number).name()).toList();
    }

    private static String foreignKey(ForeignKeyConstraint key) {
        return "\"%s\" FOREIGN KEY (%s) REFERENCES %s(%s)%s%s"
                .formatted(
                        key.name(),
                        String.join(", ", key.columns()),
                        key.referencedTable(),
                        String.join(", ", key.referencedColumns()),
                        action(" ON DELETE ", key.onDelete()),
                        action(" ON UPDATE ", key.onUpdate()));
    }

    private static String action(String when, Action action) {
        return action == Action.NO_ACTION
                ? ""
                : when + action.name().replace('_', ' ').toUpperCase(Locale.ROOT);
    }

    private static List<String> design(TableDefinition definition) {
        List<String> design = new ArrayList<>();
        design.add(
                "%d old version%s kept"
                        .formatted(definition.versions(), plural(definition.versions())));
        design.add(
                "%d record%s in a bucket"
                        .formatted(definition.bucketRecords(), plural(definition.bucketRecords())));
        design.add(definition.inlined() ? "inline" : "not inline");
        if (definition.isCached()) {
            design.add("cached");
        }
        if (definition.expectedRows() > 0) {
            design.add("made for %,d rows".formatted(definition.expectedRows()));
        }
        if (definition.neighbourColumns() < definition.primaryKey().size()) {
            design.add(
                    "neighbours by "
                            + String.join(
                                    ", ",
                                    definition
                                            .primaryKey()
                                            .subList(0, definition.neighbourColumns())));
        }
        if (!definition.servers().isEmpty()) {
            design.add(
                    "on memory server%s %s"
                            .formatted(
                                    plural(definition.servers().size()),
                                    definition.servers().stream()
                                            .map(String::valueOf)
                                            .collect(Collectors.joining(", "))));
        }
        return design;
    }

    private static String plural(int count) {
        return count == 1 ? "" : "s";
    }
}

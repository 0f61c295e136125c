package org.namdb.sql.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.Result;
import org.namdb.sql.ResultColumn;
import org.namdb.sql.shell.TableFacts.ColumnFacts;
import org.namdb.sql.shell.TableFacts.IndexFacts;
import org.namdb.sql.shell.format.ListedRows;
import org.namdb.sql.type.SqlType;

/// The meta commands that tell about tables: `\d`, `\dt`, `\di`.
final class TableListing {
    private final ShellDatabase database;
    private final ShellOutput output;

    TableListing(ShellDatabase database, ShellOutput output) {
        this.database = database;
        this.output = output;
    }

    /// All tables.
    void tables() {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (TableFacts table : all()) {
            IndexFacts key = table.primaryKey();
            rows.add(
                    ListedRows.row(
                            table.name(),
                            (long) table.columns().size(),
                            key == null ? null : String.join(", ", key.columns()),
                            (long) table.indexes().size()));
        }
        if (rows.isEmpty()) {
            output.remark(
                    "There are no tables yet. CREATE TABLE makes one; \\h CREATE TABLE shows how.");
            return;
        }
        output.listing(
                new ListedRows(
                        List.of(
                                new ResultColumn("table", SqlType.TEXT),
                                new ResultColumn("columns", SqlType.BIGINT),
                                new ResultColumn("primary key", SqlType.TEXT),
                                new ResultColumn("indexes", SqlType.BIGINT)),
                        rows));
    }

    /// All indexes.
    void indexes() {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (TableFacts table : all()) {
            List<IndexFacts> indexes = new ArrayList<>(table.indexes());
            if (table.primaryKey() != null) {
                indexes.addFirst(table.primaryKey());
            }
            for (IndexFacts index : indexes) {
                rows.add(
                        ListedRows.row(
                                index.name(),
                                table.name(),
                                String.join(", ", index.columns()),
                                index.kind()));
            }
        }
        output.listing(ListedRows.ofText(List.of("index", "table", "columns", "kind"), rows));
    }

    /// One table, with all that is known of it.
    void describe(String name) {
        TableFacts table = database.table(folded(name));
        if (table == null) {
            throw new ShellException(
                    "there is no table \"" + folded(name) + "\"; \\dt lists those there are");
        }
        output.line(output.paint().heading("Table \"" + table.name() + "\""));
        output.listing(columns(table));
        List<String> indexes = new ArrayList<>();
        if (table.primaryKey() != null) {
            indexes.add(table.primaryKey().text());
        }
        table.indexes().forEach(index -> indexes.add(index.text()));
        section("Indexes:", indexes);
        section("Checks:", table.checks());
        section("Foreign keys:", table.foreignKeys());
        section("Referenced by:", table.referencedBy());
        if (!table.design().isEmpty()) {
            section("Physical design:", List.of(String.join(", ", table.design())));
        }
    }

    private List<TableFacts> all() {
        return database.tableNames().stream()
                .map(database::table)
                .filter(Objects::nonNull)
                .toList();
    }

    private static Result columns(TableFacts table) {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (ColumnFacts column : table.columns()) {
            rows.add(
                    ListedRows.row(
                            column.name(),
                            column.type(),
                            column.isNullable() ? "" : "not null",
                            Objects.requireNonNullElse(column.defaultText(), "")));
        }
        return ListedRows.ofText(List.of("column", "type", "nullable", "default"), rows);
    }

    private void section(String title, List<String> lines) {
        if (!lines.isEmpty()) {
            output.line(output.paint().heading(title));
            lines.forEach(line -> output.line("    " + line));
        }
    }

    /// As SQL takes a name: in lower case unless it is quoted.
    private static String folded(String name) {
        return name.length() > 1 && name.startsWith("\"") && name.endsWith("\"")
                ? name.substring(1, name.length() - 1).replace("\"\"", "\"")
                : name.toLowerCase(Locale.ROOT);
    }
}

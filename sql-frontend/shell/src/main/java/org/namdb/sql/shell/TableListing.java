package org.namdb.sql.shell;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.shell.TableFacts.ColumnFacts;
import org.namdb.sql.shell.TableFacts.IndexFacts;
import org.namdb.sql.shell.format.CellText;
import org.namdb.sql.shell.format.ListedRows;

/// The meta commands for tables and what else a schema has: `\d`, `\dt`, `\di`, `\dv`, `\ds`,
/// `\df`, `\dn`, `\l`, `\sf`, `\sv`.
final class TableListing {
    private static final int INDENT = 4;

    private static final String SEQUENCES =
            "SELECT sequencename, data_type, start_value, min_value, max_value, increment_by,"
                    + " cycle, cache_size, last_value, sequenceowner FROM pg_sequences ORDER BY"
                    + " sequencename";

    private static final String ROUTINES =
            "SELECT n.nspname, p.proname, pg_get_function_result(p.oid),"
                    + " pg_get_function_arguments(p.oid), CASE p.prokind WHEN 'p' THEN 'proc' ELSE"
                    + " 'func' END FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace ORDER"
                    + " BY 1, 2, 4";

    private static final String VIEWS =
            "SELECT viewname, viewowner, definition FROM pg_views WHERE schemaname = 'public' ORDER"
                    + " BY 1";

    private static final String SOURCES =
            "SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 2200";

    private static final String VIEW_SOURCES =
            "SELECT viewname, 'CREATE OR REPLACE VIEW ' || quote_ident(viewname) || E' AS\\n' ||"
                    + " definition FROM pg_views WHERE schemaname = 'public'";

    private static final String SCHEMAS =
            "SELECT nspname, pg_get_userbyid(nspowner) FROM pg_namespace ORDER BY 1";

    private static final String DATABASES =
            "SELECT datname, pg_get_userbyid(datdba), pg_encoding_to_char(encoding), datcollate FROM"
                    + " pg_database ORDER BY 1";

    private static final String VIEW_COLUMNS =
            "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a"
                    + " JOIN pg_class c ON c.oid = a.attrelid WHERE c.relkind = 'v' ORDER BY a.attnum";

    private static final String COMMENTS =
            "SELECT c.relname, a.attname, d.description FROM pg_description d JOIN pg_class c ON"
                    + " c.oid = d.objoid LEFT JOIN pg_attribute a ON a.attrelid = d.objoid AND a.attnum"
                    + " = d.objsubid WHERE d.classoid = 1259";

    private static final String OWNERS =
            "SELECT s.relname, t.relname, a.attname FROM pg_depend d JOIN pg_class s ON s.oid ="
                    + " d.objid JOIN pg_class t ON t.oid = d.refobjid JOIN pg_attribute a ON a.attrelid"
                    + " = t.oid AND a.attnum = d.refobjsubid WHERE s.relkind = 'S' AND d.deptype IN"
                    + " ('a', 'i')";

    private final ShellDatabase database;
    private final ShellOutput output;
    private final RoleListing roles;

    TableListing(ShellDatabase database, ShellOutput output, RoleListing roles) {
        this.database = database;
        this.output = output;
        this.roles = roles;
    }

    /// The tables.
    ///
    /// @param pattern what their names are like, with `*` and `?`; empty for all
    /// @param isMore whether with comments
    void tables(String pattern, boolean isMore) {
        Map<String, String> comments = isMore ? comments() : Map.of();
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (TableFacts table : tablesLike(pattern)) {
            IndexFacts key = table.primaryKey();
            rows.add(
                    ListedRows.row(
                            table.name(),
                            (long) table.columns().size(),
                            key == null ? null : String.join(", ", key.columns()),
                            (long) table.indexes().size(),
                            comments.get(table.name())));
        }
        if (rows.isEmpty() && !pattern.isEmpty()) {
            output.remark("There is no table \"" + pattern + "\".");
            return;
        }
        if (rows.isEmpty()) {
            output.remark(
                    "There are no tables yet. CREATE TABLE makes one; \\h CREATE TABLE shows how.");
            return;
        }
        List<ResultColumn> columns =
                List.of(
                        new ResultColumn("table", SqlType.TEXT),
                        new ResultColumn("columns", SqlType.BIGINT),
                        new ResultColumn("primary key", SqlType.TEXT),
                        new ResultColumn("indexes", SqlType.BIGINT),
                        new ResultColumn("comment", SqlType.TEXT));
        output.listing(
                new ListedRows(isMore ? columns : columns.subList(0, columns.size() - 1), rows));
    }

    /// The comments on relations by their names, and on columns by the names of their relations, a
    /// line end and theirs.
    private Map<String, String> comments() {
        Map<String, String> comments = new HashMap<>();
        for (@Nullable String[] row : roles.rows(COMMENTS)) {
            String key = row[1] == null ? String.valueOf(row[0]) : row[0] + "\n" + row[1];
            comments.put(key, String.valueOf(row[2]));
        }
        return comments;
    }

    /// The indexes.
    ///
    /// @param pattern what their names are like; empty for all
    void indexes(String pattern) {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (TableFacts table : tablesLike("")) {
            List<IndexFacts> indexes = new ArrayList<>(table.indexes());
            if (table.primaryKey() != null) {
                indexes.addFirst(table.primaryKey());
            }
            for (IndexFacts index : indexes) {
                if (!isLike(index.name(), pattern)) {
                    continue;
                }
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

    /// The sequences.
    ///
    /// @param pattern what their names are like; empty for all
    void sequences(String pattern) {
        List<@Nullable String[]> rows = new ArrayList<>();
        for (@Nullable String[] row : roles.rows(SEQUENCES)) {
            rows.add(new @Nullable String[] {row[0], row[1], row[8], row[9]});
        }
        list(List.of("sequence", "type", "last value", "owner"), rows, 0, pattern);
    }

    /// The functions and procedures.
    ///
    /// @param pattern what their names are like; empty for all
    void routines(String pattern) {
        List<String> columns = List.of("schema", "name", "result", "arguments", "kind");
        list(columns, roles.rows(ROUTINES), 1, pattern);
    }

    /// The views.
    ///
    /// @param pattern what their names are like; empty for all
    void views(String pattern) {
        list(List.of("view", "owner"), roles.rows(VIEWS), 0, pattern);
    }

    /// The schemas.
    ///
    /// @param pattern what their names are like; empty for all but the system's
    void schemas(String pattern) {
        List<@Nullable String[]> rows = roles.rows(SCHEMAS);
        if (pattern.isEmpty()) {
            rows.removeIf(row -> !"public".equals(row[0]));
        }
        list(List.of("schema", "owner"), rows, 0, pattern);
    }

    /// The databases.
    ///
    /// @param pattern what their names are like; empty for all
    void databases(String pattern) {
        List<String> columns = List.of("database", "owner", "encoding", "collation");
        list(columns, roles.rows(DATABASES), 0, pattern);
    }

    /// Shows rows whose names are like a pattern.
    ///
    /// @param named the column of the names
    private void list(
            List<String> columns, List<@Nullable String[]> rows, int named, String pattern) {
        List<@Nullable Object[]> listed = new ArrayList<>();
        for (@Nullable String[] row : rows) {
            if (isLike(String.valueOf(row[named]), pattern)) {
                listed.add(Arrays.copyOf(row, columns.size(), Object[].class));
            }
        }
        output.listing(ListedRows.ofText(columns, listed));
    }

    /// The statement that makes a function or a procedure.
    void source(String name) {
        source(SOURCES, name, "function or procedure", "\\df");
    }

    /// The statement that makes a view.
    void viewSource(String name) {
        source(VIEW_SOURCES, name, "view", "\\dv");
    }

    private void source(String query, String name, String kind, String lists) {
        String wanted = folded(name);
        for (@Nullable String[] row : roles.rows(query)) {
            if (wanted.equals(row[0])) {
                output.paged(out -> out.println(String.valueOf(row[1]).strip()));
                return;
            }
        }
        throw new ShellException(
                "there is no %s \"%s\"; %s lists those there are".formatted(kind, wanted, lists));
    }

    /// @return whether there is a view of this name
    private boolean describeView(String name) {
        for (@Nullable String[] view : roles.rows(VIEWS)) {
            if (name.equals(view[0])) {
                List<@Nullable Object[]> columns = new ArrayList<>();
                for (@Nullable String[] column : roles.rows(VIEW_COLUMNS)) {
                    if (name.equals(column[0])) {
                        columns.add(ListedRows.row(column[1], column[2]));
                    }
                }
                String definition = String.valueOf(view[2]);
                output.paged(out -> {
                    out.println(output.paint().heading("View \"" + name + "\""));
                    output.list(ListedRows.ofText(List.of("column", "type"), columns), out);
                    section("View definition:", definition.lines().toList(), out);
                });
                return true;
            }
        }
        return false;
    }

    /// @return whether there is a sequence of this name
    private boolean describeSequence(String name) {
        for (@Nullable String[] row : roles.rows(SEQUENCES)) {
            if (name.equals(row[0])) {
                String column = null;
                for (@Nullable String[] owner : roles.rows(OWNERS)) {
                    column = name.equals(owner[0]) ? owner[1] + "." + owner[2] : column;
                }
                List<String> owned = column == null ? List.of() : List.of(column);
                output.paged(out -> {
                    out.println(output.paint().heading("Sequence \"" + name + "\""));
                    output.list(
                            ListedRows.ofText(
                                    List.of(
                                            "type",
                                            "start",
                                            "minimum",
                                            "maximum",
                                            "increment",
                                            "cycles",
                                            "cache",
                                            "last value"),
                                    List.<@Nullable Object[]>of(
                                            ListedRows.row(
                                                    row[1],
                                                    row[2],
                                                    row[3],
                                                    row[4],
                                                    row[5],
                                                    "t".equals(row[6]) ? "yes" : "no",
                                                    row[7],
                                                    row[8]))),
                            out);
                    section("Owned by:", owned, out);
                });
                return true;
            }
        }
        return false;
    }

    /// One table, with all details; or several, whose names are like a pattern.
    ///
    /// @param isMore whether with the owner and privileges
    void describe(String name, boolean isMore) {
        boolean isPattern = isPattern(name);
        TableFacts named = isPattern ? null : database.table(folded(name));
        List<TableFacts> tables = named == null ? List.of() : List.of(named);
        if (isPattern) {
            tables = tablesLike(name);
        }
        if (tables.isEmpty()
                && !isPattern
                && (describeView(folded(name)) || describeSequence(folded(name)))) {
            return;
        }
        if (tables.isEmpty()) {
            throw new ShellException(
                    "there is no table \"" + folded(name) + "\"; \\dt lists those there are");
        }
        List<TableFacts> found = tables;
        output.paged(out -> found.forEach(table -> describe(table, isMore, out)));
    }

    private void describe(TableFacts table, boolean isMore, PrintWriter out) {
        out.println(output.paint().heading("Table \"" + table.name() + "\""));
        Map<String, String> comments = isMore ? comments() : Map.of();
        output.list(columns(table, isMore, comments), out);
        List<String> indexes = new ArrayList<>();
        if (table.primaryKey() != null) {
            indexes.add(table.primaryKey().text());
        }
        table.indexes().forEach(index -> indexes.add(index.text()));
        section("Indexes:", indexes, out);
        section("Checks:", table.checks(), out);
        section("Foreign keys:", table.foreignKeys(), out);
        section("Referenced by:", table.referencedBy(), out);
        if (!table.design().isEmpty()) {
            section("Physical design:", List.of(String.join(", ", table.design())), out);
        }
        if (isMore) {
            section("Rights:", roles.privilegesOf(table.name()), out);
            String comment = comments.get(table.name());
            section("Comment:", comment == null ? List.of() : comment.lines().toList(), out);
        }
    }

    private List<TableFacts> tablesLike(String pattern) {
        return database.tableNames().stream()
                .filter(name -> isLike(name, pattern))
                .map(database::table)
                .filter(Objects::nonNull)
                .toList();
    }

    private static boolean isPattern(String text) {
        return text.contains("*") || text.contains("?");
    }

    /// Whether a name is like a pattern; all are like the empty one.
    static boolean isLike(String name, String pattern) {
        if (pattern.isEmpty()) {
            return true;
        }
        String expression =
                folded(pattern)
                        .codePoints()
                        .mapToObj(c ->
                                switch (c) {
                                    case '*' -> ".*";
                                    case '?' -> ".";
                                    default -> Pattern.quote(Character.toString(c));
                                })
                        .collect(Collectors.joining());
        return name.matches(expression);
    }

    /// @param isMore whether with comments
    private static Result columns(TableFacts table, boolean isMore, Map<String, String> comments) {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (ColumnFacts column : table.columns()) {
            rows.add(
                    ListedRows.row(
                            column.name(),
                            column.type(),
                            column.isNullable() ? "" : "not null",
                            Objects.requireNonNullElse(column.defaultText(), ""),
                            comments.get(table.name() + "\n" + column.name())));
        }
        List<String> names = List.of("column", "type", "nullable", "default", "comment");
        return ListedRows.ofText(isMore ? names : names.subList(0, names.size() - 1), rows);
    }

    /// For a person no line is wider than the terminal.
    private void section(String title, List<String> lines, PrintWriter out) {
        if (lines.isEmpty()) {
            return;
        }
        out.println(output.paint().heading(title));
        int columns = output.isTerminal() ? output.columns() - 2 * INDENT : Integer.MAX_VALUE;
        for (String line : lines) {
            String indent = " ".repeat(INDENT);
            for (String part : CellText.wrapped(line, columns)) {
                out.println(indent + part);
                indent = " ".repeat(2 * INDENT);
            }
        }
    }

    /// As SQL takes a name: in lower case unless it is quoted.
    private static String folded(String name) {
        return name.length() > 1 && name.startsWith("\"") && name.endsWith("\"")
                ? name.substring(1, name.length() - 1).replace("\"\"", "\"")
                : name.toLowerCase(Locale.ROOT);
    }
}

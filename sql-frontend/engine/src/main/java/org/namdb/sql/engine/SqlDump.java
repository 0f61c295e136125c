package org.namdb.sql.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.catalog.CheckConstraint;
import org.namdb.sql.engine.catalog.CommentTable;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.SqlView;
import org.namdb.sql.engine.catalog.SystemRoutines;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.ddl.CommentSteps;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey.Action;
import org.namdb.sql.language.parser.Keywords;
import org.namdb.sql.language.parser.SqlWriter;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.type.SqlType;

/// Writes a database as SQL that makes it again: sequences, tables, then their rows by COPY, then
/// indexes, unique constraints and foreign keys, which are faster to make of rows that are there,
/// then functions and procedures, then views; before them the roles, and at the end owners and
/// privileges. All of it is of one snapshot; schema changes wait meanwhile. On which memory servers
/// a table lies is not written, so that the text does for any number of them.
public final class SqlDump {
    /// What one COPY brings in is one transaction.
    private static final int ROWS_AT_ONCE = 20_000;

    /// What CREATE TABLE chooses for itself is at most this.
    private static final TableDefinition USUAL =
            TableDefinition.named("usual").column("id", ColumnType.INT64).primaryKey("id").build();

    private final SqlSession session;
    private final Writer out;

    private SqlDump(SqlSession session, Writer out) {
        this.session = session;
        this.out = out;
    }

    /// Writes a database.
    ///
    /// @param session has no transaction block open
    /// @throws org.namdb.sql.language.error.SqlException if it can't be read
    /// @throws IOException if it can't be written
    public static void write(SqlSession session, Writer out) throws IOException {
        SqlDump dump = new SqlDump(session, out);
        dump.run("BEGIN TRANSACTION READ ONLY");
        try {
            dump.run("SELECT 1"); // from now on no table changes
            dump.write();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            dump.run("ROLLBACK");
        }
        out.flush();
    }

    private void run(String sql) {
        try (Result result = session.execute(sql)) {
            while (result.next()) {
                // to its end
            }
        }
    }

    private void write() throws IOException {
        List<SqlTable> tables =
                session.catalog().tables().stream()
                        .filter(each -> !TemporaryNames.isTemporary(each.name()))
                        .toList();
        out.write("-- A dump of NamDB. nam sql -f takes it.\n");
        DumpedRights rights = new DumpedRights(session.catalog().roles());
        out.write(rights.roles());
        Collection<Sequence> sequences =
                session.catalog().sequences().values().stream()
                        .filter(each -> !TemporaryNames.isTemporary(each.name()))
                        .toList();
        for (Sequence sequence : sequences) {
            if (!isIdentity(sequence)) {
                out.write(
                        "\nCREATE SEQUENCE %s AS %s%s;\n"
                                .formatted(
                                        Keywords.quoted(sequence.name()),
                                        sequence.type(),
                                        options(sequence)));
            }
        }
        for (SqlTable table : tables) {
            writeTable(table);
        }
        for (SqlTable table : tables) {
            writeRows(table);
        }
        for (Sequence sequence : sequences) {
            writeValue(sequence);
        }
        out.write('\n');
        for (SqlTable table : tables) {
            for (SqlIndex index : table.shownIndexes()) {
                writeIndex(table, index);
            }
        }
        for (SqlTable table : tables) {
            writeUnchecked(table);
        }
        for (SqlTable table : tables) {
            for (ForeignKeyConstraint key : table.foreignKeys()) {
                writeForeignKey(key);
            }
        }
        for (Routine routine : session.catalog().routines()) {
            out.write("\n" + SqlWriter.write(SystemRoutines.statement(routine, false)) + ";\n");
        }
        List<SqlView> views = inOrder(session.catalog().views());
        for (SqlView view : views) {
            out.write(
                    "CREATE VIEW %s%s AS %s;\n"
                            .formatted(
                                    Keywords.quoted(view.name()),
                                    inParentheses(
                                            view.columns().stream().map(SqlView.Column::name)),
                                    view.text()));
        }
        out.write(rights.ofSchema());
        for (Routine routine : session.catalog().routines()) {
            out.write(rights.ofRoutine(routine));
        }
        for (SqlView view : views) {
            out.write(rights.ofView(view.name(), view.ownership()));
        }
        for (SqlTable table : tables) {
            out.write(rights.ofTable(table.name(), table.ownership()));
        }
        for (Sequence sequence : sequences) {
            out.write(rights.ofSequence(sequence));
        }
        writeComments();
        for (Sequence sequence : sequences) { // now they have their tables' owners
            Sequence.Owner owner = sequence.owner();
            if (owner != null && !owner.isIdentity()) {
                out.write(
                        "ALTER SEQUENCE %s OWNED BY %s.%s;\n"
                                .formatted(
                                        Keywords.quoted(sequence.name()),
                                        Keywords.quoted(owner.table()),
                                        Keywords.quoted(owner.column())));
            }
        }
    }

    private void writeComments() throws IOException {
        SqlCatalog catalog = session.catalog();
        for (Map.Entry<CommentTable.Subject, String> each : catalog.comments().entrySet()) {
            CommentTable.Subject subject = each.getKey();
            if (TemporaryNames.isTemporary(subject.object())
                    || !CommentSteps.exists(subject, catalog)) {
                continue;
            }
            String object = Keywords.quoted(subject.object());
            String part = Keywords.quoted(subject.part());
            String on =
                    switch (subject.kind()) {
                        case RELATION -> kind(subject.object(), catalog) + " " + object;
                        case COLUMN -> "COLUMN " + object + "." + part;
                        case CONSTRAINT -> "CONSTRAINT " + part + " ON " + object;
                        case ROUTINE -> "ROUTINE " + object;
                        case SCHEMA -> "SCHEMA " + object;
                    };
            out.write("COMMENT ON %s IS '%s';\n".formatted(on, each.getValue().replace("'", "''")));
        }
    }

    private static String kind(String relation, SqlCatalog catalog) {
        return catalog.find(relation) != null
                ? "TABLE"
                : catalog.findView(relation) != null
                        ? "VIEW"
                        : catalog.findSequence(relation) != null ? "SEQUENCE" : "INDEX";
    }

    /// Each behind those that it reads.
    private static List<SqlView> inOrder(SortedMap<String, SqlView> views) {
        List<SqlView> ordered = new ArrayList<>();
        NavigableMap<String, SqlView> left = new TreeMap<>(views);
        while (!left.isEmpty()) {
            int before = ordered.size();
            for (SqlView view : views.values()) {
                boolean isFree = view.sources().stream().noneMatch(left::containsKey);
                if (isFree && left.remove(view.name()) != null) {
                    ordered.add(view);
                }
            }
            if (ordered.size() == before) {
                throw new IllegalStateException("views read each other: " + left.keySet());
            }
        }
        return ordered;
    }

    private static boolean isIdentity(Sequence sequence) {
        return sequence.owner() != null && sequence.owner().isIdentity();
    }

    private static String options(Sequence sequence) {
        return " INCREMENT BY %d MINVALUE %d MAXVALUE %d START WITH %d CACHE %d%s"
                .formatted(
                        sequence.increment(),
                        sequence.min(),
                        sequence.max(),
                        sequence.start(),
                        sequence.cache(),
                        sequence.isCycle() ? " CYCLE" : "");
    }

    private void writeValue(Sequence sequence) throws IOException {
        String name = Keywords.quoted(sequence.name());
        String source = permanent(sequence.name());
        try (Result state = session.execute("SELECT last_value, is_called FROM " + source)) {
            while (state.next()) {
                out.write(
                        "\nSELECT setval('%s', %d, %s);\n"
                                .formatted(
                                        name.replace("'", "''"),
                                        state.int64(0),
                                        "t".equals(state.text(1))));
            }
        }
    }

    private void writeTable(SqlTable table) throws IOException {
        List<String> parts = new ArrayList<>();
        for (SqlColumn column : table.columns()) {
            if (!column.isHidden()) {
                parts.add(definition(table, column));
            }
        }
        if (!table.hasHiddenKey()) {
            parts.add(
                    "CONSTRAINT %s PRIMARY KEY (%s)"
                            .formatted(
                                    Keywords.quoted(table.primaryKeyName()),
                                    columns(table, table.primaryKey())));
        }
        for (CheckConstraint check : table.checks()) {
            if (check.isValid()) { // others come behind the rows
                parts.add(definition(check));
            }
        }
        out.write(
                "\nCREATE TABLE %s (\n    %s\n)%s;\n"
                        .formatted(
                                Keywords.quoted(table.name()),
                                String.join(",\n    ", parts),
                                design(table)));
    }

    private String definition(SqlTable table, SqlColumn column) {
        SqlType type = column.type();
        String text =
                Keywords.quoted(column.name())
                        + ' '
                        + (type.refusesRounding() ? SqlType.DECIMAL.toString() : type.toString());
        int number = table.columns().indexOf(column);
        if (!column.isNullable() && !table.primaryKey().contains(number)) {
            text += " NOT NULL";
        }
        SqlColumn.Identity identity = column.identity();
        if (identity != null) {
            String generated = identity.isAlways() ? "ALWAYS" : "BY DEFAULT";
            Sequence sequence = session.catalog().sequence(identity.sequence());
            return "%s GENERATED %s AS IDENTITY (SEQUENCE NAME %s%s)"
                    .formatted(
                            text, generated, Keywords.quoted(sequence.name()), options(sequence));
        }
        if (column.isGenerated()) {
            return text + " GENERATED ALWAYS AS (" + column.defaultText() + ") STORED";
        }
        return column.defaultText() == null
                ? text
                : text + " DEFAULT (" + column.defaultText() + ')';
    }

    /// What is not as CREATE TABLE chooses it.
    private static String design(SqlTable table) {
        TableDefinition definition = table.definition();
        List<String> options = new ArrayList<>();
        if (definition.bucketRecords() != definition.usualRecords()) {
            options.add("bucket_size = " + definition.bucketRecords());
        }
        if (definition.isCached()) {
            options.add("cached = true");
        }
        if (definition.expectedRows() > 0) {
            options.add("expected_rows = " + definition.expectedRows());
        }
        if (definition.inlined() != USUAL.inlined()) {
            options.add("inline = " + definition.inlined());
        }
        if (definition.load() != USUAL.load()) {
            options.add("load = " + definition.load());
        }
        if (definition.neighbourColumns() < definition.primaryKey().size()) {
            options.add("neighbours = " + definition.neighbourColumns());
        }
        if (!table.hasHiddenKey() && table.keyOrder() == null) {
            options.add("ordered = false");
        }
        if (definition.versions() != USUAL.versions()) {
            options.add("versions = " + definition.versions());
        }
        return options.isEmpty() ? "" : " WITH (" + String.join(", ", options) + ')';
    }

    private static String columns(SqlTable table, List<Integer> numbers) {
        return numbers.stream()
                .map(number -> Keywords.quoted(table.columns().get(number).name()))
                .collect(Collectors.joining(", "));
    }

    private static String columns(List<String> names) {
        return names.stream().map(Keywords::quoted).collect(Collectors.joining(", "));
    }

    /// The names of columns; nothing for none, as SQL has no empty list of them.
    private static String inParentheses(Stream<String> names) {
        String columns = columns(names.toList());
        return columns.isEmpty() ? "" : " (" + columns + ')';
    }

    private void writeRows(SqlTable table) {
        String columns =
                inParentheses(
                        table.columns().stream()
                                .filter(column -> !column.isHidden() && !column.isGenerated())
                                .map(SqlColumn::name));
        String head = "\nCOPY " + Keywords.quoted(table.name()) + columns + " FROM STDIN;\n";
        CopyBlocks blocks = new CopyBlocks(head);
        long _ =
                session.copyOut("COPY " + permanent(table.name()) + columns + " TO STDOUT", blocks);
        blocks.end();
    }

    /// The name of a relation that a temporary one of the session may hide.
    private static String permanent(String name) {
        return Keywords.quoted(TemporaryNames.permanent(name));
    }

    /// The rows of a table, so many to a COPY. A row is a line.
    private final class CopyBlocks extends Writer {
        private final String head;
        private int rows;

        CopyBlocks(String head) {
            this.head = head;
        }

        @Override
        public void write(char[] text, int offset, int length) {
            try {
                int from = offset;
                for (int at = offset; at < offset + length; at++) {
                    if (rows == 0) {
                        out.write(head);
                        rows = 1;
                    }
                    if (text[at] == '\n' && ++rows > ROWS_AT_ONCE) {
                        out.write(text, from, at + 1 - from);
                        from = at + 1;
                        out.write("\\.\n");
                        rows = 0;
                    }
                }
                out.write(text, from, offset + length - from);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void end() {
            try {
                if (rows > 0) {
                    out.write("\\.\n");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void flush() {
            // When all is written.
        }

        @Override
        public void close() {
            // It goes on with the next table.
        }
    }

    private void writeIndex(SqlTable table, SqlIndex index) throws IOException {
        String name = Keywords.quoted(index.name());
        String of = Keywords.quoted(table.name());
        String columns = columns(table, index.columns());
        if (index.isConstraint()) {
            out.write(
                    "ALTER TABLE %s ADD CONSTRAINT %s UNIQUE (%s);\n".formatted(of, name, columns));
            return;
        }
        out.write(
                "CREATE %sINDEX %s ON %s USING %s (%s)%s;\n"
                        .formatted(
                                index.isUnique() ? "UNIQUE " : "",
                                name,
                                of,
                                index.isOrdered() ? "btree" : "hash",
                                columns,
                                index.with()));
    }

    /// The constraints that not all rows fulfil.
    private void writeUnchecked(SqlTable table) throws IOException {
        for (CheckConstraint check : table.checks()) {
            if (!check.isValid()) {
                out.write(
                        "ALTER TABLE %s ADD %s NOT VALID;\n"
                                .formatted(Keywords.quoted(table.name()), definition(check)));
            }
        }
    }

    private static String definition(CheckConstraint check) {
        return "CONSTRAINT %s CHECK (%s)"
                .formatted(Keywords.quoted(check.name()), check.condition());
    }

    private void writeForeignKey(ForeignKeyConstraint key) throws IOException {
        out.write(
                "ALTER TABLE %s ADD CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %s (%s)%s%s%s;\n"
                        .formatted(
                                Keywords.quoted(key.table()),
                                Keywords.quoted(key.name()),
                                columns(key.columns()),
                                Keywords.quoted(key.referencedTable()),
                                columns(key.referencedColumns()),
                                action("DELETE", key.onDelete()),
                                action("UPDATE", key.onUpdate()),
                                key.isValid() ? "" : " NOT VALID"));
    }

    private static String action(String when, Action action) {
        return action == Action.NO_ACTION
                ? ""
                : " ON " + when + ' ' + action.name().replace('_', ' ').toUpperCase(Locale.ROOT);
    }
}

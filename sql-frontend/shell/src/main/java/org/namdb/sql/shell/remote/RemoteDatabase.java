package org.namdb.sql.shell.remote;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.client.ServerSession;
import org.namdb.sql.client.ServerUrl;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.shell.ShellConnection;
import org.namdb.sql.shell.ShellDatabase;
import org.namdb.sql.shell.ShellException;
import org.namdb.sql.shell.TableFacts;
import org.namdb.sql.shell.TableFacts.ColumnFacts;
import org.namdb.sql.shell.TableFacts.IndexFacts;
import org.namdb.sql.shell.Vocabulary;

/// A database behind a server. It queries `pg_catalog` for the shell's listings, by a session of
/// its own.
public final class RemoteDatabase implements ShellDatabase {
    private static final String WITH = ") WITH (";
    private static final String APPLICATION = "nam sql";

    /// `:oid` is the table's number.
    private static final String COLUMNS =
            "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,"
                    + " pg_get_expr(d.adbin, d.adrelid)"
                    + " FROM pg_attribute a LEFT JOIN pg_attrdef d"
                    + " ON d.adrelid = a.attrelid AND d.adnum = a.attnum"
                    + " WHERE a.attrelid = :oid AND a.attnum > 0 AND NOT a.attisdropped"
                    + " ORDER BY a.attnum";

    private static final String INDEXES =
            "SELECT c.relname, i.indisprimary, i.indisunique, m.amname,"
                    + " pg_get_indexdef(i.indexrelid, 0, true), k.contype"
                    + " FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
                    + " JOIN pg_am m ON m.oid = c.relam"
                    + " LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.contype IN ('p', 'u')"
                    + " WHERE i.indrelid = :oid ORDER BY i.indisprimary DESC, c.relname";

    private static final String CONSTRAINTS =
            "SELECT conname, contype, pg_get_constraintdef(oid, true) FROM pg_constraint"
                    + " WHERE conrelid = :oid AND contype IN ('c', 'f') ORDER BY conname";

    private static final String REFERENCES =
            "SELECT c.relname, k.conname, pg_get_constraintdef(k.oid, true)"
                    + " FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid"
                    + " WHERE k.confrelid = :oid AND k.contype = 'f' ORDER BY c.relname, k.conname";

    private final ServerUrl url;
    private final ServerSession catalog;
    private final Vocabulary vocabulary;

    private RemoteDatabase(ServerUrl url, ServerSession catalog) {
        this.url = url;
        this.catalog = catalog;
        this.vocabulary =
                new Vocabulary(
                        names("SELECT DISTINCT proname FROM pg_proc ORDER BY proname"),
                        names("SHOW ALL"),
                        List.of());
    }

    /// Connects.
    ///
    /// @param url as [ServerUrl#parse] reads it
    /// @throws ShellException if there is no server, or it refuses the user
    public static RemoteDatabase open(String url) {
        try {
            ServerUrl parsed = ServerUrl.parse(url);
            return new RemoteDatabase(parsed, ServerSession.connect(parsed, APPLICATION));
        } catch (SqlException e) {
            throw new ShellException(e.getMessage() + (e.hint() == null ? "" : "; " + e.hint()));
        }
    }

    @Override
    public ShellConnection connect() {
        return new RemoteConnection(ServerSession.connect(url, APPLICATION));
    }

    @Override
    public List<String> tableNames() {
        return names("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1");
    }

    @Override
    public @Nullable TableFacts table(String name) {
        List<@Nullable String[]> found =
                rows(
                        "SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 2200 AND relname = '"
                                + name.replace("'", "''")
                                + "'");
        if (found.isEmpty()) {
            return null;
        }
        String oid = text(found.getFirst(), 0);
        IndexFacts primaryKey = null;
        List<IndexFacts> indexes = new ArrayList<>();
        for (@Nullable String[] row : rows(INDEXES.replace(":oid", oid))) {
            IndexFacts index = index(row);
            if (text(row, 1).equals("t")) {
                primaryKey = index;
            } else {
                indexes.add(index);
            }
        }
        List<String> checks = new ArrayList<>();
        List<String> foreignKeys = new ArrayList<>();
        for (@Nullable String[] row : rows(CONSTRAINTS.replace(":oid", oid))) {
            (text(row, 1).equals("c") ? checks : foreignKeys)
                    .add("\"%s\" %s".formatted(row[0], row[2]));
        }
        List<String> referencedBy = new ArrayList<>();
        for (@Nullable String[] row : rows(REFERENCES.replace(":oid", oid))) {
            referencedBy.add("TABLE \"%s\" CONSTRAINT \"%s\" %s".formatted(row[0], row[1], row[2]));
        }
        List<ColumnFacts> columns = new ArrayList<>();
        for (@Nullable String[] row : rows(COLUMNS.replace(":oid", oid))) {
            columns.add(
                    new ColumnFacts(text(row, 0), text(row, 1), text(row, 2).equals("f"), row[3]));
        }
        return new TableFacts(
                name, columns, primaryKey, indexes, checks, foreignKeys, referencedBy, List.of());
    }

    private static IndexFacts index(@Nullable String[] row) {
        String definition = text(row, 4);
        int with = definition.lastIndexOf(WITH);
        String options =
                with < 0 ? "" : definition.substring(with + WITH.length(), definition.length() - 1);
        String ofColumns = with < 0 ? definition : definition.substring(0, with + 1);
        String columns =
                ofColumns.substring(ofColumns.indexOf('(') + 1, ofColumns.lastIndexOf(')'));
        List<String> kind = new ArrayList<>();
        if (text(row, 1).equals("t")) {
            kind.add("PRIMARY KEY");
        } else {
            if (text(row, 2).equals("t")) {
                kind.add(row[5] == null ? "UNIQUE" : "UNIQUE CONSTRAINT");
            }
            kind.add(text(row, 3));
        }
        return new IndexFacts(
                text(row, 0), String.join(", ", kind), Arrays.asList(columns.split(", ")), options);
    }

    private static String text(@Nullable String[] row, int column) {
        String value = row[column];
        return value == null ? "" : value;
    }

    private List<String> names(String query) {
        return rows(query).stream().map(row -> text(row, 0)).toList();
    }

    /// The completion and `\d` query beside the sessions that are in use, from two threads.
    private synchronized List<@Nullable String[]> rows(String query) {
        List<@Nullable String[]> rows = new ArrayList<>();
        try (Result result = catalog.execute(query)) {
            while (result.next()) {
                @Nullable String[] row = new @Nullable String[result.columns().size()];
                for (int i = 0; i < row.length; i++) {
                    row[i] = result.text(i);
                }
                rows.add(row);
            }
        } catch (SqlException e) {
            throw new ShellException(String.valueOf(e.getMessage()));
        }
        return rows;
    }

    @Override
    public Vocabulary vocabulary() {
        return vocabulary;
    }

    @Override
    public List<String> facts() {
        String encryption = catalog.isEncrypted() ? ", by TLS" : "";
        return List.of("server at " + url.address() + ", user " + url.user() + encryption);
    }

    @Override
    public void close() {
        catalog.close();
    }
}

package org.namdb.sql.shell;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.shell.TableFacts.ColumnFacts;
import org.namdb.sql.shell.TableFacts.IndexFacts;
import org.namdb.sql.shell.format.ListedRows;

/// A database that knows a few statements by heart, so that the shell can be tried without one.
public final class FakeDatabase implements ShellDatabase {
    /// All statements of all sessions, in the order in which they ran.
    public final List<String> statements = new CopyOnWriteArrayList<>();

    /// What COPY has sent.
    public final StringBuilder copied = new StringBuilder();

    /// Whether queries for tables fail.
    public boolean isGone;

    private int sessions;

    @Override
    public ShellConnection connect() {
        return new FakeConnection(sessions++);
    }

    @Override
    public List<String> tableNames() {
        if (isGone) {
            throw new ShellException("the database is gone");
        }
        return List.of("accounts", "audit");
    }

    @Override
    public @Nullable TableFacts table(String name) {
        return switch (name) {
            case "accounts" ->
                    new TableFacts(
                            name,
                            List.of(
                                    new ColumnFacts("id", "INTEGER", false, null),
                                    new ColumnFacts("owner", "VARCHAR(40)", true, "'nobody'")),
                            new IndexFacts("accounts_pkey", "PRIMARY KEY", List.of("id")),
                            List.of(
                                    new IndexFacts(
                                            "accounts_owner_key", "UNIQUE", List.of("owner"))),
                            List.of("\"accounts_id_check\" CHECK (id > 0)"),
                            List.of(),
                            List.of(
                                    "TABLE \"audit\" CONSTRAINT \"audit_fkey\" FOREIGN KEY (account)"
                                            + " REFERENCES accounts(id)"),
                            List.of("2 old versions", "buckets of 4", "inline"));
            case "audit" ->
                    new TableFacts(
                            name,
                            List.of(new ColumnFacts("account", "INTEGER", true, null)),
                            null,
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of());
            default -> null;
        };
    }

    @Override
    public Vocabulary vocabulary() {
        return new Vocabulary(
                List.of("lower", "pg_typeof", "starts_with", "string_agg"),
                List.of(
                        "lock_timeout",
                        "namdb.autocommit_attempts",
                        "statement_timeout",
                        "work_mem"),
                List.of("bucket_size", "inline", "versions"));
    }

    @Override
    public List<String> facts() {
        return List.of("a fake database", "It knows a few statements.");
    }

    @Override
    public void close() {}

    private final class FakeConnection implements ShellConnection {
        private final int number;
        private final CountDownLatch cancelled = new CountDownLatch(1);
        private volatile Status status = Status.IDLE;

        private FakeConnection(int number) {
            this.number = number;
        }

        @Override
        public Result execute(String sql) {
            String known = sql.toLowerCase(Locale.ROOT);
            if (known.contains(" from pg_")) {
                return ListedRows.ofText(List.of("name"), List.of()); // no views, no sequences
            }
            statements.add(sql);
            return switch (known) {
                case "begin" -> done("BEGIN", Status.ACTIVE);
                case "commit" -> done("COMMIT", Status.IDLE);
                case "rollback" -> done("ROLLBACK", Status.IDLE);
                case "insert" -> done("INSERT 0 1", status);
                case "drop" ->
                        throw new SqlException(
                                SqlState.LOCK_NOT_AVAILABLE, "the schema can't be changed");
                case "select accounts" -> accounts();
                case "select many" -> many();
                case "select forever" -> throw forever();
                default ->
                        known.startsWith("explain ")
                                ? ListedRows.ofText(List.of("QUERY PLAN"), rows("Scan accounts"))
                                : number(sql);
            };
        }

        /// Gives what stands behind SELECT as a number; all else is an error.
        private Result number(String sql) {
            String what = sql.substring(sql.indexOf(' ') + 1).strip();
            if (what.matches("[0-9]+")) {
                return new ListedRows(
                        List.of(new ResultColumn("n", SqlType.BIGINT)),
                        List.<@Nullable Object[]>of(ListedRows.row(Long.valueOf(what))));
            }
            status = status == Status.IDLE ? Status.IDLE : Status.FAILED;
            throw new SqlException(
                            SqlState.UNDEFINED_COLUMN, "column \"" + what + "\" does not exist")
                    .at(new Position(sql.indexOf(what), what.length()))
                    .withHint("Perhaps you meant \"name\".")
                    .inText(sql);
        }

        private SqlException forever() {
            try {
                cancelled.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return new SqlException(
                    SqlState.QUERY_CANCELED, "canceling statement due to user request");
        }

        private Result done(String tag, Status next) {
            status = next;
            return new Done(tag);
        }

        @Override
        public String progress() {
            return "7 rows read";
        }

        @Override
        public long copyIn(String sql, Reader data) {
            statements.add(sql);
            try {
                if (sql.startsWith("COPY bad")) {
                    int _ = data.read();
                    throw new SqlException(
                                    SqlState.INVALID_TEXT,
                                    "invalid input syntax for type integer: \"x\"")
                            .inContext("COPY bad, line 1");
                }
                int before = copied.length();
                for (int c = data.read(); c >= 0; c = data.read()) {
                    copied.append((char) c);
                }
                return copied.substring(before).lines().count();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public long copyIn(String sql, InputStream data) {
            return copyIn(sql, new InputStreamReader(data, StandardCharsets.ISO_8859_1));
        }

        @Override
        public long copyOut(String sql, OutputStream out) {
            statements.add(sql);
            try {
                out.write(new byte[] {0, (byte) 0xff});
                out.flush();
            } catch (IOException e) {
                throw new SqlException(SqlState.IO_ERROR, "COPY: " + e.getMessage()).causedBy(e);
            }
            return 1;
        }

        @Override
        public long copyOut(String sql, Writer out) {
            statements.add(sql);
            try {
                out.write("1\tAda\n");
                out.flush();
            } catch (IOException e) {
                throw new SqlException(SqlState.IO_ERROR, "COPY: " + e.getMessage()).causedBy(e);
            }
            return 1;
        }

        @Override
        public Status status() {
            return status;
        }

        @Override
        public int slot() {
            return number;
        }

        @Override
        public void cancel() {
            cancelled.countDown();
        }

        @Override
        public StatementCost lastCost() {
            return new StatementCost(12, 1, 1, 0, 0, 4_300, 3);
        }

        @Override
        public SnapshotFacts snapshot() {
            return new SnapshotFacts(
                    new TreeMap<>(Map.of(0, 1_234L, 3, 17L)),
                    Duration.ofMillis(1_500),
                    number,
                    2,
                    640);
        }

        @Override
        public void close() {}
    }

    private static Result accounts() {
        return new ListedRows(
                List.of(
                        new ResultColumn("id", SqlType.INTEGER),
                        new ResultColumn("owner", SqlType.TEXT)),
                List.of(ListedRows.row(1L, "Ada"), ListedRows.row(2L, null)));
    }

    private static Result many() {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (long i = 1; i <= 3_000; i++) {
            rows.add(ListedRows.row(i));
        }
        return new ListedRows(List.of(new ResultColumn("n", SqlType.BIGINT)), rows);
    }

    private static List<@Nullable Object[]> rows(String text) {
        return List.<@Nullable Object[]>of(ListedRows.row(text));
    }

    /// A statement without rows.
    private record Done(String tag) implements Result {
        @Override
        public List<ResultColumn> columns() {
            return List.of();
        }

        @Override
        public boolean hasRows() {
            return false;
        }

        @Override
        public boolean next() {
            return false;
        }

        @Override
        public @Nullable Object value(int column) {
            return null;
        }

        @Override
        public @Nullable String text(int column) {
            return null;
        }

        @Override
        public long rowCount() {
            return 0;
        }

        @Override
        public List<Notice> notices() {
            return List.of();
        }

        @Override
        public void close() {}
    }
}

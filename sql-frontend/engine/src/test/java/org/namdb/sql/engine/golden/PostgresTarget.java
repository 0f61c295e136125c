package org.namdb.sql.engine.golden;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.Field;
import org.postgresql.core.Query;
import org.postgresql.core.QueryExecutor;
import org.postgresql.core.ResultCursor;
import org.postgresql.core.ResultHandlerBase;
import org.postgresql.core.Tuple;
import org.postgresql.jdbc.PgConnection;

/// A database of its own on a PostgreSQL server, with collation C.
///
/// It calls the driver's query executor below JDBC's statements, because JDBC doesn't show command
/// tags. Statements are sent in the simple query protocol, so all values come as text.
public final class PostgresTarget implements GoldenTarget {
    private static final String PROPERTY = "namdb.postgres";
    private static final String ENVIRONMENT = "COMPARED_POSTGRES";
    private static final Pattern COPY_OUT =
            Pattern.compile("(?is)\\s*COPY\\b.*\\bTO\\s+STDOUT\\b.*");
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final String server;
    private final String database;
    private final PgConnection connection;

    private PostgresTarget(String server, String database) throws SQLException {
        this.server = server;
        this.database = database;
        this.connection = connect(server, database);
    }

    /// The server that `-Dnamdb.postgres=jdbc:postgresql://...` or the environment's
    /// `COMPARED_POSTGRES` names, if any.
    public static Optional<String> givenServer() {
        return Optional.ofNullable(System.getProperty(PROPERTY, System.getenv(ENVIRONMENT)));
    }

    /// True if a server is given: the condition of the tests that need one.
    public static boolean isGiven() {
        return givenServer().isPresent();
    }

    /// A new database on the given server.
    public static PostgresTarget fresh() {
        return fresh(givenServer().orElseThrow());
    }

    /// A new database.
    ///
    /// @param server JDBC address of any database of the server, with a user that may create
    ///     databases
    public static PostgresTarget fresh(String server) {
        String database =
                "golden_" + ProcessHandle.current().pid() + "_" + NUMBER.incrementAndGet();
        try {
            administer(
                    server,
                    "CREATE DATABASE "
                            + database
                            + " TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'");
            return new PostgresTarget(server, database);
        } catch (SQLException e) {
            throw new IllegalStateException(server, e);
        }
    }

    @Override
    public String run(String statement, @Nullable String copyData) {
        try {
            if (copyData != null) {
                long rows = connection.getCopyAPI().copyIn(statement, new StringReader(copyData));
                return Answer.copied("", rows);
            }
            if (COPY_OUT.matcher(statement).matches()) {
                StringWriter data = new StringWriter();
                long rows = connection.getCopyAPI().copyOut(statement, data);
                return Answer.copied(data.toString(), rows);
            }
            return execute(statement);
        } catch (SQLException e) {
            return Answer.error(e.getSQLState(), withoutSeverity(e));
        } catch (IOException e) {
            throw new IllegalStateException(statement, e);
        }
    }

    /// Another connection to the same database.
    public Connection connectAgain() throws SQLException {
        return connect(server, database);
    }

    @Override
    public void close() {
        try {
            connection.close();
            administer(server, "DROP DATABASE " + database + " WITH (FORCE)");
        } catch (SQLException e) {
            throw new IllegalStateException(database, e);
        }
    }

    private String execute(String statement) throws SQLException {
        QueryExecutor executor = connection.getQueryExecutor();
        AnswerHandler handler = new AnswerHandler();
        executor.execute(
                executor.createSimpleQuery(statement),
                null,
                handler,
                0,
                0,
                QueryExecutor.QUERY_ONESHOT
                        | QueryExecutor.QUERY_EXECUTE_AS_SIMPLE
                        | QueryExecutor.QUERY_SUPPRESS_BEGIN);
        handler.handleCompletion();
        return handler.answer;
    }

    private static PgConnection connect(String server, String database) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("preferQueryMode", "simple");
        properties.setProperty("binaryTransfer", "false");
        // COMMIT of a failed transaction answers ROLLBACK, and is no error.
        properties.setProperty("raiseExceptionOnSilentRollback", "false");
        properties.setProperty(
                "options",
                "-c default_transaction_isolation=repeatable\\ read -c search_path=public"
                        + " -c IntervalStyle=postgres -c DateStyle=ISO -c TimeZone=UTC"
                        + " -c bytea_output=hex -c lc_messages=C -c jit=off");
        String address = server.replaceFirst("(//[^/]*/)[^?]*", "$1" + database);
        return DriverManager.getConnection(address, properties).unwrap(PgConnection.class);
    }

    private static void administer(String server, String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server);
                Statement command = connection.createStatement()) {
            command.execute(statement);
        }
    }

    /// The driver's messages begin with `ERROR: `, and continue with details on lines of their own.
    private static String withoutSeverity(SQLException e) {
        return String.valueOf(e.getMessage()).replaceFirst("^[A-Z]+: ", "");
    }

    private static final class AnswerHandler extends ResultHandlerBase {
        private String answer = "";

        @Override
        public void handleResultRows(
                Query fromQuery,
                Field[] fields,
                List<Tuple> tuples,
                @Nullable ResultCursor cursor) {
            List<List<@Nullable String>> rows = new ArrayList<>();
            for (Tuple tuple : tuples) {
                List<@Nullable String> row = new ArrayList<>();
                for (int i = 0; i < fields.length; i++) {
                    byte[] value = tuple.get(i);
                    row.add(value == null ? null : new String(value, StandardCharsets.UTF_8));
                }
                rows.add(row);
            }
            answer = Answer.rows(Arrays.stream(fields).map(Field::getColumnLabel).toList(), rows);
        }

        @Override
        public void handleCommandStatus(String status, long updateCount, long insertOid) {
            answer = status;
        }

        /// Notices are no part of an answer.
        @Override
        public void handleWarning(SQLWarning warning) {}
    }
}

package org.namdb.sql.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.engine.SqlDatabase;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/// A small database behind a server, and JDBC to it.
final class ServerFixture implements AutoCloseable {
    final SqlDatabase database;
    final SqlServer server;

    ServerFixture() {
        this(options -> options);
    }

    ServerFixture(UnaryOperator<ServerOptions> change) {
        this(EmbeddedOptions.DEFAULT.withMemoryBytes(256L << 20).withSlots(16), change);
    }

    ServerFixture(EmbeddedOptions options, UnaryOperator<ServerOptions> change) {
        database = SqlDatabase.embedded(options);
        try {
            server =
                    SqlServer.start(
                            database,
                            change.apply(
                                    ServerOptions.DEFAULT
                                            .withMaxSessions(8)
                                            .withAddress(
                                                    new InetSocketAddress(
                                                            InetAddress.getLoopbackAddress(), 0))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return server.address().getPort();
    }

    /// @param options as `?prepareThreshold=1`
    String url(String options) {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/bank" + options;
    }

    Connection connect() throws SQLException {
        return connect("");
    }

    Connection connect(String options) throws SQLException {
        return DriverManager.getConnection(url(options), "ada", "");
    }

    /// Runs statements.
    void run(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    void createAccounts() throws SQLException {
        run(
                "CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(20) NOT NULL,"
                        + " balance BIGINT, CHECK (balance >= 0))");
    }

    /// Has three rows in `account`, whatever it had.
    void resetAccounts() throws SQLException {
        run(
                "DELETE FROM account",
                "INSERT INTO account VALUES (1, 'Ada', 100), (2, 'Grace', 200), (3, 'Gräfin', NULL)");
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    String rows(String sql) throws SQLException {
        try (Connection connection = connect()) {
            return rows(connection, sql);
        }
    }

    /// The rows of a query: fields separated by `|`, rows by `; `.
    static String rows(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            return rows(result);
        }
    }

    static String rows(ResultSet result) throws SQLException {
        List<String> rows = new ArrayList<>();
        while (result.next()) {
            List<String> fields = new ArrayList<>();
            for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                fields.add(result.getString(i));
            }
            rows.add(String.join("|", fields));
        }
        return String.join("; ", rows);
    }

    /// What a statement must not do without.
    interface Attempt {
        void run() throws SQLException;
    }

    /// The error of a statement.
    static ServerErrorMessage error(Attempt attempt) {
        try {
            attempt.run();
        } catch (PSQLException e) {
            return fromServer(e);
        } catch (SQLException e) {
            if (e.getNextException() instanceof PSQLException next) {
                return fromServer(next);
            }
            throw new AssertionError(e);
        }
        throw new AssertionError("no error");
    }

    private static ServerErrorMessage fromServer(PSQLException e) {
        ServerErrorMessage message = e.getServerErrorMessage();
        if (message == null) {
            throw new AssertionError("an error of the driver itself", e);
        }
        return message;
    }

    /// Waits until something is so that has been started.
    static void await(String what, BooleanSupplier isSo) throws InterruptedException {
        for (int i = 0; i < 6_000 && !isSo.getAsBoolean(); i++) {
            Thread.sleep(5);
        }
        if (!isSo.getAsBoolean()) {
            throw new AssertionError("never: " + what);
        }
    }

    @Override
    public void close() {
        server.close();
        database.close();
    }
}

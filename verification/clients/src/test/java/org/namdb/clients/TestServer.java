package org.namdb.clients;

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
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.server.ServerOptions;
import org.namdb.sql.server.SqlServer;

/// An empty database of NamDB behind a server, or one of PostgreSQL: the clients must not notice.
abstract class TestServer implements AutoCloseable {
    private static final Optional<String> POSTGRES =
            Optional.ofNullable(
                    System.getProperty("namdb.postgres", System.getenv("COMPARED_POSTGRES")));

    /// NamDB; and PostgreSQL where `-Dnamdb.postgres=jdbc:postgresql://..` or the environment's
    /// `COMPARED_POSTGRES` names a server, as a test of the tests.
    static Stream<Named<Callable<TestServer>>> all() {
        Stream<Named<Callable<TestServer>>> namdb = Stream.of(Named.of("NamDB", NamDbServer::new));
        return Stream.concat(
                namdb,
                POSTGRES.stream().map(url -> Named.of("PostgreSQL", () -> new Postgres(url))));
    }

    /// The address as libpq has it, whose user is `namdb`.
    abstract String url();

    String jdbcUrl() {
        return "jdbc:" + url().replace("namdb@", "") + "?user=namdb";
    }

    @Override
    public abstract void close() throws SQLException;

    Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl());
    }

    void run(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    /// The rows of a query: fields separated by `|`, rows by `; `.
    String rows(String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                List<String> fields = new ArrayList<>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    fields.add(result.getString(i));
                }
                rows.add(String.join("|", fields));
            }
        }
        return String.join("; ", rows);
    }

    /// Runs a task in several threads at once, and rethrows what one of them has thrown.
    static void together(int threads, Callable<?> task) throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(executor.submit(task));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }

    /// Whether a failure is a conflict, after which a transaction is run again.
    static boolean isConflict(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql && "40001".equals(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }

    private static final class NamDbServer extends TestServer {
        private final SqlDatabase database =
                SqlDatabase.embedded(
                        EmbeddedOptions.DEFAULT.withMemoryBytes(512L << 20).withSlots(16));
        private final SqlServer server;

        NamDbServer() {
            InetAddress loopback = InetAddress.getLoopbackAddress();
            try {
                server =
                        SqlServer.start(
                                database,
                                ServerOptions.DEFAULT
                                        .withMaxSessions(8)
                                        .withAddress(new InetSocketAddress(loopback, 0)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        String url() {
            return "postgresql://namdb@127.0.0.1:" + server.address().getPort() + "/namdb";
        }

        @Override
        public void close() {
            server.close();
            database.close();
        }
    }

    /// A database of its own.
    private static final class Postgres extends TestServer {
        private static final AtomicInteger NUMBER = new AtomicInteger();

        private final String server;
        private final String name =
                "clients_" + ProcessHandle.current().pid() + "_" + NUMBER.incrementAndGet();

        Postgres(String server) throws SQLException {
            this.server = server;
            administer("CREATE DATABASE " + name + " TEMPLATE template0 LC_COLLATE 'C'");
        }

        private void administer(String statement) throws SQLException {
            try (Connection connection = DriverManager.getConnection(server);
                    Statement executor = connection.createStatement()) {
                executor.execute(statement);
            }
        }

        @Override
        String url() {
            String address = server.substring("jdbc:postgresql://".length());
            return "postgresql://namdb@" + address.substring(0, address.indexOf('/') + 1) + name;
        }

        @Override
        public void close() throws SQLException {
            administer("DROP DATABASE " + name + " WITH (FORCE)");
        }
    }
}

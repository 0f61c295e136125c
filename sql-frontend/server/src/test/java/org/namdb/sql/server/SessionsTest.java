package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.sql.server.ServerFixture.error;
import static org.namdb.sql.server.ServerFixture.rows;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.ServerErrorMessage;

/// Many connections on few sessions.
class SessionsTest {
    private static final int CONNECTIONS = 300;

    private static ServerFixture withSessions(int sessions, Duration wait) {
        return new ServerFixture(options ->
                options.withMaxSessions(sessions)
                        .withTimeouts(
                                wait,
                                Duration.ofSeconds(30),
                                Duration.ZERO,
                                Duration.ofSeconds(60)));
    }

    @Test
    void idleConnectionsHoldNoSession() throws SQLException {
        try (ServerFixture db = withSessions(2, Duration.ofSeconds(30))) {
            db.run("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)");
            List<Connection> connections = new ArrayList<>();
            List<PreparedStatement> statements = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                Connection connection = db.connect("?prepareThreshold=1");
                connections.add(connection);
                ServerFixture.run(connection, "SET work_mem = '" + (100 + i) + "kB'");
                PreparedStatement statement =
                        connection.prepareStatement("SELECT id + ? FROM t WHERE id = 1");
                statements.add(statement);
            }
            assertThat(db.server.connectionCount()).isEqualTo(CONNECTIONS);
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < CONNECTIONS; i++) {
                    statements.get(i).setInt(1, i);
                    try (ResultSet row = statements.get(i).executeQuery()) {
                        assertThat(rows(row)).isEqualTo(String.valueOf(i + 1));
                    }
                }
                assertThat(db.server.usedSessions()).isZero();
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                assertThat(rows(connections.get(i), "SHOW work_mem")).isEqualTo((100 + i) + "kB");
                connections.get(i).close();
            }
        }
    }

    @Test
    void temporaryTablesEndWithTheirConnection() throws Exception {
        try (ServerFixture db = withSessions(2, Duration.ofSeconds(30));
                Connection other = db.connect()) {
            try (Connection owner = db.connect()) {
                ServerFixture.run(owner, "CREATE TEMP TABLE t (id SERIAL PRIMARY KEY, word TEXT)");
                ServerFixture.run(owner, "INSERT INTO t (word) VALUES ('own')");
                assertThat(rows(owner, "SELECT * FROM t")).isEqualTo("1|own");
                ServerErrorMessage hidden = error(() -> rows(other, "SELECT * FROM t"));
                assertThat(hidden.getSQLState()).isEqualTo("42P01");
                try (ResultSet tables = other.getMetaData().getTables(null, null, "t", null)) {
                    assertThat(tables.next()).isFalse();
                }
                try (ResultSet tables = owner.getMetaData().getTables(null, null, "t", null)) {
                    assertThat(tables.next()).isTrue();
                    assertThat(tables.getString("TABLE_SCHEM")).startsWith("pg_temp");
                    assertThat(tables.getString("TABLE_TYPE")).isEqualTo("TEMPORARY TABLE");
                }
                assertThat(db.database.engine().tableNames())
                        .anyMatch(name -> name.startsWith("nam:temp:"));
            }
            ServerFixture.await(
                    "no temporary table",
                    () ->
                            db.database.engine().tableNames().stream()
                                    .noneMatch(name -> name.startsWith("nam:temp:")));
        }
    }

    @Test
    void aBlockKeepsItsSessionAndOthersWaitForALimitedTime() throws Exception {
        try (ServerFixture db = withSessions(1, Duration.ofMillis(300));
                Connection block = db.connect();
                Connection other = db.connect()) {
            block.setAutoCommit(false);
            rows(block, "SELECT 1");
            assertThat(db.server.usedSessions()).isOne();
            ServerErrorMessage error = error(() -> rows(other, "SELECT 1"));
            assertThat(error.getSQLState()).isEqualTo("53300");
            assertThat(error.getHint()).contains("--sessions");
            block.commit();
            assertThat(rows(other, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aWaiterGetsTheSessionWhenTheBlockEnds() throws Exception {
        try (ServerFixture db = withSessions(1, Duration.ofSeconds(60));
                Connection block = db.connect();
                ExecutorService others = Executors.newVirtualThreadPerTaskExecutor()) {
            block.setAutoCommit(false);
            rows(block, "SELECT 1");
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                answers.add(others.submit(() -> db.rows("SELECT 2")));
            }
            ServerFixture.await("all are connected", () -> db.server.connectionCount() == 21);
            block.rollback();
            for (Future<String> answer : answers) {
                assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("2");
            }
        }
    }

    @Test
    void aWaitCanBeCancelled() throws Exception {
        try (ServerFixture db = withSessions(1, Duration.ofSeconds(60));
                Connection block = db.connect();
                Connection other = db.connect();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Statement waiting = other.createStatement()) {
            block.setAutoCommit(false);
            rows(block, "SELECT 1");
            Future<String> state =
                    threads.submit(
                            () -> error(() -> waiting.executeQuery("SELECT 1")).getSQLState());
            while (!state.isDone()) {
                // Not the statement's cancel(), which sends one request for each execution: it has
                // no effect if it arrives before the statement does.
                other.unwrap(BaseConnection.class).cancelQuery();
                Thread.sleep(5);
            }
            assertThat(state.get()).isEqualTo("57014");
            block.commit();
            assertThat(rows(other, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aRunningStatementIsCancelledAndOthersAreNot() throws Exception {
        try (ServerFixture db = withSessions(2, Duration.ofSeconds(60));
                Connection connection = db.connect();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            assertThat(
                            error(() ->
                                            statement.executeQuery(
                                                    "SELECT count(*) FROM generate_series(1, 10000000000) AS s (i)"))
                                    .getSQLState())
                    .isEqualTo("57014");
            statement.setQueryTimeout(0);
            assertThat(rows(connection, "SELECT 1")).isEqualTo("1");
            ServerFixture.run(connection, "SET statement_timeout = 50");
            ServerErrorMessage error =
                    error(() ->
                            statement.executeQuery(
                                    "SELECT count(*) FROM generate_series(1, 10000000000) AS s (i)"));
            assertThat(error.getSQLState()).isEqualTo("57014");
            assertThat(error.getMessage()).contains("statement timeout");
        }
    }

    @Test
    void aBlockThatIsLeftIdleEndsWithItsConnection() throws Exception {
        try (ServerFixture db = withSessions(1, Duration.ofSeconds(60))) {
            db.run("CREATE TABLE t (id INT PRIMARY KEY)");
            try (Connection block = db.connect()) {
                ServerFixture.run(block, "SET idle_in_transaction_session_timeout = 100");
                block.setAutoCommit(false);
                ServerFixture.run(block, "INSERT INTO t VALUES (1)");
                assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("0");
                assertThat(error(() -> rows(block, "SELECT 1")).getSQLState()).isEqualTo("25P03");
            }
        }
    }

    @Test
    void connectionsAreLimited() throws Exception {
        try (ServerFixture db = new ServerFixture(options -> options.withMaxConnections(2));
                Connection one = db.connect()) {
            try (Connection two = db.connect()) {
                assertThat(error(() -> db.connect().close()).getSQLState()).isEqualTo("53300");
                assertThat(rows(two, "SELECT 1")).isEqualTo("1");
            }
            ServerFixture.await("one has left", () -> db.server.connectionCount() == 1);
            assertThat(db.rows("SELECT 1")).isEqualTo("1");
            assertThat(rows(one, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aServerThatIsClosedRollsBackAndSaysSo() throws Exception {
        try (ServerFixture db = withSessions(2, Duration.ofSeconds(60))) {
            db.run("CREATE TABLE t (id INT PRIMARY KEY)");
            try (Connection block = db.connect()) {
                block.setAutoCommit(false);
                ServerFixture.run(block, "INSERT INTO t VALUES (1)");
                db.server.close();
                assertThat(error(() -> rows(block, "SELECT 1")).getSQLState()).isEqualTo("57P01");
            }
            try (var session = db.database.session();
                    var result = session.execute("SELECT count(*) FROM t")) {
                assertThat(result.next()).isTrue();
                assertThat(result.int64(0)).isZero();
            }
        }
    }

    /// The statements of one message are many, and more messages have arrived already.
    @Test
    void aServerThatIsClosedStopsAllThatAConnectionHasSent() throws Exception {
        try (ServerFixture db = withSessions(2, Duration.ofSeconds(60))) {
            String endless = "SELECT count(*) FROM generate_series(1, 100000000000) AS s (i);";
            try (RawClient running = RawClient.ready(db);
                    RawClient next = RawClient.ready(db)) {
                running.query(endless.repeat(3));
                running.query(endless);
                running.query(endless);
                next.query("BEGIN; SELECT 1;" + "SELECT 1;".repeat(200_000) + endless);
                String _ = next.until('C'); // all of it is parsed before
                ServerFixture.await("both run", () -> db.server.usedSessions() == 2);
                db.server.close();
                assertThat(running.until('$')).endsWith("E(57P01)$");
                assertThat(next.until('$')).endsWith("E(57P01)$");
            }
            assertThat(db.server.usedSessions()).isZero();
            assertThat(db.server.connectionCount()).isZero();
        }
    }

    @Test
    void moneyIsNeitherMadeNorLost() throws Exception {
        long seed = Long.getLong("namdb.seed", new Random().nextLong());
        System.out.println("seed " + seed);
        int accounts = 20;
        try (ServerFixture db = withSessions(3, Duration.ofSeconds(60));
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            db.run(
                    "CREATE TABLE account (id INT PRIMARY KEY, balance INT CHECK (balance >= 0))",
                    "INSERT INTO account SELECT i, 100 FROM generate_series(1, 20) AS s (i)");
            List<Future<Integer>> done = new ArrayList<>();
            for (int client = 0; client < 12; client++) {
                Random random = new Random(seed + client);
                done.add(clients.submit(() -> transfers(db, accounts, random)));
            }
            int transferred = 0;
            for (Future<Integer> each : done) {
                transferred += each.get(10, TimeUnit.MINUTES);
            }
            assertThat(transferred).isPositive();
            assertThat(db.rows("SELECT sum(balance), count(*) FROM account")).isEqualTo("2000|20");
        }
    }

    private static int transfers(ServerFixture db, int accounts, Random random)
            throws SQLException {
        int done = 0;
        try (Connection connection = db.connect("?prepareThreshold=2");
                PreparedStatement read =
                        connection.prepareStatement("SELECT balance FROM account WHERE id = ?");
                PreparedStatement change =
                        connection.prepareStatement(
                                "UPDATE account SET balance = balance + ? WHERE id = ?")) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 100; i++) {
                int from = 1 + random.nextInt(accounts);
                int to = 1 + random.nextInt(accounts);
                try {
                    read.setInt(1, from);
                    int amount;
                    try (ResultSet row = read.executeQuery()) {
                        row.next();
                        amount = random.nextInt(row.getInt(1) + 1);
                    }
                    change.setInt(1, -amount);
                    change.setInt(2, from);
                    change.executeUpdate();
                    change.setInt(1, amount);
                    change.setInt(2, to);
                    change.executeUpdate();
                    connection.commit();
                    done++;
                } catch (SQLException e) {
                    connection.rollback();
                    assertThat(e.getSQLState()).isEqualTo("40001");
                }
            }
        }
        return done;
    }
}

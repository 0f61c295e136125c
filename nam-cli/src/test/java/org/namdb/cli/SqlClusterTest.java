package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.sql.client.NamClient;
import org.namdb.sql.engine.procedure.Procedure;
import org.namdb.sql.engine.procedure.ProcedureContext;

/// PostgreSQL's clients of a cluster: of its compute servers, one of which is killed, and of
/// `nam server --cluster`.
@Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqlClusterTest {
    private static final Pattern ADDRESS = Pattern.compile("any client +(postgresql://\\S+)");

    /// What clients get while something is held by a compute server that has died.
    private static final List<String> TRY_AGAIN = List.of("40001", "55P03");

    /// And those of a compute server that is fenced.
    private static final List<String> FENCED = List.of("40001", "55P03", "08006");

    /// What a transaction costs that reads from the cache alone, if it is none of those that read
    /// the low watermark, too.
    private static final String BEGIN_AND_END = "counted  READ 2, WRITE 2, 88 bytes";

    @TempDir private Path directory;

    private ClusterFixture cluster;
    private final List<String> urls = new ArrayList<>();

    /// A procedure of a jar.
    public static final class CountRows implements Procedure<Void, Long> {
        @Override
        public Long run(ProcedureContext context, Void none) {
            try (var rows = context.execute("SELECT count(*) FROM account")) {
                rows.next();
                return rows.int64(0);
            }
        }
    }

    @BeforeEach
    void up() {
        cluster =
                ClusterFixture.up(
                        directory, "--memory", "64m", "--lease", "3s", "--allow-procedures");
        Matcher address = ADDRESS.matcher(cluster.said());
        while (address.find()) {
            urls.add(String.valueOf(address.group(1)));
        }
        assertThat(urls).hasSize(2);
    }

    @AfterEach
    void down() {
        cluster.close();
    }

    private Connection connect(int server) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:" + urls.get(server).replace("namdb@", "") + "?user=namdb");
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String row(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    private static String lines(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            StringBuilder lines = new StringBuilder();
            while (rows.next()) {
                lines.append(rows.getString(1)).append('\n');
            }
            return lines.toString();
        }
    }

    /// Clients of both move money; one compute server is killed in the middle.
    @Test
    void theClientsOfOneGoOnWhenTheOtherIsKilled() throws Exception {
        try (Connection one = connect(0);
                Connection other = connect(1);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            run(one, "CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
            run(other, "INSERT INTO account SELECT i, 100 FROM generate_series(1, 10) AS s (i)");
            assertThat(row(one, "SELECT sum(balance) FROM account")).isEqualTo("1000");
            AtomicBoolean isOver = new AtomicBoolean();
            AtomicInteger dying = new AtomicInteger();
            AtomicInteger living = new AtomicInteger();
            Future<?> dead = threads.submit(() -> transfer(connect(0), dying, isOver));
            Future<?> alive = threads.submit(() -> transfer(connect(1), living, isOver));
            try {
                run(one, "BEGIN; INSERT INTO account VALUES (11, 77)"); // it is never committed
                awaitMore(dying);
                awaitMore(living);
                cluster.kill("compute-0");
                dead.get(1, TimeUnit.MINUTES);
                makeLater(other);
                awaitMore(living);
            } finally {
                isOver.set(true);
            }
            alive.get(1, TimeUnit.MINUTES);
            assertThat(row(other, "SELECT sum(balance) FROM account")).isEqualTo("1000");
            assertThat(row(other, "SELECT count(*) FROM later")).isEqualTo("10");
            assertThatThrownBy(() -> row(one, "SELECT 1")).isInstanceOf(SQLException.class);
        } catch (SQLException e) {
            // Of the connection that is lost, when it is closed.
            assertThat(e.getSQLState()).as(e.getMessage()).startsWith("08");
        }
    }

    @Test
    void aCachedRowIsReadForNothingUntilAnotherServerChangesIt() throws SQLException {
        try (Connection one = connect(0);
                Connection other = connect(1)) {
            run(one, "CREATE TABLE item (id INT PRIMARY KEY, price INT) WITH (cached = true)");
            run(other, "INSERT INTO item SELECT i, 100 FROM generate_series(1, 10) AS s (i)");
            String read = "SELECT price FROM item WHERE id = 7";
            assertThat(row(one, read)).isEqualTo("100");
            String costs;
            do { // if the other server's answer is late, the row is not cached yet
                costs = lines(one, "EXPLAIN (ANALYZE, VERBS) " + read);
            } while (costs.contains(" Verbs:") || !costs.contains(BEGIN_AND_END));
            run(other, "UPDATE item SET price = 120 WHERE id = 7");
            assertThat(row(one, read)).isEqualTo("120");
        }
    }

    /// An advisory lock is one of the whole cluster, and free when its holder is fenced.
    @Test
    void theLockOfADeadServersClientIsReleased() throws Exception {
        try (Connection one = connect(0);
                Connection other = connect(1)) {
            run(one, "SELECT pg_advisory_lock(7)");
            assertThat(row(other, "SELECT pg_try_advisory_lock(7)")).isEqualTo("f");
            cluster.kill("compute-0");
            run(other, "SELECT pg_advisory_lock(7)");
            assertThat(row(other, "SELECT count(*) FROM pg_locks")).isEqualTo("1");
        }
    }

    /// ```
    /// s  stands still for longer than its lease, with a client's open block
    /// o  fences it: the row that was inserted is not there, and another one is
    /// s  goes on, and joins again: its clients are connected as before, and only the block is lost
    /// ```
    @Test
    void clientsStayConnectedWhenTheirServerIsFenced() throws Exception {
        try (Connection open = connect(0);
                Connection idle = connect(0);
                Connection other = connect(1)) {
            run(open, "CREATE TABLE t (id INT PRIMARY KEY)");
            assertThat(row(idle, "SELECT count(*) FROM t")).isEqualTo("0");
            run(open, "BEGIN");
            run(open, "INSERT INTO t VALUES (1)");
            long server = cluster.server("compute-0").alive().orElseThrow().pid();
            ClusterFixture.signal("-STOP", List.of(server));
            try {
                runUntilDone(other, "INSERT INTO t VALUES (1)");
            } finally {
                ClusterFixture.signal("-CONT", List.of(server));
            }
            assertThatThrownBy(() -> run(open, "COMMIT"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getSQLState()).as(e.getMessage()).isIn(FENCED));
            run(open, "ROLLBACK");
            runUntilDone(open, "INSERT INTO t VALUES (2)");
            runUntilDone(idle, "INSERT INTO t VALUES (3)");
            assertThat(row(idle, "SELECT count(*) FROM t")).isEqualTo("3");
            assertThat(row(other, "SELECT count(*) FROM t")).isEqualTo("3");
        }
    }

    /// While its compute server does not know yet that it is fenced, or another one holds the row.
    private static void runUntilDone(Connection connection, String sql) throws Exception {
        for (boolean isDone = false; !isDone; ) { // the test's limit ends it
            try {
                run(connection, sql);
                isDone = true;
            } catch (SQLException e) {
                assertThat(e.getSQLState()).as(e.getMessage()).isIn(FENCED);
                Thread.sleep(50);
            }
        }
    }

    /// As soon as the dead one is fenced: until then its lease keeps the schema from changing.
    private static void makeLater(Connection connection) throws Exception {
        boolean isMade = false;
        while (!isMade) { // the test's limit ends it
            try {
                run(connection, "CREATE TABLE IF NOT EXISTS later (id INT PRIMARY KEY)");
                run(connection, "INSERT INTO later SELECT id FROM account");
                isMade = true;
            } catch (SQLException e) {
                assertThat(e.getSQLState()).as(e.getMessage()).isIn(TRY_AGAIN);
            }
        }
    }

    /// Until more are done; the test's limit ends it.
    private static void awaitMore(AtomicInteger done) throws InterruptedException {
        int before = done.get();
        while (done.get() < before + 5) {
            Thread.sleep(5);
        }
    }

    /// Until it is over, or the server has ended.
    ///
    /// @return null
    private static @Nullable Void transfer(
            Connection connection, AtomicInteger done, AtomicBoolean isOver) {
        try (connection;
                PreparedStatement change =
                        connection.prepareStatement(
                                "UPDATE account SET balance = balance + ? WHERE id = ?")) {
            connection.setAutoCommit(false);
            for (int i = 0; !isOver.get(); i++) {
                try {
                    for (int part = 0; part < 2; part++) {
                        change.setInt(1, part == 0 ? 1 : -1);
                        change.setInt(2, 1 + (i + part * 3) % 10);
                        change.executeUpdate();
                    }
                    connection.commit();
                    done.incrementAndGet();
                } catch (SQLException e) {
                    if (!TRY_AGAIN.contains(e.getSQLState())) {
                        throw e;
                    }
                    connection.rollback();
                }
            }
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(e.getMessage()).startsWith("08");
        }
        return null;
    }

    @Test
    void aJarIsThereForAllServers() throws Exception {
        ByteArrayOutputStream jar = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(jar)) {
            zip.putNextEntry(new ZipEntry("META-INF/services/" + Procedure.class.getName()));
            zip.write(CountRows.class.getName().getBytes(StandardCharsets.UTF_8));
        }
        try (NamClient one = NamClient.connect(urls.getFirst());
                Connection other = connect(1)) {
            run(other, "CREATE TABLE account (id INT PRIMARY KEY)");
            assertThatThrownBy(() -> row(other, "CALL count_rows()"))
                    .hasMessageContaining("does not exist");
            one.submit("counting", jar.toByteArray());
            assertThat(one.call("count_rows", null)).isEqualTo(0L);
            String count = "";
            while (count.isEmpty()) { // it looks each second; the test's limit ends this
                try {
                    count = row(other, "CALL count_rows()");
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isEqualTo("42883");
                    Thread.sleep(50);
                }
            }
            assertThat(count).isEqualTo("0");
            one.remove("counting");
            while (!count.isEmpty()) {
                try {
                    count = row(other, "CALL count_rows()");
                    Thread.sleep(50);
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isEqualTo("42883");
                    count = "";
                }
            }
        }
    }

    /// What one grants and revokes holds at the other from its next transaction on, for statements
    /// that were prepared before, too.
    @Test
    void rolesAndRightsAreThoseOfAllServers() throws Exception {
        try (Connection one = connect(0)) {
            run(one, "CREATE TABLE account (id INT PRIMARY KEY)");
            run(one, "CREATE USER carla");
            String url = "jdbc:" + urls.get(1).replace("namdb@", "");
            try (Connection other =
                            DriverManager.getConnection(
                                    url + "?user=carla&prepareThreshold=1", "carla", "");
                    PreparedStatement query =
                            other.prepareStatement("SELECT count(*) FROM account")) {
                for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(query::executeQuery)
                            .hasMessageContaining("permission denied for table account");
                    run(one, "GRANT SELECT ON account TO carla");
                    query.executeQuery().close();
                    run(one, "REVOKE SELECT ON account FROM carla");
                }
                run(one, "ALTER USER carla SUPERUSER");
                run(other, "INSERT INTO account VALUES (1)");
                run(one, "DROP USER carla");
                assertThatThrownBy(() -> run(other, "INSERT INTO account VALUES (2)"))
                        .hasMessageContaining("permission denied");
            }
        }
    }

    @Test
    void aServerOfItsOwnServesTheCluster() throws Exception {
        Process server =
                cluster.startNam(
                        "server",
                        "server",
                        "--trust",
                        "--listen=127.0.0.1:0",
                        "--cluster=" + cluster.file());
        String url = "";
        BufferedReader lines = server.inputReader();
        while (!url.startsWith("jdbc:")) {
            String line = lines.readLine();
            assertThat(line).as(() -> cluster.errorsOf("server")).isNotNull();
            url = String.valueOf(line).strip();
        }
        try (Connection own = DriverManager.getConnection(url);
                Connection other = connect(1)) {
            run(own, "CREATE TABLE t (id INT PRIMARY KEY)");
            run(other, "INSERT INTO t VALUES (1), (2)");
            assertThat(row(own, "SELECT count(*) FROM t")).isEqualTo("2");
        }
        server.destroy();
        assertThat(server.waitFor(1, TimeUnit.MINUTES)).isTrue();
        try (Connection other = connect(0)) {
            run(other, "DROP TABLE t"); // it has left in order
        }
    }
}

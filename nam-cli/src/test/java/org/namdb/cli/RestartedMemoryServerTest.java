package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// One memory server of a cluster with data directories is killed by SIGKILL while clients write,
/// and is started again: the others restart with empty memory, and all compute servers go on with
/// what was acknowledged.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RestartedMemoryServerTest {
    private static final Pattern URL = Pattern.compile("postgresql://namdb@(127.0.0.1:[0-9]+)/");

    private static final String NEXT = "INSERT INTO v VALUES (nextval('s')) RETURNING id";

    /// How many values of the sequence are reserved at a time.
    private static final long RANGE = 33;

    @TempDir private Path directory;

    private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isDone = new AtomicBoolean();
    private final List<Throwable> unexpected = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    void computeServersGoOnWithWhatWasAcknowledged(String transport) throws Exception {
        try (ClusterFixture cluster =
                ClusterFixture.up(
                        directory.resolve("cluster"),
                        "--data=" + directory.resolve("data"),
                        "--compute-servers=1",
                        "--transport=" + transport,
                        "--memory=256m",
                        "--lease=5s")) {
            long server = cluster.server("compute-0").pid();
            AtomicInteger failures = new AtomicInteger();
            try (NamDb db = cluster.connect();
                    Connection sql = sql(cluster);
                    Statement statement = sql.createStatement()) {
                Table _ =
                        db.createTable(
                                TableDefinition.named("t")
                                        .column("id", ColumnType.INT64)
                                        .primaryKey("id")
                                        .build());
                statement.execute("CREATE TABLE u (id BIGINT PRIMARY KEY, name TEXT UNIQUE)");
                statement.execute("CREATE SEQUENCE s");
                statement.execute("CREATE TABLE v (id BIGINT PRIMARY KEY)");
                Thread writer = Thread.ofPlatform().start(() -> write(db, failures));
                for (int round = 0; round < 2; round++) {
                    statement.execute("INSERT INTO u VALUES (%1$d, 'row %1$d')".formatted(round));
                    long value = sqlValue(sql, NEXT);
                    long before = acknowledged.size();
                    await(() -> acknowledged.size() > before + 20);
                    int process = db.process();
                    String killed = "memory-" + (1 - round);
                    cluster.kill(killed);
                    Process _ =
                            cluster.startNam(
                                    killed + "-again",
                                    "memory-server",
                                    "-c",
                                    cluster.file().toString(),
                                    "-n",
                                    Integer.toString(1 - round));
                    awaitRecovery(cluster);
                    await(() -> db.process() != process);
                    long then = acknowledged.size();
                    await(() -> acknowledged.size() > then + 20);
                    assertThat(sqlValue(sql, "SELECT count(*) FROM u")).isEqualTo(round + 1);
                    assertThat(sqlValue(sql, NEXT))
                            .as("behind the range that %d is from", value)
                            .isGreaterThan(RANGE * (round + 1));
                }
                isDone.set(true);
                writer.join();
                assertThat(unexpected).isEmpty();
                assertThat(failures.get()).isGreaterThanOrEqualTo(2);
                assertThat(rows(db)).containsAll(acknowledged);
                assertThat(cluster.server("compute-0").alive().orElseThrow().pid())
                        .isEqualTo(server);
            }
        }
    }

    /// The image of such a commit does not fit the heap of the memory server that recovers: two
    /// thirds of it are for what is large.
    @Test
    void aTransactionThatIsLargerThanTheHeapIsRecovered() throws Exception {
        int rows = 68;
        try (ClusterFixture cluster =
                ClusterFixture.up(
                        directory.resolve("cluster"),
                        "--data=" + directory.resolve("data"),
                        "--compute-servers=1",
                        "--transport=tcp",
                        "--memory=256m",
                        "--lease=5s")) {
            try (Connection sql = sql(cluster);
                    Statement statement = sql.createStatement()) {
                statement.execute("CREATE TABLE t (id INT PRIMARY KEY, v TEXT)");
                assertThat(
                                statement.executeUpdate(
                                        """
                                        INSERT INTO t SELECT i, repeat('x', 1000000)
                                        FROM generate_series(1, %d) g (i)
                                        """
                                                .formatted(rows)))
                        .isEqualTo(rows);
            }
            cluster.kill("memory-0");
            Process _ =
                    cluster.startNamWithHeap(
                            "memory-0-again",
                            "-Xmx96m",
                            "memory-server",
                            "-c",
                            cluster.file().toString(),
                            "-n",
                            "0");
            awaitRecovery(cluster);
            try (Connection sql = sql(cluster)) {
                assertThat(sqlValue(sql, "SELECT sum(length(v)) FROM t"))
                        .isEqualTo(1_000_000L * rows);
            }
        }
    }

    /// Inserts a row after the other, each in a session that is opened again when it has failed.
    private void write(NamDb db, AtomicInteger failures) {
        long id = 0;
        while (!isDone.get()) {
            try (Session session = db.session()) {
                Table table = db.table("t");
                while (!isDone.get()) {
                    long next = id++;
                    session.transact(tx -> tx.insert(table, table.newKey().set(next)));
                    acknowledged.add(next);
                }
            } catch (FabricException | IllegalStateException | TransactionException e) {
                int _ = failures.incrementAndGet(); // until it finds out, all that is begun
            } catch (Throwable e) {
                unexpected.add(e);
                throw e;
            }
        }
    }

    private static Set<Long> rows(NamDb db) {
        return db.transact(tx -> {
            Table table = db.table("t");
            Set<Long> rows = ConcurrentHashMap.newKeySet();
            var scan = tx.scan(table, table.schema().all());
            for (var row = scan.next(); row != null; row = scan.next()) {
                rows.add(row.int64(table.column("id")));
            }
            scan.close();
            return rows;
        });
    }

    /// Looks until the database is there again. A look that comes before, or that the recovery
    /// begins beneath, says so in a sentence.
    private static void awaitRecovery(ClusterFixture cluster) throws InterruptedException {
        String kept = "acknowledged when they are on the disks of all";
        int before = count(cluster.said(), kept);
        String[] look = {
            "status", "-c", cluster.file().toString(), "--set", "compute.attach-wait=100ms"
        };
        while (cluster.nam(look) != 0) { // the test's limit ends it
            assertThat(cluster.said().strip().lines().toList().getLast())
                    .startsWith("nam status: ");
            Thread.sleep(200);
        }
        assertThat(count(cluster.said(), kept)).isEqualTo(before + 1);
    }

    private static int count(String said, String part) {
        return said.split(Pattern.quote(part), -1).length - 1;
    }

    private static Connection sql(ClusterFixture cluster) throws SQLException {
        Matcher url = URL.matcher(cluster.said());
        assertThat(url.find()).isTrue();
        return DriverManager.getConnection(
                "jdbc:postgresql://" + url.group(1) + "/namdb?user=namdb");
    }

    /// By the connection that was there before, until its compute server goes on, too.
    private static long sqlValue(Connection connection, String query) throws Exception {
        while (true) { // the test's limit ends it
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(query)) {
                assertThat(rows.next()).isTrue();
                return rows.getLong(1);
            } catch (SQLException e) {
                assertThat(e.getSQLState()).as(e.getMessage()).isIn("08006", "40001");
                Thread.sleep(50);
            }
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(10); // the test's limit ends it
        }
    }
}

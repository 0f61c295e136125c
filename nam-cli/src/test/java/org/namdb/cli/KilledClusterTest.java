package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// All processes of a cluster with data directories are killed by SIGKILL, or ended, while clients
/// write. What these were told is there when it is started again, by `start` or by `up`.
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledClusterTest {
    private static final int CLIENTS = 6;

    /// So many rows are acknowledged before all processes are killed, or ended.
    private static final int MIN_ACKNOWLEDGED = 200;

    private static final Pattern URL = Pattern.compile("postgresql://namdb@(127.0.0.1:[0-9]+)/");

    @TempDir private Path directory;

    private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();

    @Test
    void whatClientsWereToldIsThere() throws Exception {
        String[] options = {
            "--data=" + directory.resolve("data"),
            "--memory=256m",
            "--lease=5s",
            "--allow-procedures"
        };
        try (ClusterFixture cluster = ClusterFixture.up(directory.resolve("cluster"), options)) {
            try (Connection connection = connect(cluster, 0);
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE SEQUENCE ids");
                statement.execute(
                        "CREATE TABLE t (id BIGINT PRIMARY KEY, client INT, name TEXT UNIQUE)");
                statement.execute("CREATE INDEX by_client ON t (client)");
                statement.execute("CREATE TABLE counts (client INT PRIMARY KEY, n BIGINT)");
                statement.execute("CREATE ROLE clerk LOGIN PASSWORD 'secret'");
                statement.execute("GRANT SELECT ON t TO clerk");
                statement.execute(
                        "INSERT INTO counts SELECT i, 0 FROM generate_series(0, 5) AS s(i)");
            }
            // Killed, then ended while clients write.
            for (int round = 0; round < 2; round++) {
                List<Thread> clients = new ArrayList<>();
                for (int client = 0; client < CLIENTS; client++) {
                    int number = client;
                    clients.add(Thread.ofPlatform().start(() -> write(cluster, number)));
                }
                int before = acknowledged.size();
                while (acknowledged.size() < before + MIN_ACKNOWLEDGED) {
                    Thread.sleep(10); // the test's limit ends it
                }
                if (round == 0) {
                    killAll(cluster);
                } else {
                    assertThat(cluster.manage("cluster", "down")).isZero();
                }
                for (Thread each : clients) {
                    each.join();
                }
                if (round == 0) {
                    assertThat(cluster.manage("cluster", "start")).as(cluster::said).isZero();
                } else {
                    assertThat(up(cluster, options)).as(cluster::said).isZero();
                }
                requireAll(cluster, round == 0);
            }
            assertThat(cluster.nam("status", "-c", cluster.file().toString())).isZero();
            assertThat(cluster.said())
                    .contains("acknowledged when they are on the disks of all")
                    .contains("data of server 1 " + directory.resolve("data"))
                    .contains("Recovered ");
        }
    }

    private static int up(ClusterFixture cluster, String... options) {
        List<String> arguments = new ArrayList<>(List.of("cluster", "up", "--wait", "200"));
        arguments.addAll(List.of(options));
        return cluster.manage(arguments.toArray(String[]::new));
    }

    private static Connection connect(ClusterFixture cluster, int server) throws SQLException {
        List<String> addresses = new ArrayList<>();
        Matcher urls = URL.matcher(cluster.said());
        while (urls.find()) {
            addresses.add(urls.group(1));
        }
        String address = addresses.get(addresses.size() - 2 + server);
        return DriverManager.getConnection("jdbc:postgresql://" + address + "/namdb?user=namdb");
    }

    /// Until the connection is lost: inserts a row, and counts it.
    private void write(ClusterFixture cluster, int client) {
        try (Connection connection = connect(cluster, client % 2);
                PreparedStatement insert =
                        connection.prepareStatement(
                                "INSERT INTO t VALUES (nextval('ids'), ?, ?) RETURNING id");
                PreparedStatement count =
                        connection.prepareStatement(
                                "UPDATE counts SET n = n + 1 WHERE client = ?")) {
            connection.setAutoCommit(false);
            for (int i = 0; ; i++) {
                insert.setInt(1, client);
                insert.setString(2, "row %d of %d, %d".formatted(i, client, System.nanoTime()));
                count.setInt(1, client);
                try (ResultSet made = insert.executeQuery()) {
                    assertThat(made.next()).isTrue();
                    long id = made.getLong(1);
                    assertThat(count.executeUpdate()).isEqualTo(1);
                    connection.commit();
                    acknowledged.add(id);
                } catch (SQLException e) {
                    if (!"40001".equals(e.getSQLState())) {
                        throw e;
                    }
                    connection.rollback();
                }
            }
        } catch (SQLException e) {
            // The cluster was killed.
        }
    }

    private static void killAll(ClusterFixture cluster) throws Exception {
        List<Long> processes = new ArrayList<>();
        for (String name : List.of("memory-0", "memory-1", "compute-0", "compute-1", "zookeeper")) {
            processes.add(cluster.server(name).pid());
        }
        ClusterFixture.signal("-KILL", processes);
    }

    private void requireAll(ClusterFixture cluster, boolean isFirst) throws SQLException {
        Set<Long> found = new HashSet<>();
        try (Connection connection = connect(cluster, 1);
                Statement statement = connection.createStatement()) {
            try (ResultSet rows = statement.executeQuery("SELECT id FROM t")) {
                while (rows.next()) {
                    found.add(rows.getLong(1));
                }
            }
            assertThat(found).containsAll(acknowledged);
            try (ResultSet wrong =
                    statement.executeQuery(
                            "SELECT c.client FROM counts c WHERE c.n <>"
                                    + " (SELECT count(*) FROM t WHERE t.client = c.client)")) {
                assertThat(wrong.next()).as("a transaction is there in part").isFalse();
            }
            try (ResultSet next = statement.executeQuery("SELECT nextval('ids')")) {
                assertThat(next.next()).isTrue();
                assertThat(next.getLong(1))
                        .isGreaterThan(found.stream().mapToLong(Long::longValue).max().orElse(0));
            }
            if (isFirst) {
                statement.execute("SET ROLE clerk");
                statement.execute("RESET ROLE");
            }
        }
    }
}

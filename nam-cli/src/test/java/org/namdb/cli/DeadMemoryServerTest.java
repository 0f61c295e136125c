package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/// What a user reads while a memory server of a cluster with data directories is dead, and that all
/// goes on when it is started again.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeadMemoryServerTest {
    private static final Pattern URL = Pattern.compile("postgresql://namdb@(127.0.0.1:[0-9]+)/");

    /// Of `nam status`, on a machine that does other things, too.
    private static final long MAX_SECONDS = 60;

    @TempDir private Path directory;

    @Test
    void usersReadWhichServerIsAwayAndWhatToDo() throws Exception {
        try (ClusterFixture cluster =
                ClusterFixture.up(
                        directory.resolve("cluster"),
                        "--data=" + directory.resolve("data"),
                        "--compute-servers=1",
                        "--memory=256m",
                        "--lease=5s")) {
            String address = cluster.config().memoryServers().get(1).address().toString();
            assertThat(cluster.manage("cluster", "status")).isZero();
            for (String name : List.of("zookeeper   ", "memory-0    ", "memory-1    ")) {
                assertThat(cluster.said())
                        .containsPattern("(?m)^" + name + " [0-9 ]{8} runs      /.*\\.log$");
            }
            assertThat(cluster.said()).doesNotContain("has ended");
            cluster.kill("memory-1");
            assertThat(cluster.manage("cluster", "status")).isEqualTo(1);
            assertThat(cluster.said())
                    .containsPattern("(?m)^memory-1     [0-9 ]{8} has ended /.*memory-1\\.log$")
                    .contains(
                            "'nam cluster start --directory "
                                    + directory.resolve("cluster")
                                    + "' starts what has ended");
            statusShowsEachServer(cluster, address);
            clientsAreRefused(cluster, address);
            assertThat(cluster.manage("cluster", "start")).isZero();
            while (true) { // the test's limit ends it
                try (Connection again = connect(cluster)) {
                    assertThat(again.isValid(60)).isTrue();
                    break;
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("57P03");
                }
            }
        }
    }

    private static void statusShowsEachServer(ClusterFixture cluster, String address) {
        long start = System.nanoTime();
        assertThat(cluster.nam("status", "-c", cluster.file().toString())).isEqualTo(1);
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(MAX_SECONDS));
        assertThat(cluster.said())
                .containsPattern("memory server 0  runs, [0-9]+ [A-Za-z]+ of 256 MiB used, at 127")
                .contains("memory server 1  can't be reached: Connection refused, at " + address)
                .containsPattern("\ncompute server")
                .contains(
                        "nam status: memory server 1 at "
                                + address
                                + " can't be reached, and the database can't be used without: start"
                                + " it again with its data directory");
    }

    /// At first by what a verb has met, then by what the compute server waits for.
    private static void clientsAreRefused(ClusterFixture cluster, String address) {
        ServerErrorMessage refused;
        do {
            PSQLException thrown =
                    catchThrowableOfType(PSQLException.class, () -> connect(cluster).close());
            refused = thrown == null ? null : thrown.getServerErrorMessage();
        } while (refused == null || !refused.getMessage().contains("since "));
        assertThat(refused.getSQLState()).isEqualTo("57P03");
        assertThat(refused.getMessage())
                .startsWith("the database can't be reached now: this compute server has lost the")
                .containsPattern(
                        "since [-0-9]+T[0-9:]+Z it waits for memory servers: memory server 1 can't"
                                + " be reached at "
                                + address
                                + ": Connection refused");
        assertThat(refused.getHint()).contains("`nam cluster start` starts what has ended");
    }

    private static Connection connect(ClusterFixture cluster) throws SQLException {
        Matcher url = URL.matcher(cluster.said());
        assertThat(url.find()).isTrue();
        return DriverManager.getConnection(
                "jdbc:postgresql://" + url.group(1) + "/namdb?user=namdb");
    }
}

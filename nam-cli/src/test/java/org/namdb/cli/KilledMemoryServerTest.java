package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.LeaseLostException;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;

/// A memory server is killed by SIGKILL, and the database is lost with what it held: every process
/// of the cluster reports that in one sentence, commits nothing more, and waits for nothing.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledMemoryServerTest {
    private static final long MAX_SECONDS = 100;

    /// Of a verb that was in flight.
    private static final String LOST = "the connection to memory server 1 at 127.0.0.1:";

    private static final String GONE = "has lost its database, as a memory server has died";

    /// Of a background thread that logs the same repeatedly.
    private static final int MAX_LINES = 20;

    @TempDir Path directory;

    @Test
    void allProcessesReportItAndNoneHangs() throws Exception {
        try (ClusterFixture cluster =
                ClusterFixture.up(directory, "--memory=128m", "--lease=5s", "--transport=tcp")) {
            String file = cluster.file().toString();
            Process sql = cluster.startNam("sql", "sql", "--cluster", file);
            Writer statements = sql.outputWriter();
            statements.write("CREATE TABLE t (id INT PRIMARY KEY);\n");
            statements.write("INSERT INTO t VALUES (1), (2), (3), (4);\n");
            statements.flush();
            BufferedReader results = sql.inputReader();
            assertThat(results.readLine()).isEqualTo("CREATE TABLE");
            assertThat(results.readLine()).isEqualTo("INSERT 0 4");
            Process tpcc = // later: of two that make tables, one would wait for the other
                    cluster.startNam(
                            "tpcc",
                            "tpcc --cluster %s --warehouses 1 --population 1 --threads 2 --warmup 0s --duration 10m"
                                    .formatted(file)
                                    .split(" "));
            await(() -> cluster.errorsOf("tpcc").contains(" tpmC ") || !tpcc.isAlive());

            whatRunsInThisProcessFails(cluster);
            statements.write("SELECT count(*) FROM t;\n");
            statements.close();
            Process status =
                    cluster.startNam(
                            "status", "status", "-c", file, "--set", "compute.attach-wait=1s");

            requireSaid(cluster, "tpcc", tpcc, "nam tpcc: ", LOST, GONE);
            requireSaid(cluster, "sql", sql, "stdin:3: ERROR 08006: ", LOST, GONE);
            requireSaid(cluster, "status", status, "nam status: memory server 1 at 127.0.0.1:");
            for (String server : List.of("compute-0", "compute-1")) {
                endsByItself(cluster, server);
            }
            lateProcessesReportWhatIsMissing(cluster);
        }
    }

    /// One memory server was restarted: the database is lost, and no process attaches to the
    /// others.
    private static void lateProcessesReportWhatIsMissing(ClusterFixture cluster) throws Exception {
        String file = cluster.file().toString();
        Process restarted = cluster.startNam("restarted", "memory-server", "-c", file, "-n", "1");
        assertThat(restarted.inputReader().readLine()).startsWith("memory server 1 is ready");
        String lost = "memory server 1 does not hold a part of memory server 0's database: ";
        for (String[] command :
                new String[][] {
                    {"sql", "--cluster", file, "-c", "SELECT 1"},
                    {"tpcc", "--cluster", file},
                    {"compute-server", "-c", file},
                    {"status", "-c", file},
                }) {
            Process process = cluster.startNam("late-" + command[0], command);
            requireSaid(cluster, "late-" + command[0], process, "nam " + command[0] + ": " + lost);
            assertThat(cluster.errorsOf("late-" + command[0])).doesNotContain("\tat ");
        }
    }

    private static void whatRunsInThisProcessFails(ClusterFixture cluster) throws Exception {
        try (NamDb db = cluster.connect()) {
            Session session = db.session();
            Table table = ClusterClient.counters(db);
            assertThat(ClusterClient.count(session, table)).isEqualTo(1);
            cluster.kill("memory-1");
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    ClusterClient.count(session, table);
                                }
                            })
                    .isInstanceOfAny(FabricException.class, LeaseLostException.class);
            await(db::isLost);
            assertThatThrownBy(() -> ClusterClient.count(session, table))
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("nam cluster down");
        } // closes without an exception
    }

    /// Background threads may print something, too.
    private static void requireSaid(
            ClusterFixture cluster, String name, Process process, String sentence, String... ends)
            throws InterruptedException {
        assertThat(process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).as(name).isTrue();
        String errors = cluster.errorsOf(name);
        assertThat(process.exitValue()).as(errors).isEqualTo(1);
        assertThat(errors.lines())
                .anyMatch(line ->
                        line.startsWith(sentence)
                                && (ends.length == 0
                                        || Arrays.stream(ends).anyMatch(line::contains)));
    }

    /// A compute server has nothing to do any more.
    private void endsByItself(ClusterFixture cluster, String server) throws Exception {
        awaitEnd(cluster, server);
        assertThat(Files.readAllLines(directory.resolve(server + ".log")))
                .hasSizeLessThan(MAX_LINES)
                .anyMatch(line -> line.startsWith("nam compute-server: " + GONE));
    }

    private static void awaitEnd(ClusterFixture cluster, String server) throws Exception {
        Optional<ProcessHandle> process = cluster.server(server).alive();
        if (process.isPresent()) {
            ProcessHandle _ = process.get().onExit().get(MAX_SECONDS, TimeUnit.SECONDS);
        }
    }

    /// It can't release what it held, and reports why, as all others, in one sentence.
    @Test
    void aProcessEndedAfterTheLossOfAllMemoryReportsIt() throws Exception {
        try (ClusterFixture cluster =
                ClusterFixture.up(
                        directory,
                        "--memory-servers=1",
                        "--compute-servers=1",
                        "--memory=64m",
                        "--transport=tcp")) {
            ProcessHandle process = cluster.server("compute-0").alive().orElseThrow();
            cluster.kill("memory-0");
            assertThat(process.destroy()).isTrue();
            awaitEnd(cluster, "compute-0");
            assertThat(Files.readAllLines(directory.resolve("compute-0.log")))
                    .noneMatch(line -> line.contains("picocli"))
                    .anyMatch(line -> line.contains(GONE));
        }
    }

    /// Where its memory is mapped, verbs go on when the server is dead, and commits with them.
    @Test
    void commitsToMappedMemoryEndAsWell() throws Exception {
        try (ClusterFixture cluster =
                        ClusterFixture.up(
                                directory, "--memory=64m", "--lease=5s", "--transport=shm");
                NamDb db = cluster.connect();
                Session session = db.session()) {
            Table table = ClusterClient.counters(db);
            assertThat(ClusterClient.count(session, table)).isEqualTo(1);
            cluster.kill("memory-1");
            await(db::isLost);
            assertThatThrownBy(() -> ClusterClient.count(session, table))
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("nam cluster down");
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(10); // the test's limit ends it
        }
    }
}

package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.schema.Table;

/// A local cluster with the default lease, on a machine whose processors are overcommitted
/// eightfold, and all of whose processes stand still for eight seconds then, as on a laptop that
/// sleeps: no compute server is declared dead.
@Tag("long")
@Tag("alone") // others would be slow, and late
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BusyMachineTest {
    private static final int TIMES_BUSY = 8;

    /// `-Dnamdb.seconds=N`: so long, in place of two leases.
    private static final long BUSY_SECONDS = Long.getLong("namdb.seconds", 20);

    private static final long STANDSTILL_MILLIS = 8_000;
    private static final long PAUSE_MILLIS = 50;
    private static final long MAX_SECONDS = 60;

    @TempDir Path directory;

    private final List<Process> busy = new ArrayList<>();

    @AfterEach
    void end() {
        busy.forEach(Process::destroyForcibly);
    }

    @Test
    void noServerIsLost() throws Exception {
        try (ClusterFixture cluster =
                        ClusterFixture.up(directory, "--memory=128m", "--transport=tcp");
                NamDb db = cluster.connect();
                Session session = db.session()) {
            int process = db.process();
            Table table = ClusterClient.counters(db);
            Process shell =
                    cluster.startNam("shell", "sql", "--cluster", cluster.file().toString());
            Writer statements = shell.outputWriter();
            statements.write("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1);\n");
            statements.flush();
            assertThat(shell.inputReader().readLine()).isEqualTo("CREATE TABLE");
            assertThat(shell.inputReader().readLine()).isEqualTo("INSERT 0 1");

            makeBusy();
            long start = System.nanoTime();
            long counted = 0;
            while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(BUSY_SECONDS)) {
                assertThat(ClusterClient.count(session, table)).isEqualTo(++counted);
                Thread.sleep(PAUSE_MILLIS);
            }
            busy.forEach(Process::destroyForcibly);
            requireNothingLost();

            statements.write("BEGIN; INSERT INTO t VALUES (2);\n");
            statements.flush();
            assertThat(shell.inputReader().readLine()).isEqualTo("BEGIN");
            assertThat(shell.inputReader().readLine()).isEqualTo("INSERT 0 1");
            standStill(shell);
            statements.write("COMMIT; INSERT INTO t VALUES (3);\n");
            statements.close();
            assertThat(shell.inputReader().readLine()).isEqualTo("COMMIT");
            assertThat(shell.inputReader().readLine()).isEqualTo("INSERT 0 1");
            assertThat(shell.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(shell.exitValue()).as(cluster.errorsOf("shell")).isZero();
            assertThat(ClusterClient.count(session, table)).isEqualTo(counted + 1);
            assertThat(db.process()).isEqualTo(process);
            requireNothingLost();
        }
    }

    private void makeBusy() throws Exception {
        int processors = Runtime.getRuntime().availableProcessors();
        for (int i = 0; i < TIMES_BUSY * processors; i++) {
            busy.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
        }
    }

    /// All processes of the cluster and the shell.
    private void standStill(Process shell) throws Exception {
        List<Long> all = new ArrayList<>(List.of(shell.pid()));
        for (LocalCluster.Started each : new LocalCluster(directory).started()) {
            all.add(each.alive().orElseThrow().pid());
        }
        ClusterFixture.signal("-STOP", all);
        try {
            Thread.sleep(STANDSTILL_MILLIS);
        } finally {
            ClusterFixture.signal("-CONT", all);
        }
    }

    private void requireNothingLost() throws Exception {
        for (LocalCluster.Started each : new LocalCluster(directory).started()) {
            assertThat(each.alive()).as(each.name()).isPresent();
            String log = Files.readString(directory.resolve(each.name() + ".log"));
            assertThat(log)
                    .as(each.name())
                    .doesNotContain("declared dead")
                    .doesNotContain("has died");
        }
    }
}

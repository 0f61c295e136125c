package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.cluster.config.ClusterSettings;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import picocli.CommandLine;

/// A cluster of processes on this machine, as `nam cluster up` starts it.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterCommandTest {
    private static final int KILLS = 2;

    @TempDir Path directory;

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();
    private final List<Process> clients = new ArrayList<>();
    private Path file;

    @BeforeEach
    void up() {
        file = directory.resolve("cluster.yaml");
        assertThat(run("cluster", "up", "--memory", "64m", "--wait", "200", "--lease", "5s"))
                .as(() -> errors.toString())
                .isZero();
    }

    @AfterEach
    void down() {
        clients.forEach(Process::destroyForcibly);
        assertThat(run("cluster", "down")).isZero();
        assertThat(run("cluster", "status")).as("nothing runs").isEqualTo(1);
    }

    private int run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--directory", directory.toString()));
        return runAsIs(all.toArray(String[]::new));
    }

    private int runAsIs(String... arguments) {
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        return nam.execute(arguments);
    }

    private Process client(long transactions) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> !each.startsWith("-Xm"))
                .forEach(command::add);
        command.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path")));
        command.addAll(
                List.of(
                        ClusterClient.class.getName(),
                        file.toString(),
                        Long.toString(transactions)));
        Process started =
                new ProcessBuilder(command)
                        .redirectError(directory.resolve("client.err").toFile())
                        .start();
        clients.add(started);
        return started;
    }

    /// By TCP: a process that has mapped memory would be ended if it lost its lease.
    private NamDb connect() {
        return NamDb.connect(
                ClusterSettings.read(file, Map.of(), Map.of("transport", "tcp")).config());
    }

    private LocalCluster.Started process(String name) {
        return new LocalCluster(directory)
                .started().stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElseThrow();
    }

    private static void kill(ProcessHandle process) throws Exception {
        assertThat(process.destroyForcibly()).isTrue();
        process.onExit().get();
    }

    @Test
    void processesSeeEachOthersCommitsAndComeAndGo() throws Exception {
        assertThat(run("cluster", "status")).isZero();
        try (NamDb db = connect();
                Session session = db.session()) {
            Table table = ClusterClient.counters(db);
            long value = ClusterClient.count(session, table);
            for (int times = 0; times < 2; times++) {
                Process client = client(5);
                List<String> said;
                try (BufferedReader reader = client.inputReader()) {
                    said = reader.readAllLines();
                }
                assertThat(client.waitFor())
                        .as(() -> read(directory.resolve("client.err")))
                        .isZero();
                assertThat(said.getLast()).isEqualTo(Long.toString(value + 5));
                value = ClusterClient.count(session, table);
                assertThat(value).isEqualTo(Long.parseLong(said.getLast()) + 1);
            }
        }
        assertThat(runAsIs("status", "-c", file.toString())).as(() -> errors.toString()).isZero();
        assertThat(output.toString()).contains("memory server 1 ", "slots ", "compute server ");
        kill(process("compute-0").alive().orElseThrow());
        assertThat(run("cluster", "status")).as("one has ended").isEqualTo(1);
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /// What it was told is committed stays, what was not is undone as a whole, and nobody waits for
    /// its locks for ever.
    @Test
    void aComputeServerThatIsKilledHoldsNobodyUp() throws Exception {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (NamDb db = connect();
                Session session = db.session()) {
            Table table = ClusterClient.counters(db);
            for (int kills = 0; kills < KILLS; kills++) {
                Process client = client(Long.MAX_VALUE);
                long committed = 0;
                try (BufferedReader reader = client.inputReader()) {
                    assertThat(reader.readLine()).startsWith("compute server");
                    for (int left = 10 + random.nextInt(100); left > 0; left--) {
                        committed = Long.parseLong(reader.readLine());
                    }
                    kill(client.toHandle());
                    String line = reader.readLine();
                    while (line != null && !line.isEmpty()) { // the last may be cut
                        line = reader.readLine();
                    }
                }
                assertThat(countUntilDone(session, table)).isGreaterThan(committed);
            }
        }
    }

    private static long countUntilDone(Session session, Table table) {
        while (true) { // the test's limit ends it
            try {
                return ClusterClient.count(session, table);
            } catch (TransactionException e) {
                Thread.onSpinWait(); // its locks are not released yet
            }
        }
    }

    @Test
    void aMemoryServerThatIsKilledIsAClearError() throws Exception {
        try (NamDb db = connect()) {
            Session session = db.session();
            Table table = ClusterClient.counters(db);
            assertThat(ClusterClient.count(session, table)).isEqualTo(1);
            kill(process("memory-1").alive().orElseThrow());
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    ClusterClient.count(session, table);
                                }
                            })
                    .hasMessageContaining("memory server")
                    .isInstanceOf(FabricException.class);
        } catch (FabricException e) {
            // What was left could not be given back.
        }
    }
}

package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterSettings;
import org.namdb.compute.NamDb;

/// A cluster of processes on this machine, as `nam cluster up` starts it, and programs that use it,
/// each a process of its own. All of them are ended with it, whatever has happened.
final class ClusterFixture implements AutoCloseable {
    private static final long END_SECONDS = 60;

    private final Path directory;
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();
    private final Programs programs;

    private ClusterFixture(Path directory) {
        this.directory = directory;
        this.programs = new Programs(directory);
    }

    /// Starts it.
    ///
    /// @param directory for its configuration and its processes' output
    /// @param options of `nam cluster up`
    static ClusterFixture up(Path directory, String... options) {
        ClusterFixture cluster = new ClusterFixture(directory);
        List<String> arguments = new ArrayList<>(List.of("cluster", "up", "--wait", "200"));
        arguments.addAll(List.of(options));
        boolean isUp = false;
        try {
            assertThat(cluster.manage(arguments.toArray(String[]::new)))
                    .as(cluster.errors::toString)
                    .isZero();
            isUp = true;
            return cluster;
        } finally {
            if (!isUp) {
                cluster.close();
            }
        }
    }

    /// Where its configuration is.
    Path file() {
        return directory.resolve("cluster.yaml");
    }

    /// Its configuration for clients by TCP.
    ClusterConfig config() {
        return ClusterSettings.read(file(), Map.of(), Map.of("transport", "tcp")).config();
    }

    /// By TCP: a process that has mapped memory would be ended if it lost its lease.
    NamDb connect() {
        return NamDb.connect(config());
    }

    /// Runs `nam cluster` on it, in this process.
    int manage(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--directory", directory.toString()));
        return nam(all.toArray(String[]::new));
    }

    /// Runs `nam` in this process.
    int nam(String... arguments) {
        var nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        return nam.execute(arguments);
    }

    /// What the commands in this process have said.
    String said() {
        return output + "\n" + errors;
    }

    /// Starts a program.
    Process start(String name, Class<?> main, String... arguments) {
        return programs.start(List.of(), name, main, arguments);
    }

    /// Starts a program of one source file.
    Process startSource(String name, Path source, String... arguments) {
        return programs.start(List.of(), name, source.toString(), arguments);
    }

    /// Starts `nam`.
    Process startNam(String name, String... arguments) {
        return start(name, Nam.class, arguments);
    }

    /// Starts `nam` with a heap of its own size.
    Process startNamWithHeap(String name, String heap, String... arguments) {
        return programs.start(List.of(), name, heap, Nam.class.getName(), arguments);
    }

    /// The standard error of a program.
    String errorsOf(String name) {
        return programs.errorsOf(name);
    }

    /// One of its servers.
    LocalCluster.Started server(String name) {
        return new LocalCluster(directory)
                .started().stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElseThrow();
    }

    /// Kills one of its servers, by SIGKILL.
    void kill(String server) throws Exception {
        kill(server(server).alive().orElseThrow());
    }

    static void kill(ProcessHandle process) throws Exception {
        assertThat(process.destroyForcibly()).isTrue();
        process.onExit().get(END_SECONDS, TimeUnit.SECONDS);
    }

    /// Sends processes a signal, such as `-STOP`.
    static void signal(String signal, List<Long> processes) throws Exception {
        List<String> command = new ArrayList<>(List.of("kill", signal));
        processes.forEach(each -> command.add(each.toString()));
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    @Override
    public void close() {
        programs.close();
        assertThat(manage("cluster", "down")).isZero();
    }
}

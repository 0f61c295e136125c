package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What `nam cluster` makes of the files in its directory. The processes are this one, or have
/// ended.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalClusterTest {
    private static final String READY = "compute server 1 is ready, with 2 memory servers";

    @TempDir Path directory;

    private LocalCluster cluster;
    private final StringWriter progress = new StringWriter();

    @BeforeEach
    void make() throws Exception {
        cluster = new LocalCluster(directory);
        record("memory-0", ProcessHandle.current());
        record("compute-0", ProcessHandle.current());
        say("memory-0", "memory server 0 is ready at 127.0.0.1:20000");
    }

    private void record(String name, ProcessHandle process) throws Exception {
        Files.writeString(
                directory.resolve("processes"),
                "%s %d %s%n".formatted(name, process.pid(), process.info().startInstant().get()),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    private void say(String name, String line) throws Exception {
        Files.writeString(
                cluster.log(name),
                line + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    private @Nullable String awaitReady(boolean isKept) {
        List<LocalCluster.Started> computeServer = cluster.started().subList(1, 2);
        return ClusterCommand.awaitReady(
                cluster, computeServer, isKept, 1, new PrintWriter(progress, true));
    }

    @Test
    void aComputeServerIsWaitedForAsLongAsTheRecoveryTakes() throws Exception {
        assertThat(awaitReady(true)).startsWith("compute-0 is not ready in time");
        say(
                "memory-0",
                "nam memory-server: a memory server has died or was restarted: this one restarts with empty memory, and ..");
        assertThat(cluster.isReady(cluster.started().getFirst())).isFalse();
        say("memory-0", "replaying 7 %");
        Callable<@Nullable String> wait = () -> awaitReady(true);
        FutureTask<@Nullable String> waiting = new FutureTask<>(wait);
        Thread thread = Thread.ofPlatform().start(waiting);
        while (!progress.toString().contains("memory server 0 recovers the database, for ")) {
            assertThat(waiting.isDone()).as("longer than a second").isFalse();
            Thread.sleep(10);
        }
        assertThat(progress.toString()).contains(" s so far: replaying 7 %");
        say("compute-0", READY);
        thread.join();
        assertThat(waiting.get()).isNull();
        assertThat(awaitReady(false)).isNull();
    }

    @Test
    void theEndOfTheRecoveringMemoryServerEndsTheWait() throws Exception {
        Process ended = new ProcessBuilder("sleep", "100").start();
        record("memory-0", ended.toHandle());
        ClusterFixture.kill(ended.toHandle());
        say("memory-0", "nam memory-server: the disk is full");
        assertThat(awaitReady(true))
                .isEqualTo("memory-0 has ended: nam memory-server: the disk is full");
    }

    @Test
    void oneCommandAtATimeStartsOrEndsProcesses() throws Exception {
        String[][] commands = {
            {"cluster", "up", "--compute-servers", "0"}, {"cluster", "start"}, {"cluster", "down"}
        };
        try (FileChannel _ = Objects.requireNonNull(cluster.tryLock())) {
            for (String[] command : commands) {
                StringWriter errors = new StringWriter();
                var nam = Nam.commandLine();
                nam.setErr(new PrintWriter(errors, true));
                String[] all = List.of(command).toArray(new String[command.length + 2]);
                all[command.length] = "--directory";
                all[command.length + 1] = directory.toString();
                assertThat(nam.execute(all)).isEqualTo(1);
                assertThat(errors.toString())
                        .isEqualTo(
                                "nam cluster %s: another 'nam cluster up', 'start' or 'down' works on the cluster in %s: try again when that has ended%n"
                                        .formatted(command[1], directory));
            }
        }
        assertThat(cluster.started()).hasSize(2).allMatch(each -> each.alive().isPresent());
        try (FileChannel lock = cluster.tryLock()) {
            assertThat(lock).isNotNull();
        }
    }
}

package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.cluster.config.HostPort;

/// Two processes use the same registers over TCP, and what both have recorded is checked as one
/// history.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterHistoryTest {
    private static final String TRANSACTIONS_OF_EACH = "2000";
    private static final long MAX_SECONDS = 200;
    private static final int MAX_PAUSE_MILLIS = 60;

    @TempDir Path directory;

    @Test
    void holds() throws Exception {
        try (ClusterFixture cluster = up(1)) {
            verdict(cluster, cluster.file());
        }
    }

    /// The parts of the timestamp vector are on both servers.
    @Test
    void holdsWhileConnectionsAreCut() throws Exception {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (ClusterFixture cluster = up(2)) {
            List<CuttingProxy> proxies = new ArrayList<>();
            try {
                String text = Files.readString(cluster.file());
                for (var memory : cluster.config().memoryServers()) {
                    HostPort address = memory.address();
                    CuttingProxy proxy =
                            new CuttingProxy(
                                    address.socketAddress(), random.split(), MAX_PAUSE_MILLIS);
                    proxies.add(proxy);
                    text = text.replace(":" + address.port() + "\n", ":" + proxy.port() + "\n");
                }
                Path behindProxies = directory.resolve("behind-proxies.yaml");
                Files.writeString(behindProxies, text);
                verdict(cluster, behindProxies);
                assertThat(proxies).allMatch(proxy -> proxy.cuts() > 10);
            } finally {
                for (CuttingProxy proxy : proxies) {
                    proxy.close();
                }
            }
        }
    }

    private ClusterFixture up(int vectorServers) {
        return ClusterFixture.up(
                directory,
                "--memory=64m",
                "--compute-servers=0",
                "--vector-servers=" + vectorServers,
                "--transport=tcp");
    }

    private void verdict(ClusterFixture cluster, Path file) throws Exception {
        List<Process> processes = new ArrayList<>();
        List<String> histories = new ArrayList<>();
        for (String name : List.of("a", "b")) {
            String history = directory.resolve(name + ".jsonl").toString();
            histories.add(history);
            processes.add(
                    cluster.startNam(
                            name,
                            "history",
                            "--cluster",
                            file.toString(),
                            "--transactions",
                            TRANSACTIONS_OF_EACH,
                            "--sessions",
                            "4",
                            "--seed",
                            Integer.toString(name.hashCode()),
                            "--out",
                            history));
        }
        String errors = "";
        for (String name : List.of("a", "b")) {
            Process process = processes.removeFirst();
            assertThat(process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).as(name).isTrue();
            errors += cluster.errorsOf(name);
            assertThat(process.exitValue()).as(errors).isZero();
        }
        assertThat(errors)
                .contains("the first process on these registers")
                .contains("together with 1 other process on the same registers");
        int recorded = 0;
        for (String history : histories) {
            recorded += Files.readAllLines(Path.of(history)).size();
        }
        assertThat(recorded).as("transactions").isEqualTo(4_000);
        assertThat(cluster.nam("check", histories.get(0), histories.get(1)))
                .as(cluster::said)
                .isZero();
    }
}

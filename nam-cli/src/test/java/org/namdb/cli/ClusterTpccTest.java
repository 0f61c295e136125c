package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// TPC-C on two memory servers, by two compute servers at once: one of them loads, both run, and
/// the twelve conditions hold.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterTpccTest {
    private static final long MAX_SECONDS = 200;

    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({"tcp, 1", "tcp, 2", "shm, 2"})
    void twelveConditionsHold(String transport, int vectorServers) throws Exception {
        try (ClusterFixture cluster =
                ClusterFixture.up(
                        directory,
                        "--memory=128m",
                        "--compute-servers=0",
                        "--vector-servers=" + vectorServers,
                        "--transport=" + transport)) {
            List<Process> processes = new ArrayList<>();
            List<String> names = List.of(transport + "-0", transport + "-1");
            for (String name : names) {
                processes.add(
                        cluster.startNam(
                                name,
                                "tpcc",
                                "--cluster",
                                cluster.file().toString(),
                                "--warehouses",
                                "1",
                                "--population",
                                "2",
                                "--threads",
                                "3",
                                "--transactions",
                                "500"));
            }
            for (int number = 0; number < names.size(); number++) {
                String name = names.get(number);
                Process process = processes.get(number);
                assertThat(process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).as(name).isTrue();
                assertThat(process.exitValue()).as(() -> cluster.errorsOf(name)).isZero();
            }
            assertThat(names.stream().map(cluster::errorsOf))
                    .anyMatch(said -> said.contains("\nloaded 1 warehouse"))
                    .anyMatch(said -> said.contains("\nfound 1 warehouse"));
            assertThat(cluster.nam("tpcc", "--cluster", cluster.file().toString(), "--check"))
                    .as(cluster::said)
                    .isZero();
            assertThat(cluster.said()).contains("all twelve consistency conditions hold");
        }
    }
}

package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// YCSB by two compute servers at once: one of them loads, both run, insert records of their own
/// and find what they have inserted.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterYcsbTest {
    private static final long MAX_SECONDS = 200;

    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    void twoProcessesShareTheRecords(String transport) throws Exception {
        try (ClusterFixture cluster =
                ClusterFixture.up(
                        directory,
                        "--memory=128m",
                        "--compute-servers=0",
                        "--lease=5s",
                        "--transport=" + transport)) {
            List<Process> processes = new ArrayList<>();
            List<String> names = List.of(transport + "-d", transport + "-e");
            for (String name : names) {
                processes.add(
                        cluster.startNam(
                                name,
                                "ycsb",
                                "--cluster",
                                cluster.file().toString(),
                                "--workload",
                                name.substring(name.length() - 1),
                                "--records",
                                "2000",
                                "--threads",
                                "3",
                                "--transactions",
                                "1000"));
            }
            for (int number = 0; number < names.size(); number++) {
                String name = names.get(number);
                Process process = processes.get(number);
                assertThat(process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).as(name).isTrue();
                assertThat(process.exitValue()).as(() -> cluster.errorsOf(name)).isZero();
            }
            assertThat(names.stream().map(cluster::errorsOf))
                    .anyMatch(said -> said.contains("\nloaded 2,000 records"))
                    .anyMatch(said -> said.contains("\nfound 2,000 records"));
        }
    }
}

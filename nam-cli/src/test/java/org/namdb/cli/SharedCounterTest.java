package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The program of the page on caches, as it is printed.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedCounterTest {
    @TempDir private Path directory;

    @Test
    void twoProcessesCountTogether() throws Exception {
        String program = DocumentationTest.programs("docs/cache.md").getFirst();
        assertThat(program.lines().count()).isLessThanOrEqualTo(20);
        Path source =
                Files.writeString(
                        directory.resolve("Counter.java"),
                        """
                        import java.nio.file.Path;
                        import org.namdb.cache.selcc.*;
                        import org.namdb.compute.NamDb;

                        public class Counter {
                            public static void main(String[] arguments) {
                                %s
                            }
                        }
                        """
                                .formatted(program));
        Path where = directory.resolve("cluster");
        try (ClusterFixture cluster =
                ClusterFixture.up(where, "--memory=64m", "--compute-servers=0")) {
            String file = cluster.file().toString();
            Process first = cluster.startSource("first", source, file);
            String printed = first.inputReader().readLine();
            assertThat(printed)
                    .as(() -> cluster.errorsOf("first"))
                    .matches("the counter is at -?\\d+");
            String address = printed.substring(printed.lastIndexOf(' ') + 1);
            Process second = cluster.startSource("second", source, file, address);
            assertThat(second.inputReader().readLine())
                    .as(() -> cluster.errorsOf("second"))
                    .isEqualTo(printed);
            List<Integer> last = new ArrayList<>();
            for (Process each : List.of(first, second)) {
                String end = each.inputReader().readLine();
                assertThat(end).matches("the last one here was \\d+");
                last.add(Integer.parseInt(end.substring(end.lastIndexOf(' ') + 1)));
                assertThat(each.waitFor()).isZero();
            }
            assertThat(Collections.max(last)).isEqualTo(2_000);
        }
    }
}

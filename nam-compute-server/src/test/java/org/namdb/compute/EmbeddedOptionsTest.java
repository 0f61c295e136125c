package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterSettings;

class EmbeddedOptionsTest {
    @TempDir Path directory;

    /// ```
    /// dead   latches a tree node, and dies
    /// other  waits for the latch; the lease ends, the dead is fenced, its latch is released
    /// other  has the latch: it must not have given up before
    /// ```
    @Test
    void inAClusterALatchIsWaitedForUntilTheLeaseOfADeadHolderHasEnded() throws IOException {
        ClusterConfig config = config("30s");
        assertThat(EmbeddedOptions.DEFAULT.withCluster(config).latchWait())
                .isGreaterThan(config.membership().lease().plus(Duration.ofSeconds(30)));
    }

    private ClusterConfig config(String lease) throws IOException {
        Path file =
                Files.writeString(
                        directory.resolve("cluster.yaml"),
                        """
                        memory-servers:
                          - address: 127.0.0.1:7400
                        membership:
                          lease: %s
                        """
                                .formatted(lease));
        return ClusterSettings.read(file, Map.of(), Map.of()).config();
    }
}

package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A cluster that is started again with its data directory is where its clients look for it.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KeptPortsTest {
    private static final Pattern URL = Pattern.compile("namdb@127.0.0.1:([0-9]+)/namdb");

    @TempDir private Path directory;

    @Test
    void aDataDirectoryKeepsThePortsOfItsClients() throws Exception {
        int port = up("", 1).getFirst();
        List<Integer> two = up("", 2);
        assertThat(two).hasSize(2).first().isEqualTo(port);
        try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            List<Integer> others = up("Port " + port + ", where clients have reached compute", 2);
            assertThat(others).doesNotContain(port).last().isEqualTo(two.getLast());
        }
    }

    /// @param said what it reports besides
    /// @return the ports that it reports
    private List<Integer> up(String said, int computeServers) {
        try (ClusterFixture cluster =
                ClusterFixture.up(
                        directory.resolve("cluster"),
                        "--data=" + directory.resolve("data"),
                        "--compute-servers=" + computeServers,
                        "--memory=256m")) {
            assertThat(cluster.said()).contains(said);
            assertThat(cluster.said().contains("is taken")).isEqualTo(!said.isEmpty());
            return URL.matcher(cluster.said())
                    .results()
                    .map(found -> Integer.valueOf(found.group(1)))
                    .toList();
        }
    }
}

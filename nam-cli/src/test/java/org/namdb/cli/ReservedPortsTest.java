package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Ports for servers that listen later, while other clusters start.
class ReservedPortsTest {
    @Test
    void onlyAFreePortIsReserved() throws Exception {
        try (ReservedPorts second = new ReservedPorts(1);
                ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port;
            try (ReservedPorts first = new ReservedPorts(1)) {
                port = first.numbers().getFirst();
                assertThat(second.reserve(port)).as("another cluster's").isFalse();
            }
            assertThat(second.reserve(listening.getLocalPort())).as("a server's").isFalse();
            assertThat(second.reserve(port)).isTrue();
            assertThat(second.numbers()).hasSize(2).contains(port);
        }
    }

    @Test
    void noTwoClustersHaveTheSame() throws Exception {
        List<ReservedPorts> all = new ArrayList<>();
        List<ServerSocket> listening = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        try {
            for (int cluster = 0; cluster < 150; cluster++) {
                ReservedPorts reserved = new ReservedPorts(5);
                all.add(reserved);
                ports.addAll(reserved.numbers());
                if (cluster % 2 == 0) { // all its servers listen
                    for (int port : reserved.numbers()) {
                        listening.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
                    }
                    reserved.close();
                }
            }
            assertThat(ports).hasSize(750).doesNotHaveDuplicates();
        } finally {
            all.forEach(ReservedPorts::close);
            for (ServerSocket each : listening) {
                each.close();
            }
        }
    }
}

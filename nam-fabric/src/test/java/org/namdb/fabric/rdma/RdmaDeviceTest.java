package org.namdb.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.fabric.FabricException;

/// How a device is chosen, among those that the operating system shows in a directory.
class RdmaDeviceTest {
    private static final String LINK_LOCAL = "fe80:0000:0000:0000:5054:00ff:fe12:3456";
    private static final String UNUSED = "0000:0000:0000:0000:0000:0000:0000:0000";

    @TempDir Path devices;

    private void add(String device, int port, String... gids) throws IOException {
        Path directory = devices.resolve(device + "/ports/" + port + "/gids");
        Files.createDirectories(directory);
        for (int gid = 0; gid < gids.length; gid++) {
            Files.writeString(directory.resolve(Integer.toString(gid)), gids[gid] + "\n");
        }
    }

    private static String ipv4(String lastBytes) {
        return "0000:0000:0000:0000:0000:ffff:" + lastBytes;
    }

    private String chosen(RdmaOptions options) {
        return RdmaDevice.address(devices, options).getHostAddress();
    }

    private void assertNone(RdmaOptions options, String... words) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> chosen(options))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.SYSTEM))
                .withMessageContainingAll(words);
    }

    @Test
    void theFirstDeviceWithAnIpv4AddressIsChosen() throws IOException {
        add("mlx5_0", 1, LINK_LOCAL, UNUSED);
        add("mlx5_1", 1, LINK_LOCAL, UNUSED, ipv4("0a09:0001"), ipv4("0a09:0002"));
        assertThat(chosen(RdmaOptions.DEFAULT)).isEqualTo("10.9.0.1");
    }

    @Test
    void aDeviceIsChosenByNamePortAndGid() throws IOException {
        add("rxe0", 1, ipv4("0a09:0001"));
        add("rxe1", 1, ipv4("0a09:0101"));
        add("rxe1", 2, ipv4("0a09:0201"), ipv4("c0a8:ff02"));
        assertThat(chosen(RdmaOptions.DEFAULT.withDevice("rxe1"))).isEqualTo("10.9.1.1");
        RdmaOptions options = new RdmaOptions("rxe1", 2, 1, 1 << 14, 8, 1 << 20, 1_000_000_000);
        assertThat(chosen(options)).isEqualTo("192.168.255.2");
    }

    @Test
    void whereThereIsNoneItSaysWhatToDo() throws IOException {
        assertNone(RdmaOptions.DEFAULT, "no RDMA device", "rdma link add");
        add("rxe0", 1, LINK_LOCAL);
        assertNone(RdmaOptions.DEFAULT, "port 1 of RDMA device rxe0", "no IPv4 address");
        assertNone(RdmaOptions.DEFAULT.withDevice("rxe7"), "no RDMA device rxe7", "only rxe0");
        devices = devices.resolve("missing");
        assertNone(RdmaOptions.DEFAULT, "no RDMA device");
    }
}

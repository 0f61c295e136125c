package org.namdb.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
        return new RdmaDevice(devices).connecting(options, null).getHostAddress();
    }

    private static InetAddress address(String text) {
        return InetAddress.ofLiteral(text);
    }

    private static void assertNone(ThrowingCallable choice, String... words) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(choice)
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
        assertThat(chosen(RdmaOptions.DEFAULT.withDevice("rxe1", 0, -1))).isEqualTo("10.9.1.1");
        assertThat(chosen(RdmaOptions.DEFAULT.withDevice("rxe1", 2, 1))).isEqualTo("192.168.255.2");
        assertThat(chosen(RdmaOptions.DEFAULT.withDevice(null, 2, -1))).isEqualTo("10.9.2.1");
    }

    @Test
    void aComputeServerConnectsFromTheAddressThatLeadsToTheMemoryServers() throws IOException {
        add("rxe0", 1, ipv4("0a09:0001"));
        add("rxe1", 2, LINK_LOCAL, ipv4("0a09:0101"));
        RdmaDevice device = new RdmaDevice(devices);
        assertThat(device.connecting(RdmaOptions.DEFAULT, address("10.9.1.1")))
                .isEqualTo(address("10.9.1.1"));
        assertThat(device.connecting(RdmaOptions.DEFAULT, address("192.0.2.1")))
                .isEqualTo(address("10.9.0.1"));
    }

    @Test
    void aMemoryServerListensOnTheDeviceThatHasItsAddress() throws IOException {
        add("rxe0", 1, ipv4("0a09:0001"));
        add("rxe1", 1, LINK_LOCAL, ipv4("0a09:0101"));
        RdmaDevice device = new RdmaDevice(devices);
        InetSocketAddress wanted = new InetSocketAddress(address("10.9.1.1"), 7400);
        assertThat(device.listening(RdmaOptions.DEFAULT, wanted)).isEqualTo(address("10.9.1.1"));
        assertNone(
                () -> device.listening(RdmaOptions.DEFAULT.withDevice("rxe0", 0, -1), wanted),
                "no RDMA device has the address 10.9.1.1",
                "the addresses are 10.9.0.1");
        assertNone(
                () ->
                        device.listening(
                                RdmaOptions.DEFAULT,
                                InetSocketAddress.createUnresolved("nowhere.invalid", 7400)),
                "no RDMA device has the address nowhere.invalid");
    }

    @Test
    void withoutADeviceTheErrorSuggestsAFix() throws IOException {
        RdmaOptions any = RdmaOptions.DEFAULT;
        assertNone(() -> chosen(any), "no RDMA device", "rdma link add");
        add("rxe0", 1, LINK_LOCAL);
        assertNone(() -> chosen(any), "no port of RDMA device rxe0", "has an IPv4 address:");
        assertNone(
                () -> chosen(any.withDevice(null, 2, 1)),
                "no port 2 of RDMA device rxe0",
                "has an IPv4 address at GID 1:");
        assertNone(() -> chosen(any.withDevice("rxe7", 0, -1)), "no RDMA device rxe7", "only rxe0");
        devices = devices.resolve("missing");
        assertNone(() -> chosen(any), "no RDMA device");
    }
}

package org.namdb.fabric.rdma;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;

/// Chooses a device, and says by which IPv4 address connections are made over it: that of the GID,
/// which for Ethernet holds it in its last four bytes.
final class RdmaDevice {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final byte[] IPV4_PREFIX = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};
    private static final int MOST_GIDS = 256;

    private final Path devices;

    private RdmaDevice(Path devices) {
        this.devices = devices;
    }

    /// The names of this machine's devices.
    static List<String> names() {
        return new RdmaDevice(DEVICES).list();
    }

    /// The address of the device that the options choose.
    ///
    /// @throws FabricException if there is none
    static Inet4Address address(RdmaOptions options) {
        return address(DEVICES, options);
    }

    static Inet4Address address(Path devices, RdmaOptions options) {
        return new RdmaDevice(devices).choose(options);
    }

    private List<String> list() {
        if (!Files.isDirectory(devices)) {
            return List.of();
        }
        try (Stream<Path> found = Files.list(devices)) {
            return found.map(device -> device.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "can't read " + devices + ": " + e.getMessage(),
                    e);
        }
    }

    private Inet4Address choose(RdmaOptions options) {
        List<String> names = list();
        String wanted = options.device();
        if (names.isEmpty()) {
            throw none(
                    "this machine has no RDMA device ("
                            + devices
                            + " is empty): install a card's driver, or make a device from an"
                            + " Ethernet card by `rdma link add rxe0 type rxe netdev eth0`");
        }
        if (wanted != null && !names.contains(wanted)) {
            throw none("there is no RDMA device " + wanted + ", only " + String.join(", ", names));
        }
        List<String> tried = wanted == null ? names : List.of(wanted);
        for (String name : tried) {
            Inet4Address address = address(name, options);
            if (address != null) {
                return address;
            }
        }
        throw none(
                "port "
                        + options.port()
                        + " of RDMA device "
                        + String.join(", ", tried)
                        + " has no IPv4 address"
                        + (options.gid() < 0 ? "" : " at GID " + options.gid())
                        + ": give its network interface one, or choose another port or GID");
    }

    private @Nullable Inet4Address address(String name, RdmaOptions options) {
        Path gids = devices.resolve(name).resolve("ports/" + options.port() + "/gids");
        int first = Math.max(options.gid(), 0);
        int end = options.gid() < 0 ? MOST_GIDS : first + 1;
        for (int gid = first; gid < end; gid++) {
            Inet4Address address = address(gids.resolve(Integer.toString(gid)));
            if (address != null) {
                return address;
            }
        }
        return null;
    }

    private static @Nullable Inet4Address address(Path gid) {
        try {
            byte[] bytes = HexFormat.of().parseHex(Files.readString(gid).strip().replace(":", ""));
            boolean isIpv4 = bytes.length == 16;
            for (int i = 0; i < IPV4_PREFIX.length && isIpv4; i++) {
                isIpv4 = bytes[i] == IPV4_PREFIX[i];
            }
            return isIpv4 ? ipv4(bytes) : null;
        } catch (IOException | IllegalArgumentException _) {
            return null; // no such GID: a port has as many as it likes
        }
    }

    private static Inet4Address ipv4(byte[] gid) throws UnknownHostException {
        byte[] address = {gid[12], gid[13], gid[14], gid[15]};
        return (Inet4Address) InetAddress.getByAddress(address);
    }

    private static FabricException none(String why) {
        return new FabricException(FabricException.Kind.SYSTEM, why);
    }
}

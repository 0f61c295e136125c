package org.namdb.fabric.rdma;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;

/// Chooses among the addresses of this machine's devices: a device's GIDs, of which those for
/// Ethernet hold an IPv4 address in their last four bytes. Connections are made by address, so it
/// chooses the device, too.
final class RdmaDevice {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final byte[] IPV4_PREFIX = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};
    private static final int MAX_GIDS = 256;

    private final Path devices;

    RdmaDevice(Path devices) {
        this.devices = devices;
    }

    /// Those of this machine.
    static RdmaDevice ofMachine() {
        return new RdmaDevice(DEVICES);
    }

    /// The address by which a memory server listens.
    ///
    /// @param wanted where it shall
    /// @throws FabricException if no device that the options allow has it
    Inet4Address listening(RdmaOptions options, InetSocketAddress wanted) {
        Set<Inet4Address> found = addresses(options);
        for (Inet4Address each : found) {
            if (each.equals(wanted.getAddress())) {
                return each;
            }
        }
        throw none(
                "no RDMA device has the address "
                        + (wanted.isUnresolved()
                                ? wanted.getHostString()
                                : text(wanted.getAddress()))
                        + " that a memory server shall listen on: the addresses are "
                        + found.stream().map(RdmaDevice::text).collect(Collectors.joining(", ")));
    }

    /// The address from which a compute server connects.
    ///
    /// @param from that from which this machine would send to the memory servers; null if it is
    ///     unknown
    /// @return it, if a device that the options allow has it, else the first of one
    /// @throws FabricException if there is none
    Inet4Address connecting(RdmaOptions options, @Nullable InetAddress from) {
        Set<Inet4Address> found = addresses(options);
        for (Inet4Address each : found) {
            if (each.equals(from)) {
                return each;
            }
        }
        return found.iterator().next();
    }

    private static String text(InetAddress address) {
        return address.getHostAddress();
    }

    /// The names of the devices.
    List<String> names() {
        return list(devices);
    }

    private static List<String> list(Path directory) {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> found = Files.list(directory)) {
            return found.map(each -> each.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "can't read " + directory + ": " + e.getMessage(),
                    e);
        }
    }

    /// At least one.
    private Set<Inet4Address> addresses(RdmaOptions options) {
        List<String> names = names();
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
        List<String> allowed = wanted == null ? names : List.of(wanted);
        Set<Inet4Address> found = new LinkedHashSet<>();
        for (String name : allowed) {
            addAddresses(devices.resolve(name).resolve("ports"), options, found);
        }
        if (found.isEmpty()) {
            throw none(
                    (options.port() == 0 ? "no port" : "no port " + options.port())
                            + " of RDMA device "
                            + String.join(", ", allowed)
                            + " has an IPv4 address"
                            + (options.gid() < 0 ? "" : " at GID " + options.gid())
                            + ": give its network interface one, or choose another device, port or"
                            + " GID");
        }
        return found;
    }

    private static void addAddresses(Path ports, RdmaOptions options, Set<Inet4Address> found) {
        List<String> allowed =
                options.port() == 0 ? list(ports) : List.of(Integer.toString(options.port()));
        int first = Math.max(options.gid(), 0);
        int end = options.gid() < 0 ? MAX_GIDS : first + 1;
        for (String port : allowed) {
            for (int gid = first; gid < end; gid++) {
                Inet4Address address = address(ports.resolve(port + "/gids/" + gid));
                if (address != null) {
                    found.add(address);
                }
            }
        }
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

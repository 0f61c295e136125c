package org.namdb.cluster.transport;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterLibrary;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.config.Transport;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.tcp.TcpPeerOptions;
import org.namdb.fabric.peer.tcp.TcpPeers;
import org.namdb.fabric.rdma.RdmaComputeFabric;
import org.namdb.fabric.tcp.TcpClientOptions;
import org.namdb.fabric.tcp.TcpComputeFabric;
import org.namdb.fabric.tcp.TcpStatistics;

/// A compute server's side.
public final class ComputeTransport {
    private ComputeTransport() {}

    /// Connects to all memory servers; over RDMA, when they are first needed.
    ///
    /// @throws org.namdb.cluster.config.ConfigException if the token can't be read
    /// @throws org.namdb.fabric.FabricException if one of them can't be reached now
    public static ComputeFabric connect(ClusterConfig config) {
        return connect(config, config.transport() != Transport.TCP);
    }

    /// The same for work that no other process fences: it may map the memory of this machine.
    public static ComputeFabric connectToRecover(ClusterConfig config) {
        return connect(config, true);
    }

    /// Connects to one memory server, whatever the others do, and maps nothing.
    public static ComputeFabric connectTo(ClusterConfig config, int number) {
        return connect(config, List.of(config.memoryServers().get(number)), false);
    }

    private static ComputeFabric connect(ClusterConfig config, boolean mapsRegions) {
        return connect(config, config.memoryServers(), mapsRegions);
    }

    private static ComputeFabric connect(
            ClusterConfig config, List<ClusterConfig.Memory> servers, boolean mapsRegions) {
        List<InetSocketAddress> addresses =
                servers.stream()
                        .map(ClusterConfig.Memory::address)
                        .map(HostPort::socketAddress)
                        .toList();
        if (config.transport() == Transport.RDMA) {
            ClusterLibrary.require("transport: rdma", "com.ibm.disni.verbs.impl.NativeVerbs");
            return new RdmaComputeFabric(addresses, config.rdma().withToken(Token.read(config)));
        }
        TcpClientOptions options =
                TcpClientOptions.DEFAULT
                        .withToken(Token.read(config))
                        .withTls(config.security().tls())
                        .withMappedRegions(mapsRegions);
        return TcpComputeFabric.connect(addresses, options);
    }

    /// Listens for the other compute servers.
    ///
    /// @param process this compute server's number
    /// @param addresses says where one of them listens; null if there is no such one
    /// @return null if the configuration says of no address
    /// @throws org.namdb.fabric.FabricException if it can't listen there
    public static @Nullable TcpPeers listen(
            ClusterConfig config, int process, IntFunction<@Nullable InetSocketAddress> addresses) {
        HostPort address = config.compute().peers();
        if (address == null) {
            return null;
        }
        TcpPeerOptions options =
                TcpPeerOptions.LOOPBACK
                        .withToken(Token.read(config))
                        .withTls(config.security().tls())
                        .withAddress(address.socketAddress());
        return new TcpPeers(process, options, addresses);
    }

    /// Checks whether all regions are reached as the configuration requires.
    ///
    /// @throws ConfigException if one is not
    public static void check(ClusterConfig config, ComputeFabric fabric, List<Region> regions) {
        for (Region region : regions) {
            if (config.transport() == Transport.SHM && !isMapped(fabric, region.server())) {
                throw new ConfigException(
                        ("transport: shm: the memory of memory server %d can't be mapped; give it"
                                        + " a memory-servers[].directory that is this process's,"
                                        + " too, or choose another transport")
                                .formatted(region.server()));
            }
        }
    }

    /// Whether verbs to a memory server go to its memory itself.
    public static boolean isMapped(ComputeFabric fabric, int server) {
        return fabric instanceof TcpComputeFabric tcp && tcp.isMapped(server);
    }

    /// How many verbs of all compute servers a memory server has done; empty where it can't count
    /// them, as those that its network card does.
    public static OptionalLong verbs(ComputeFabric fabric, int server) {
        if (!(fabric instanceof TcpComputeFabric tcp)) {
            return OptionalLong.empty();
        }
        TcpStatistics done = tcp.statistics(server);
        return OptionalLong.of(done.verbs() + done.mappedVerbs());
    }
}

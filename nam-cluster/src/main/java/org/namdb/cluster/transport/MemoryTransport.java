package org.namdb.cluster.transport;

import java.net.InetSocketAddress;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.config.Transport;
import org.namdb.fabric.MemoryFabric;
import org.namdb.fabric.rdma.RdmaMemoryFabric;
import org.namdb.fabric.tcp.TcpMemoryFabric;
import org.namdb.fabric.tcp.TcpServerOptions;

/// A memory server's side.
///
/// @param fabric closed by the caller that opens it
/// @param address where it listens
public record MemoryTransport(MemoryFabric fabric, HostPort address) {
    /// Opens it; it listens from now on.
    ///
    /// @throws ConfigException if the configuration does not allow it
    /// @throws org.namdb.fabric.FabricException if the operating system does not
    public static MemoryTransport open(ClusterConfig config, int number) {
        ClusterConfig.Memory server = config.memoryServers().get(number);
        InetSocketAddress address = server.address().socketAddress();
        if (address.isUnresolved()) {
            throw new ConfigException(
                    "memory-servers[%d].address: there is no host %s"
                            .formatted(number, server.address().host()));
        }
        return config.transport() == Transport.RDMA
                ? overRdma(config, number, address)
                : overTcp(config, number, address);
    }

    /// By cards alone: their atomics are none with respect to those that a processor does for TCP.
    private static MemoryTransport overRdma(
            ClusterConfig config, int number, InetSocketAddress address) {
        ClusterConfig.Memory server = config.memoryServers().get(number);
        String token = Token.read(config);
        if (token.isEmpty() && !address.getAddress().isLoopbackAddress()) {
            throw new ConfigException(
                    ("memory-servers[%d].address: %s is open to other machines: a memory server"
                                    + " listens there for RDMA only with a token"
                                    + " (security.token-file)")
                            .formatted(number, server.address()));
        }
        RdmaMemoryFabric fabric =
                new RdmaMemoryFabric(address, server.directory(), config.rdma().withToken(token));
        return new MemoryTransport(
                fabric, new HostPort(server.address().host(), fabric.address().getPort()));
    }

    private static MemoryTransport overTcp(
            ClusterConfig config, int number, InetSocketAddress address) {
        ClusterConfig.Memory server = config.memoryServers().get(number);
        TcpServerOptions options;
        try {
            options =
                    new TcpServerOptions(
                            address,
                            Token.read(config),
                            config.security().tls(),
                            server.directory(),
                            server.workers());
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                    "memory-servers[%d].address: %s (security.token-file, security.tls)"
                            .formatted(number, e.getMessage()));
        }
        TcpMemoryFabric fabric = new TcpMemoryFabric(options);
        return new MemoryTransport(
                fabric, new HostPort(server.address().host(), fabric.address().getPort()));
    }
}

package org.namdb.cluster.transport;

import java.net.InetSocketAddress;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.config.HostPort;
import org.namdb.fabric.MemoryFabric;
import org.namdb.fabric.tcp.TcpMemoryFabric;
import org.namdb.fabric.tcp.TcpServerOptions;

/// A memory server's side.
///
/// @param fabric whoever opens it closes it
/// @param address where it listens
public record MemoryTransport(MemoryFabric fabric, HostPort address) {
    /// Opens it; it listens from now on.
    ///
    /// @throws ConfigException if the configuration does not allow it
    /// @throws org.namdb.fabric.FabricException if the operating system does not
    public static MemoryTransport open(ClusterConfig config, int number) {
        ClusterConfig.Memory server = config.memoryServers().get(number);
        InetSocketAddress address = server.address().socketAddress();
        TcpServerOptions options;
        try {
            options =
                    new TcpServerOptions(
                            address,
                            Token.read(config),
                            config.security().tls(),
                            server.directory());
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

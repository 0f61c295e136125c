package org.namdb.cluster.transport;

import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.HostPort;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.tcp.TcpClientOptions;
import org.namdb.fabric.tcp.TcpComputeFabric;

/// A compute server's side.
public final class ComputeTransport {
    private ComputeTransport() {}

    /// Connects to all memory servers.
    ///
    /// @throws org.namdb.cluster.config.ConfigException if the token can't be read
    /// @throws org.namdb.fabric.FabricException if one of them can't be reached now
    public static ComputeFabric connect(ClusterConfig config) {
        TcpClientOptions options = TcpClientOptions.DEFAULT.withToken(Token.read(config));
        return TcpComputeFabric.connect(
                config.memoryServers().stream()
                        .map(ClusterConfig.Memory::address)
                        .map(HostPort::socketAddress)
                        .toList(),
                options);
    }

    /// How many verbs of all compute servers a memory server has done.
    public static long verbs(ComputeFabric fabric, int server) {
        return fabric instanceof TcpComputeFabric tcp ? tcp.statistics(server).verbs() : 0;
    }
}

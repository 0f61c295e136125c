package org.namdb.compute.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.transport.ComputeTransport;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ServerUsage;

/// What one memory server does, whatever the others do.
///
/// @param usage null if it has no memory yet, or can't be reached
/// @param failure why it can't be reached; null if it can
public record MemoryServerState(
        int number, HostPort address, @Nullable ServerUsage usage, @Nullable String failure) {
    /// Requests the states of all at once: a silent one delays the reply by the connection's
    /// timeout, once.
    ///
    /// @throws FabricException if this machine can't reach any, as it has no RDMA device
    public static List<MemoryServerState> readAll(ClusterConfig config) {
        List<CompletableFuture<MemoryServerState>> states = new ArrayList<>();
        for (int number = 0; number < config.memoryServers().size(); number++) {
            int each = number;
            states.add(
                    CompletableFuture.supplyAsync(
                            () -> read(config, each),
                            task -> Host.MACHINE.start("memory-server-" + each, task)));
        }
        try {
            return states.stream().map(CompletableFuture::join).toList();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private static MemoryServerState read(ClusterConfig config, int number) {
        HostPort address = config.memoryServers().get(number).address();
        try (ComputeFabric fabric = ComputeTransport.connectTo(config, number)) {
            List<Region> regions = fabric.regions();
            if (regions.isEmpty()) {
                return new MemoryServerState(number, address, null, null);
            }
            try (QueuePair queuePair = fabric.connect(regions)) {
                ServerUsage usage = new MemoryClient(queuePair, number + 1).usage(number);
                return new MemoryServerState(number, address, usage, null);
            }
        } catch (FabricException e) {
            if (e.kind() == FabricException.Kind.SYSTEM) {
                throw e; // what this machine lacks, as an RDMA device
            }
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return new MemoryServerState(number, address, null, String.valueOf(cause.getMessage()));
        }
    }
}

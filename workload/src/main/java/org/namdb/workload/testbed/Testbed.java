package org.namdb.workload.testbed;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterDurability;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.config.Transport;
import org.namdb.cluster.transport.ComputeTransport;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.RetryPolicy;
import org.namdb.compute.cluster.MemoryServers;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.rdma.RdmaOptions;
import org.namdb.memory.process.MemoryProcess;

/// Memory servers with an empty database, each with its own network, workers and cable, and compute
/// servers of it, all in this process: what a compute server sends goes by TCP over a cable of some
/// length, or over none. Nothing outlasts it.
public final class Testbed implements AutoCloseable {
    private static final String HERE = "127.0.0.1";
    private static final Duration MAX_TRANSACTION_TIME = Duration.ofSeconds(60);
    private static final Duration WAIT = Duration.ofSeconds(10);
    private static final Duration MAINTENANCE_INTERVAL = Duration.ofMillis(20);

    private final List<MemoryProcess> servers = new ArrayList<>();
    private final List<LongCable> cables = new ArrayList<>();
    private final long serverBytes;
    private final int slots;
    private final CabledPeers peers;

    /// Starts memory servers.
    ///
    /// @param serverBytes the memory of each, which is taken as it is used
    /// @param slots how many sessions there can be at once
    /// @param delay the time from one end of a cable to the other
    /// @throws IOException if a port can't be had
    public Testbed(int memoryServers, long serverBytes, int slots, Duration delay)
            throws IOException {
        this.serverBytes = serverBytes;
        this.slots = slots;
        this.peers = new CabledPeers(delay);
        boolean isWhole = false;
        try {
            ClusterConfig config = config(Collections.nCopies(memoryServers, 0));
            for (int number = 0; number < memoryServers; number++) {
                MemoryProcess server = MemoryProcess.start(config, number);
                servers.add(server);
                cables.add(LongCable.lay(0, server.address().socketAddress(), delay));
            }
            isWhole = true;
        } finally {
            if (!isWhole) {
                close();
            }
        }
    }

    /// A compute server, which no other one monitors.
    ///
    /// @param fabric its own
    public record ComputeServer(NamDb db, ComputeFabric fabric) implements AutoCloseable {
        @Override
        public void close() {
            try (fabric) {
                db.close();
            }
        }
    }

    /// Connects a compute server. The caller closes it.
    ///
    /// @param staleness how old snapshots may be
    /// @param near how many of the memory servers, from number 0 on, it reaches without a cable
    public ComputeServer connect(Duration staleness, int near) {
        return connect(options -> options.withStaleness(staleness), near, null);
    }

    private ComputeServer connect(
            UnaryOperator<EmbeddedOptions> change,
            int near,
            @Nullable IntFunction<PeerFabric> opensPeers) {
        List<Integer> ports = new ArrayList<>();
        for (int number = 0; number < servers.size(); number++) {
            ports.add(
                    number < near
                            ? servers.get(number).address().port()
                            : cables.get(number).port());
        }
        ClusterConfig config = config(ports);
        EmbeddedOptions options =
                change.apply(
                        EmbeddedOptions.DEFAULT
                                .withCluster(config)
                                .withMemoryServers(servers.size())
                                .withMemoryBytes(serverBytes * servers.size())
                                .withSlots(slots)
                                .withMaxTransactionTime(MAX_TRANSACTION_TIME)
                                .withRetryPolicy(RetryPolicy.NETWORK));
        MemoryServers found =
                MemoryServers.await(
                        config,
                        () -> ComputeTransport.connect(config),
                        true,
                        options.host(),
                        _ -> {});
        boolean isOpen = false;
        try {
            NamDb db =
                    opensPeers == null
                            ? AttachedDatabase.open(options, found.fabric(), found.regions())
                            : AttachedDatabase.open(
                                    options, found.fabric(), found.regions(), opensPeers);
            isOpen = true;
            return new ComputeServer(db, found.fabric());
        } finally {
            if (!isOpen) {
                found.fabric().close();
            }
        }
    }

    /// Connects a compute server that shares cached lines with all others that are connected so.
    /// The caller closes it.
    ///
    /// @param lines of its cache, whose lines are as long as those of the others
    /// @param isNear whether it has no cable between itself and memory servers; the others reach it
    ///     by one in any case
    public ComputeServer connect(LineCacheOptions lines, boolean isNear) {
        return connect(
                options -> options.withLines(lines), isNear ? servers.size() : 0, peers::join);
    }

    /// One that has no cable between itself and any memory server.
    public ComputeServer connectNear() {
        return connect(Duration.ZERO, servers.size());
    }

    private ClusterConfig config(List<Integer> ports) {
        return new ClusterConfig(
                "testbed",
                ports.stream()
                        .map(port ->
                                new ClusterConfig.Memory(
                                        new HostPort(HERE, port), serverBytes, null, 1))
                        .toList(),
                slots,
                1,
                false,
                ClusterDurability.SYNC,
                MAX_TRANSACTION_TIME,
                Transport.TCP,
                RdmaOptions.DEFAULT,
                ClusterConfig.Security.NONE,
                new ClusterConfig.Membership(List.of(), WAIT),
                new ClusterConfig.Compute(
                        1, MAINTENANCE_INTERVAL, WAIT, WAIT, null, ClusterConfig.Lines.DEFAULT),
                ClusterConfig.Sql.NONE);
    }

    @Override
    public void close() {
        FirstFailure failures = new FirstFailure();
        failures.attempt(peers::close);
        for (LongCable cable : cables) {
            failures.attempt(() -> CabledPeers.close(cable));
        }
        for (MemoryProcess server : servers) {
            failures.attempt(server::close);
        }
        failures.rethrow();
    }
}

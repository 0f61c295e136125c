package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import org.namdb.compute.maintenance.MaintenanceThread;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.timestamp.TimestampVectorLayout;

/// The memory servers of an embedded database, in this process, on a fabric of its own: the one
/// place of a compute server that knows both sides of a fabric.
final class EmbeddedServers {
    private final Fabric fabric;
    private final List<MemoryServer> servers;

    private EmbeddedServers(Fabric fabric, List<MemoryServer> servers) {
        this.fabric = fabric;
        this.servers = servers;
    }

    /// Starts them, with an empty database.
    ///
    /// @throws org.namdb.fabric.FabricException if the operating system refuses the memory
    static EmbeddedServers start(EmbeddedOptions options) {
        EmbeddedServers started = new EmbeddedServers(options.fabric().get(), new ArrayList<>());
        try {
            started.makeDatabase(options);
            return started;
        } catch (Throwable e) {
            FirstFailure failures = new FirstFailure();
            failures.add(e);
            started.close(failures);
            throw e;
        }
    }

    private void makeDatabase(EmbeddedOptions options) {
        int slots = options.slots() + Sessions.RESERVED;
        slots += MaintenanceThread.SLOTS + Oracles.slots(options);
        slots += options.journal() == null ? 0 : Checkpointer.SLOTS;
        long perServer = options.memoryBytes() / options.memoryServers() & -4096;
        TimestampVectorLayout vector = DatabaseLayout.vector(slots, options.vectorServers());
        int ringBytes = options.replicatedCommits() ? ImageRings.DEFAULT_BYTES : 0;
        for (int number = 0; number < options.memoryServers(); number++) {
            long reserved =
                    DatabaseLayout.reservedBytes(
                            number, vector, options.memoryServers(), ringBytes);
            servers.add(new MemoryServer(fabric, number, perServer, reserved));
        }
        try (QueuePair queuePair = fabric.connect(regions())) {
            DatabaseLayout.formatImageRings(queuePair, ringBytes);
            vector.format(queuePair, options.maxTransactionTime().toNanos());
        }
    }

    Fabric fabric() {
        return fabric;
    }

    /// The servers' regions, by number.
    List<Region> regions() {
        return servers.stream().map(MemoryServer::region).toList();
    }

    /// Ends them and frees their memory.
    void close(FirstFailure failures) {
        servers.forEach(server -> failures.attempt(server::close));
        failures.attempt(fabric::close);
    }
}

package org.namdb.tpcc.driver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;

/// Two memory servers with an empty database, which any number of compute servers attach to. READs
/// land in buffers, as with a network.
final class SharedDatabase implements AutoCloseable {
    private static final int SLOTS = 64;
    private static final int SERVER_BYTES = 64 << 20;

    private final Fabric fabric;
    private final List<MemoryServer> servers = new ArrayList<>();
    private final List<Region> regions;
    private final LocalPeers peers = new LocalPeers();

    SharedDatabase() {
        this(new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false)));
    }

    /// On another fabric, which is closed with it.
    SharedDatabase(Fabric fabric) {
        this.fabric = fabric;
        for (int number = 0; number < 2; number++) {
            servers.add(
                    new MemoryServer(
                            fabric,
                            number,
                            SERVER_BYTES,
                            DatabaseLayout.reservedBytes(number, SLOTS)));
        }
        regions = servers.stream().map(MemoryServer::region).toList();
        DatabaseLayout.format(fabric, regions, SLOTS, Duration.ofMinutes(10));
    }

    /// Another compute server.
    NamDb attach() {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(servers.size())
                        .withMemoryBytes((long) servers.size() * SERVER_BYTES)
                        .withSlots(24)
                        .withExecutionThreads(1);
        return AttachedDatabase.open(options, fabric, regions);
    }

    /// Another one, which shares cached lines with all others that are attached so.
    NamDb attachWithLines() {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(servers.size())
                        .withMemoryBytes((long) servers.size() * SERVER_BYTES)
                        .withSlots(24)
                        .withExecutionThreads(1)
                        .withLines(LineCacheOptions.DEFAULT.withFrames(4_000));
        return AttachedDatabase.open(
                options, fabric, regions, process -> peers.join(process, Host.MACHINE));
    }

    @Override
    public void close() {
        servers.forEach(MemoryServer::close);
        fabric.close();
    }
}

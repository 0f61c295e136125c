package org.namdb.compute.guard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.fabric.Host;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;

/// Two memory servers whose READs land, and compute servers that reach each other, all in this
/// process.
public final class AttachedServers implements AutoCloseable {
    private static final int SERVERS = 2;
    private static final int SLOTS = 32;
    private static final EmbeddedOptions OPTIONS =
            EmbeddedOptions.DEFAULT
                    .withMemoryServers(SERVERS)
                    .withMemoryBytes(SERVERS * (32L << 20))
                    .withSlots(SLOTS)
                    .withExecutionThreads(1)
                    .withLatchWait(Duration.ofSeconds(1));

    private final ShmFabric fabric =
            new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
    private final List<Region> regions = new ArrayList<>();
    private final LocalPeers peers = new LocalPeers();
    private final List<NamDb> open = new ArrayList<>();

    public AttachedServers() {
        for (int server = 0; server < SERVERS; server++) {
            long reserved = DatabaseLayout.reservedBytes(server, DatabaseLayout.vector(2 * SLOTS));
            regions.add(new MemoryServer(fabric, server, 32L << 20, reserved).region());
        }
        DatabaseLayout.format(fabric, regions, 2 * SLOTS, Duration.ofSeconds(60));
    }

    /// A compute server that reaches the others.
    public NamDb join() {
        NamDb db =
                AttachedDatabase.open(
                        OPTIONS, fabric, regions, process -> peers.join(process, Host.MACHINE));
        open.add(db);
        return db;
    }

    /// One that does not.
    public NamDb joinAlone() {
        NamDb db = AttachedDatabase.open(OPTIONS, fabric, regions);
        open.add(db);
        return db;
    }

    @Override
    public void close() {
        open.reversed().forEach(NamDb::close);
        fabric.close();
    }
}

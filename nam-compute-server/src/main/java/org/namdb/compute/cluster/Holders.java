package org.namdb.compute.cluster;

import java.util.Set;
import org.namdb.cache.selcc.LineCache;
import org.namdb.compute.schema.SchemaLeases;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ServerUsage;
import org.namdb.timestamp.SlotOwners;
import org.namdb.timestamp.TimestampVectorLayout;

/// Reads from memory which compute servers hold something that others would wait for. Used by one
/// thread at a time.
public final class Holders implements AutoCloseable {
    private final QueuePair queuePair;
    private final TimestampVectorLayout vector;
    private final MemoryClient client;
    private final boolean withLines;

    /// @param servers how many memory servers there are
    /// @param withLines whether those that have cached lines hold something, too: the caller can
    ///     clear them away
    public Holders(
            QueuePair queuePair, TimestampVectorLayout vector, int servers, boolean withLines) {
        this.withLines = withLines;
        this.queuePair = queuePair;
        this.vector = vector;
        this.client = new MemoryClient(queuePair, servers);
    }

    /// Requests a reply of each memory server: where its memory is mapped, verbs go on without it.
    ///
    /// @throws org.namdb.fabric.FabricException if one does not give it
    public void requireServers() {
        for (int server = 0; server < client.servers(); server++) {
            ServerUsage _ = client.usage(server);
        }
    }

    /// Their numbers.
    Set<Integer> read() {
        Set<Integer> holders = SchemaLeases.holders(queuePair, vector.schemaEpoch());
        SlotOwners owners = new SlotOwners(vector, queuePair);
        for (long word : owners.read()) {
            if (word != 0) {
                holders.add(SlotOwners.process(SlotOwners.holder(word)));
            }
        }
        if (withLines) {
            holders.addAll(LineCache.holders(queuePair));
        }
        long recoverer = owners.recoverer();
        if (recoverer != 0) {
            holders.add(SlotOwners.process(recoverer));
        }
        return holders;
    }

    @Override
    public void close() {
        queuePair.close();
    }
}

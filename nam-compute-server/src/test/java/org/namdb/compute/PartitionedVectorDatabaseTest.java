package org.namdb.compute;

import org.namdb.fabric.shm.ShmFabric;

/// The slots of the timestamp vector on three memory servers.
class PartitionedVectorDatabaseTest extends DatabaseContract {
    @Override
    EmbeddedOptions options() {
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(3)
                .withVectorServers(3)
                .withFabric(() -> new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false)));
    }
}

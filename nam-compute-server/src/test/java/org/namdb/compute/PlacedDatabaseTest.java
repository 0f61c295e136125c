package org.namdb.compute;

import org.namdb.fabric.shm.ShmFabric;

/// Tables that lie on some of the memory servers.
class PlacedDatabaseTest extends DatabaseContract {
    @Override
    EmbeddedOptions options() {
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(4)
                .withFabric(() -> new ShmFabric(ShmFabric.Options.DEFAULT));
    }

    @Override
    int[] servers() {
        return new int[] {3, 1};
    }
}

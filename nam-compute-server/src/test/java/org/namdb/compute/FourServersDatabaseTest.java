package org.namdb.compute;

import org.namdb.fabric.shm.ShmFabric;

/// Four memory servers, and old-version buffers of one place.
class FourServersDatabaseTest extends DatabaseContract {
    @Override
    EmbeddedOptions options() {
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(4)
                .withFabric(() -> new ShmFabric(ShmFabric.Options.DEFAULT));
    }

    @Override
    int versions() {
        return 1;
    }
}

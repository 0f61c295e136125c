package org.namdb.compute;

import org.namdb.fabric.shm.ShmFabric;

/// Four memory servers.
class FourServersSchemaTest extends SchemaContract {
    @Override
    EmbeddedOptions options() {
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(4)
                .withFabric(() -> new ShmFabric(ShmFabric.Options.DEFAULT));
    }
}

package org.namdb.compute;

import org.namdb.fabric.shm.ShmFabric;

/// Records are read where they are.
class InPlaceSchemaTest extends SchemaContract {
    @Override
    EmbeddedOptions options() {
        return EmbeddedOptions.DEFAULT.withFabric(() -> new ShmFabric(ShmFabric.Options.DEFAULT));
    }
}

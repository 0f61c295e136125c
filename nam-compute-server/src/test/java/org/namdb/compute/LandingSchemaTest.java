package org.namdb.compute;

import org.namdb.fabric.shm.ShmFabric;

/// Every READ is copied to a landing buffer.
class LandingSchemaTest extends SchemaContract {
    @Override
    EmbeddedOptions options() {
        return EmbeddedOptions.DEFAULT.withFabric(
                () -> new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false)));
    }
}

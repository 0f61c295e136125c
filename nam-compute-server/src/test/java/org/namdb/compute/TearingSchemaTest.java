package org.namdb.compute;

import org.namdb.simulated.tearing.TearingFabric;

/// Every READ and every WRITE is torn at cache lines, delayed, and reordered between servers.
class TearingSchemaTest extends SchemaContract {
    @Override
    EmbeddedOptions options() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("tearing seed " + seed);
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(2)
                .withFabric(() -> new TearingFabric(TearingFabric.Options.lines(seed)));
    }
}

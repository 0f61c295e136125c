package org.namdb.compute;

import org.namdb.fabric.shm.ShmFabric;
import org.namdb.simulated.tearing.TearingFabric;

/// The fabrics that tests of a database run on, by how READs of them land.
enum FabricKind {
    IN_PLACE,
    LANDING,
    TEARING;

    EmbeddedOptions options() {
        return switch (this) {
            case IN_PLACE -> EmbeddedOptions.DEFAULT;
            case LANDING ->
                    EmbeddedOptions.DEFAULT
                            .withMemoryServers(2)
                            .withFabric(() ->
                                    new ShmFabric(
                                            ShmFabric.Options.DEFAULT.withReadsInPlace(false)));
            case TEARING -> {
                long seed = Long.getLong("namdb.seed", System.nanoTime());
                System.out.println("tearing seed " + seed);
                yield EmbeddedOptions.DEFAULT
                        .withMemoryServers(2)
                        .withFabric(() -> new TearingFabric(TearingFabric.Options.lines(seed)));
            }
        };
    }
}

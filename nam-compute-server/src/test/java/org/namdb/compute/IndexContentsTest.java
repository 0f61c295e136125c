package org.namdb.compute;

import org.junit.jupiter.api.Nested;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.simulated.tearing.TearingFabric;

class IndexContentsTest {
    @Nested
    class InPlace extends IndexContentsCases {
        @Override
        EmbeddedOptions options() {
            return EmbeddedOptions.DEFAULT;
        }
    }

    @Nested
    class Landing extends IndexContentsCases {
        @Override
        EmbeddedOptions options() {
            return EmbeddedOptions.DEFAULT
                    .withMemoryServers(2)
                    .withFabric(
                            () -> new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false)));
        }
    }

    @Nested
    class Tearing extends IndexContentsCases {
        @Override
        EmbeddedOptions options() {
            long seed = Long.getLong("namdb.seed", System.nanoTime());
            System.out.println("tearing seed " + seed);
            return EmbeddedOptions.DEFAULT
                    .withMemoryServers(2)
                    .withFabric(() -> new TearingFabric(TearingFabric.Options.lines(seed)));
        }
    }
}

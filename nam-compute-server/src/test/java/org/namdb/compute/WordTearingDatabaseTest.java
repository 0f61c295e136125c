package org.namdb.compute;

import org.namdb.simulated.tearing.TearingFabric;

/// Every READ and every WRITE is torn at every word, delayed, and reordered between servers.
class WordTearingDatabaseTest extends DatabaseContract {
    @Override
    EmbeddedOptions options() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("tearing seed " + seed);
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(1)
                .withFabric(() -> new TearingFabric(TearingFabric.Options.words(seed)));
    }

    @Override
    int versions() {
        return 1;
    }
}

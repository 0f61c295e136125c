package org.namdb.compute;

import org.junit.jupiter.api.Nested;

/// On the fabrics that the whole public interface is tested on.
class OldVersionsTest {
    @Nested
    class InPlace extends OldVersionsCases {
        @Override
        EmbeddedOptions options() {
            return new InPlaceDatabaseTest().options();
        }
    }

    @Nested
    class Landing extends OldVersionsCases {
        @Override
        EmbeddedOptions options() {
            return new LandingDatabaseTest().options();
        }
    }

    @Nested
    class Tearing extends OldVersionsCases {
        @Override
        EmbeddedOptions options() {
            return new TearingDatabaseTest().options();
        }
    }

    @Nested
    class WordTearing extends OldVersionsCases {
        @Override
        EmbeddedOptions options() {
            return new WordTearingDatabaseTest().options();
        }

        @Override
        int versions() {
            return new WordTearingDatabaseTest().versions();
        }
    }

    @Nested
    class FourServers extends OldVersionsCases {
        @Override
        EmbeddedOptions options() {
            return new FourServersDatabaseTest().options();
        }

        @Override
        int versions() {
            return new FourServersDatabaseTest().versions();
        }
    }

    @Nested
    class Placed extends OldVersionsCases {
        @Override
        EmbeddedOptions options() {
            return new PlacedDatabaseTest().options();
        }

        @Override
        int[] servers() {
            return new PlacedDatabaseTest().servers();
        }
    }
}

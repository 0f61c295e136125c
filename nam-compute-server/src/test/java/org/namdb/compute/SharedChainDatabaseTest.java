package org.namdb.compute;

/// All sessions share the refreshes of the snapshot chain.
class SharedChainDatabaseTest extends DatabaseContract {
    @Override
    EmbeddedOptions options() {
        return EmbeddedOptions.DEFAULT.withOracle(EmbeddedOptions.Oracle.SHARED_CHAIN);
    }
}

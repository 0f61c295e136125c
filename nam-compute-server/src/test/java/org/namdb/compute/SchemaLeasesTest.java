package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.compute.schema.SchemaLeases;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;

/// Looking at the leases of compute servers without having one.
class SchemaLeasesTest {
    private static final int SLOTS = 64;

    @Test
    void whoLooksByAQueuePairOfHisOwnKeepsIt() {
        try (FailingFabric fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
                MemoryServer server =
                        new MemoryServer(
                                fabric, 0, 64 << 20, DatabaseLayout.reservedBytes(0, SLOTS))) {
            List<Region> regions = List.of(server.region());
            NamDb.format(fabric, regions, SLOTS, EmbeddedOptions.DEFAULT.maxTransactionTime());
            long epoch = DatabaseLayout.vector(SLOTS).schemaEpoch();
            try (QueuePair queuePair = fabric.connect(regions)) {
                assertThat(SchemaLeases.holders(queuePair, epoch)).isEmpty();
                fabric.failAt(0, () -> new OutOfMemoryError("planted"));
                assertThatExceptionOfType(OutOfMemoryError.class)
                        .isThrownBy(() -> SchemaLeases.holders(queuePair, epoch));
                assertThat(queuePair.isInDoubt()).isTrue();
                assertThatExceptionOfType(FabricException.class)
                        .isThrownBy(() -> SchemaLeases.end(queuePair, epoch, 1));
                assertThat(fabric.openQueuePairs()).isEqualTo(1);
            }
        }
    }
}

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
import org.namdb.memory.server.RegionLayout;

/// Reading the leases of compute servers without having one.
class SchemaLeasesTest {
    private static final int SLOTS = 64;

    @Test
    void aCallersOwnQueuePairStaysOpen() {
        try (FailingFabric fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
                MemoryServer server =
                        new MemoryServer(
                                fabric, 0, 64 << 20, DatabaseLayout.reservedBytes(0, SLOTS))) {
            List<Region> regions = List.of(server.region());
            DatabaseLayout.format(
                    fabric, regions, SLOTS, EmbeddedOptions.DEFAULT.maxTransactionTime());
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

    /// Two end the lease of a dead compute server; before the slower one has done so, a new one has
    /// claimed it, and has passed an epoch.
    @Test
    void endingADeadLeaseLateDoesNotTouchTheNextHolder() {
        try (FailingFabric fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
                MemoryServer server =
                        new MemoryServer(
                                fabric, 0, 64 << 20, DatabaseLayout.reservedBytes(0, SLOTS))) {
            List<Region> regions = List.of(server.region());
            DatabaseLayout.format(
                    fabric, regions, SLOTS, EmbeddedOptions.DEFAULT.maxTransactionTime());
            long epoch = DatabaseLayout.vector(SLOTS).schemaEpoch();
            long lease = RegionLayout.address(0, RegionLayout.LEASES_OFFSET);
            boolean isAtEnd = false;
            int dead = 1;
            try (QueuePair slow = fabric.connect(regions);
                    QueuePair quick = fabric.connect(regions)) {
                for (int step = 0; !isAtEnd; step++) {
                    SchemaLeases _ = new SchemaLeases(() -> quick, epoch, dead);
                    int from = dead;
                    fabric.doAt(
                            step,
                            () -> {
                                SchemaLeases.end(quick, epoch, from);
                                SchemaLeases _ = new SchemaLeases(() -> quick, epoch, from + 1);
                                quick.writeWord(lease + 8, 77);
                                quick.await();
                            });
                    SchemaLeases.end(slow, epoch, dead);
                    isAtEnd = !fabric.heal();
                    if (!isAtEnd) {
                        assertThat(quick.readWord(lease)).isEqualTo(dead + 2);
                        assertThat(quick.readWord(lease + 8)).as("at step %d", step).isEqualTo(77);
                        SchemaLeases.end(quick, epoch, dead + 1);
                    }
                    dead += 2;
                }
            }
            assertThat(dead).isGreaterThan(7);
        }
    }
}

package org.namdb.memory.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterDurability;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.config.Transport;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.rdma.RdmaOptions;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseFinding;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.timestamp.TimestampVectorLayout;

class MemoryProcessTest {
    private static final int SLOTS = 64;
    private static final long BYTES = 16 << 20;
    private static final HostPort ANYWHERE = new HostPort("127.0.0.1", 0);

    private final ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);

    @AfterEach
    void close() {
        fabric.close();
    }

    private static ClusterConfig config(int slots) {
        return config(slots, 1, ANYWHERE);
    }

    private static ClusterConfig config(int slots, int vectorServers, HostPort address) {
        return config(slots, vectorServers, false, address);
    }

    private static ClusterConfig config(
            int slots, int vectorServers, boolean replicatedCommits, HostPort address) {
        ClusterConfig.Memory server = new ClusterConfig.Memory(address, BYTES, null, 1);
        return new ClusterConfig(
                "test",
                List.of(server, server),
                slots,
                vectorServers,
                replicatedCommits,
                ClusterDurability.SYNC,
                Duration.ofSeconds(7),
                Transport.AUTO,
                RdmaOptions.DEFAULT,
                ClusterConfig.Security.NONE,
                new ClusterConfig.Membership(List.of(), Duration.ofSeconds(2)),
                new ClusterConfig.Compute(
                        1,
                        Duration.ofMillis(20),
                        Duration.ZERO,
                        Duration.ofSeconds(10),
                        null,
                        ClusterConfig.Lines.DEFAULT),
                ClusterConfig.Sql.NONE);
    }

    private void start(int number, int slots) {
        start(number, slots, 1);
    }

    private void start(int number, int slots, int vectorServers) {
        MemoryProcess _ =
                MemoryProcess.start(
                        config(slots, vectorServers, ANYWHERE), number, fabric, ANYWHERE);
    }

    private DatabaseFinding checkAndJoin() {
        try (QueuePair queuePair = fabric.connect(fabric.regions())) {
            return DatabaseFinding.checkAndJoin(queuePair, fabric.regions());
        }
    }

    @Test
    void memoryServersThatWereStartedInAnyOrderHoldADatabase() {
        start(1, SLOTS);
        start(0, SLOTS);
        for (int times = 0; times < 2; times++) {
            assertThat(checkAndJoin())
                    .isEqualTo(new DatabaseFinding.Found(DatabaseLayout.vector(SLOTS)));
        }
        try (QueuePair queuePair = fabric.connect(fabric.regions())) {
            TimestampVectorLayout vector = DatabaseLayout.openVector(queuePair);
            assertThat(vector.maxTransactionNanos(queuePair))
                    .isEqualTo(Duration.ofSeconds(7).toNanos());
            assertThat(
                            Stream.of(0, 1)
                                    .map(server ->
                                            queuePair.readWord(
                                                    RegionLayout.address(
                                                            server, RegionLayout.DATABASE_OFFSET)))
                                    .distinct())
                    .hasSize(1);
        }
    }

    @Test
    void anUnformattedRegionIsWaitedFor() {
        assertThat(fabric.register(0, BYTES).bytes()).isEqualTo(BYTES);
        start(1, SLOTS);
        assertThat(checkAndJoin())
                .isEqualTo(
                        new DatabaseFinding.NotYet("memory server 0 to format its region", false));
    }

    @Test
    void aMemoryServerWithoutTheVectorIsWaitedFor() {
        try (MemoryServer _ =
                new MemoryServer(fabric, 0, BYTES, DatabaseLayout.reservedBytes(0, SLOTS))) {
            assertThat(checkAndJoin())
                    .isEqualTo(
                            new DatabaseFinding.NotYet(
                                    "memory server 0 to make the database", false));
        }
    }

    @Test
    void anotherNumberOfSlotsIsFound() {
        start(0, SLOTS);
        start(1, 2 * SLOTS);
        assertThatThrownBy(this::checkAndJoin)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "memory server 1 was started for other slots than memory server 0, which has"
                                + " 64, on 1 memory servers, without replicated commits: give all"
                                + " the same configuration, and restart them");
    }

    @Test
    void aPartitionedVectorIsFound() {
        start(0, SLOTS, 2);
        start(1, SLOTS, 2);
        assertThat(checkAndJoin())
                .isEqualTo(new DatabaseFinding.Found(DatabaseLayout.vector(SLOTS, 2)));
    }

    @Test
    void imageRingsAreFound() {
        for (int number = 0; number < 2; number++) {
            MemoryProcess _ =
                    MemoryProcess.start(config(16, 1, true, ANYWHERE), number, fabric, ANYWHERE);
        }
        assertThat(checkAndJoin()).isEqualTo(new DatabaseFinding.Found(DatabaseLayout.vector(16)));
        try (QueuePair queuePair = fabric.connect(fabric.regions())) {
            int bytes = DatabaseLayout.imageRingBytes(queuePair);
            assertThat(bytes).isEqualTo(ImageRings.DEFAULT_BYTES);
            ImageRings rings = DatabaseLayout.imageRings(2, DatabaseLayout.vector(16), bytes);
            // Behind the last ring of memory server 0, and its control words.
            long end = rings.address(15, 1) + bytes + ImageRings.controlBytes(16, 2);
            assertThat(queuePair.readWord(RegionLayout.address(0, RegionLayout.MAP_OFFSET)))
                    .isEqualTo(RemoteAddress.offset(end));
        }
    }

    @Test
    void aMemoryServerWithoutImageRingsIsFound() {
        MemoryProcess _ = MemoryProcess.start(config(16, 1, true, ANYWHERE), 0, fabric, ANYWHERE);
        start(1, 16);
        assertThatThrownBy(this::checkAndJoin)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("with replicated commits: give all the same configuration");
    }

    @Test
    void aVectorOnAnotherNumberOfServersIsFound() {
        start(0, SLOTS, 2);
        start(1, SLOTS, 1);
        assertThatThrownBy(this::checkAndJoin)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(
                        "memory server 0, which has 64, on 2 memory servers, without");
    }

    @Test
    void aVectorOnMoreServersThanThereAreIsFound() {
        start(0, SLOTS, 3);
        start(1, SLOTS, 3);
        assertThatThrownBy(this::checkAndJoin)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(
                        "memory server 0 has a vector on 3 memory servers, and there are 2:");
    }

    @Test
    void theLossOfAMemoryServersPartIsFound() {
        start(0, SLOTS);
        start(1, SLOTS);
        assertThat(checkAndJoin())
                .isEqualTo(new DatabaseFinding.Found(DatabaseLayout.vector(SLOTS)));
        long word = fabric.memory(1) + RegionLayout.DATABASE_OFFSET;
        long number = LocalMemory.longAt(word);
        for (long other : new long[] {0, number + 1}) {
            LocalMemory.putLong(word, other);
            assertThatThrownBy(this::checkAndJoin)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith(
                            "memory server 1 does not hold a part of memory server 0's database:");
        }
    }

    @Test
    void theLossOfMemoryServer0sPartIsFound() {
        start(0, SLOTS);
        start(1, SLOTS);
        long word = fabric.memory(1) + RegionLayout.DATABASE_OFFSET;
        LocalMemory.putLong(word, 1); // of an earlier database
        assertThatThrownBy(this::checkAndJoin)
                .hasMessageStartingWith("memory server 1 does not hold");
    }

    @Test
    void whatTheConfigurationDoesNotAllowIsRefused() {
        assertThatThrownBy(() -> MemoryProcess.start(config(SLOTS), 2))
                .isInstanceOf(ConfigException.class)
                .hasMessage("there is no memory server 2: the configuration has 2, from 0");
        HostPort nowhere = new HostPort("host.invalid", 7400);
        assertThatThrownBy(() -> MemoryProcess.start(config(SLOTS, 1, nowhere), 0))
                .hasMessage("memory-servers[0].address: there is no host host.invalid");
        assertThatThrownBy(() -> start(0, 1000))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("memory-servers[0].memory: 16 MiB are too little, as");
    }
}

package org.namdb.cache.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.Threads;
import org.namdb.fabric.shm.ShmFabric;

/// Compute servers share 58 stations.
class StationsTest {
    private final ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
    private final Region region = fabric.register(0, 1 << 16);

    @AfterEach
    void close() {
        fabric.close();
    }

    private QueuePair connect() {
        return fabric.connect(List.of(region));
    }

    @Test
    void aStationNamesItsProcessUntilItIsReleased() {
        try (QueuePair queuePair = connect()) {
            int first = Stations.take(queuePair, (1 << 24) - 1);
            int second = Stations.take(queuePair, 0);
            assertThat(List.of(first, second)).containsExactly(1, 2);
            long word = Stations.read(queuePair)[first];
            assertThat(Stations.isTaken(word)).isTrue();
            assertThat(Stations.process(word)).isEqualTo((1 << 24) - 1);
            assertThat(Stations.process(Stations.read(queuePair)[second])).isZero();
            Stations.release(queuePair, first, Stations.process(Stations.read(queuePair)[first]));
            assertThat(Stations.isTaken(Stations.read(queuePair)[first])).isFalse();
            assertThat(Stations.take(queuePair, 77)).isEqualTo(first);
            assertThat(Stations.read(queuePair)[first]).isNotEqualTo(word);
            assertThat(Stations.process(Stations.read(queuePair)[first])).isEqualTo(77);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Stations.take(queuePair, 1 << 24));
        }
    }

    @Test
    void stationsAreTakenOnceByConcurrentComputeServers() throws Exception {
        Set<Integer> taken = ConcurrentHashMap.newKeySet();
        Threads.run(
                2,
                thread -> {
                    try (QueuePair queuePair = connect()) {
                        for (int i = 0; i < Stations.MAX / 2; i++) {
                            assertThat(taken.add(Stations.take(queuePair, thread))).isTrue();
                        }
                    }
                });
        assertThat(taken).hasSize(Stations.MAX);
        try (QueuePair queuePair = connect()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> Stations.take(queuePair, 5))
                    .withMessageContaining("58 compute servers");
        }
    }
}

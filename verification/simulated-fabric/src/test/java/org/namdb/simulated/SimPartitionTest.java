package org.namdb.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;

/// What becomes of a WRITE whose sender is cut off from the memory server when it posts it.
class SimPartitionTest {
    private static final long SHORT_NANOS = SimQueuePair.RETRY_NANOS / 2;
    private static final long LONG_NANOS = 10 * SimQueuePair.RETRY_NANOS;
    private static final long WORD = RemoteAddress.of(0, 64);
    private static final long VALUE = 7;

    /// How it went.
    ///
    /// @param failure null if there was none
    /// @param nanos until its sender had the outcome
    /// @param value what another one read after the cut
    private record Outcome(FabricException.@Nullable Kind failure, long nanos, long value) {}

    private static Outcome write(boolean requests, boolean replies, long cutNanos) {
        FabricException.@Nullable Kind[] failure = new FabricException.@Nullable Kind[1];
        long[] nanos = new long[1];
        long[] value = new long[1];
        try (Simulation simulation =
                        new Simulation(1, ClusterModel.FREE_PROCESSORS, SimTrace.off());
                SimFabric fabric = new SimFabric(simulation, 1 << 15)) {
            SimHost memory = simulation.host("memory");
            Region region = fabric.memorySide(memory).register(0, 1 << 16);
            SimHost cut = simulation.host("cut");
            cut.start(
                    "writer",
                    () -> {
                        try (QueuePair queuePair =
                                fabric.computeSide(cut).connect(List.of(region))) {
                            cut.cutOff(0, requests, replies, cutNanos);
                            queuePair.writeWord(WORD, VALUE);
                            queuePair.await();
                        } catch (FabricException e) {
                            failure[0] = e.kind();
                        }
                        nanos[0] = cut.nanoTime();
                    });
            simulation.run(TimeUnit.SECONDS.toNanos(1));
            SimHost other = simulation.host("other");
            other.start(
                    "reader",
                    () -> {
                        try (QueuePair queuePair =
                                fabric.computeSide(other).connect(List.of(region))) {
                            value[0] = queuePair.readWord(WORD);
                        }
                    });
            simulation.run(TimeUnit.SECONDS.toNanos(2));
        }
        return new Outcome(failure[0], nanos[0], value[0]);
    }

    @Test
    void aShortCutOnlyTakesTime() {
        for (int ways = 1; ways < 4; ways++) {
            Outcome outcome = write((ways & 1) != 0, (ways & 2) != 0, SHORT_NANOS);
            assertThat(outcome.failure()).isNull();
            assertThat(outcome.nanos()).isBetween(SHORT_NANOS, 2 * SHORT_NANOS);
            assertThat(outcome.value()).isEqualTo(VALUE);
        }
    }

    @Test
    void whatIsNotHeardForTooLongNeverTakesEffect() {
        Outcome outcome = write(true, false, LONG_NANOS);
        assertThat(outcome.failure()).isEqualTo(FabricException.Kind.CONNECTION_LOST);
        assertThat(outcome.nanos()).isLessThan(LONG_NANOS);
        assertThat(outcome.value()).isZero();
    }

    @Test
    void whatIsNotAnsweredForTooLongHasTakenEffect() {
        Outcome outcome = write(false, true, LONG_NANOS);
        assertThat(outcome.failure()).isEqualTo(FabricException.Kind.CONNECTION_LOST);
        assertThat(outcome.nanos()).isLessThan(LONG_NANOS);
        assertThat(outcome.value()).isEqualTo(VALUE);
    }
}

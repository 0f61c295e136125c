package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.namdb.simulated.SimTrace;

/// TPC-C through crashes, lost connections and torn reads.
class TpccWorkloadTest {
    private static final int RUNS = 2;

    static LongStream seeds() {
        return LongStream.iterate(1, seed -> seed + 1)
                .filter(seed -> options(seed).terminals() > 0)
                .limit(RUNS);
    }

    private static SimulationOptions options(long seed) {
        return SimulationOptions.ofSeed(seed, Fault.all());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theTwelveConditionsHold(long seed) {
        SimulationVerdict verdict = SimulationRun.of(options(seed), SimTrace.off());
        assertThat(verdict.holds()).as("seed %d: %s", seed, verdict.failure()).isTrue();
        assertThat(SimulationRun.of(options(seed), SimTrace.off()).fingerprint())
                .as("seed %d, replayed", seed)
                .isEqualTo(verdict.fingerprint());
    }
}

package org.namdb.simulation;

import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.checker.report.VerdictReport;
import org.namdb.fabric.sim.SimTrace;

class SimulationRunTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void withoutFaultsAllIsWell(long seed) {
        requireHolds(SimulationOptions.ofSeed(seed, EnumSet.noneOf(Fault.class)));
    }

    @Test
    void withFaultsAllIsWell() {
        long first = Long.getLong("namdb.seed", 1);
        long count = Long.getLong("namdb.seeds", 40);
        long start = System.nanoTime();
        for (long seed = first; seed < first + count; seed++) {
            requireHolds(SimulationOptions.ofSeed(seed, Fault.all()));
        }
        System.out.println("ms per seed " + (System.nanoTime() - start) / 1e6 / count);
    }

    private static void requireHolds(SimulationOptions options) {
        SimulationVerdict verdict = SimulationRun.of(options, SimTrace.off());
        if (!verdict.holds()) {
            throw new AssertionError(
                    options.describe()
                            + "\n"
                            + verdict.failure()
                            + "\n"
                            + (verdict.history() == null
                                    ? ""
                                    : VerdictReport.of(verdict.history())));
        }
        System.out.println(
                options.seed()
                        + (verdict.isStalled() ? " stalled " : " ")
                        + verdict.happenings()
                        + " "
                        + verdict.virtualNanos() / 1000
                        + " us "
                        + verdict.verbs()
                        + " verbs "
                        + verdict.history().history().transactions().size());
    }
}

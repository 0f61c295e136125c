package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.checker.Verdict;
import org.namdb.checker.report.VerdictReport;
import org.namdb.simulated.SimTrace;

/// Clusters from seeds. `-Dnamdb.seed=N` runs that one only, `-Dnamdb.seeds=N` as many.
class SimulationRunTest {
    private static final int SEEDS = 40;
    private static final int MANY_SEEDS = Integer.getInteger("namdb.seeds", 400);

    @Test
    @Tag("sample")
    void clustersSurviveTheirFaults() {
        requireAllHold(SEEDS);
    }

    @Test
    @Tag("long")
    void manyClustersSurviveTheirFaults() {
        requireAllHold(MANY_SEEDS);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void withoutFaultsNoSessionWaitsForEverAndMostTransactionsCommit(long seed) {
        SimulationVerdict verdict =
                SimulationRun.of(
                        SimulationOptions.ofSeed(seed, EnumSet.noneOf(Fault.class)),
                        SimTrace.off());
        requireHolds(verdict);
        Verdict history = java.util.Objects.requireNonNull(verdict.history());
        long committed =
                history.history().transactions().stream().filter(history::isCommitted).count();
        assertThat(committed).isGreaterThan(history.history().transactions().size() / 4);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 4, 5, 24, 82}) // 4 has clients of SQL
    void aSeedIsReplayedEventByEvent(long seed) {
        SimulationOptions options = SimulationOptions.ofSeed(seed, Fault.all());
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        SimulationVerdict one = SimulationRun.of(options, SimTrace.to(first::add));
        SimulationVerdict other = SimulationRun.of(options, SimTrace.to(second::add));
        assertThat(first).hasSizeGreaterThan(1000).isEqualTo(second);
        assertThat(one.fingerprint()).isEqualTo(other.fingerprint());
        assertThat(SimulationRun.of(options, SimTrace.off()).fingerprint())
                .as("without lines")
                .isEqualTo(one.fingerprint());
    }

    /// They share the JVM's monitors, for which their threads may have to wait: in real time, which
    /// changes nothing.
    @Test
    void clustersSideBySideAreTheSameAsAlone() throws Exception {
        List<Long> together = new ArrayList<>();
        List<Future<Long>> sideBySide = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (long seed = 1; seed <= 16; seed++) {
                long one = seed;
                sideBySide.add(threads.submit(() -> fingerprint(one)));
            }
            for (Future<Long> fingerprint : sideBySide) {
                together.add(fingerprint.get());
            }
        }
        for (int seed = 1; seed <= 16; seed++) {
            assertThat(together.get(seed - 1)).isEqualTo(fingerprint(seed));
        }
    }

    @Test
    void anotherSeedIsAnotherLife() {
        assertThat(fingerprint(1)).isNotEqualTo(fingerprint(2));
    }

    private static long fingerprint(long seed) {
        return SimulationRun.of(SimulationOptions.ofSeed(seed, Fault.all()), SimTrace.off())
                .fingerprint();
    }

    private static void requireAllHold(int count) {
        Long one = Long.getLong("namdb.seed");
        long first = one == null ? 1 : one;
        long last = one == null ? count : one;
        int leasesEnded = 0;
        int fenced = 0;
        for (long seed = first; seed <= last; seed++) {
            SimulationVerdict verdict =
                    SimulationRun.of(SimulationOptions.ofSeed(seed, Fault.all()), SimTrace.off());
            requireHolds(verdict);
            leasesEnded += verdict.leases().ended();
            fenced += verdict.leases().fenced();
        }
        if (one == null) {
            assertThat(leasesEnded).as("leases that ended").isGreaterThan(count / 4);
            assertThat(fenced).as("compute servers that were fenced").isGreaterThan(count / 4);
        }
    }

    private static void requireHolds(SimulationVerdict verdict) {
        if (!verdict.holds()) {
            Verdict history = verdict.history();
            throw new AssertionError(
                    "-Dnamdb.seed=%d%n%s%n%s%n%s"
                            .formatted(
                                    verdict.options().seed(),
                                    verdict.options().describe(),
                                    verdict.failure(),
                                    history == null ? "" : VerdictReport.of(history)));
        }
    }
}

package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.namdb.simulated.SimTrace;

/// Clusters whose compute servers keep copies of rows are checked as others are. `-Dnamdb.seeds=N`
/// runs as many.
class CachedTablesRunTest {
    private static final int SEEDS = 40;
    private static final int TPCC_RUNS = 3;

    /// Others than those of [SimulationRunTest], of which every fourth has cached tables, too.
    private static final int FIRST_OF_MANY = 1_001;

    private static final int MANY_SEEDS = Integer.getInteger("namdb.seeds", 100);

    static SimulationOptions options(long seed, Set<Fault> allowed) {
        SimulationOptions options = SimulationOptions.ofSeed(seed, allowed);
        return options.withServers(options.memoryServers(), Math.max(2, options.computeServers()))
                .withCached(true);
    }

    private static void assertHolds(long seed, Set<Fault> allowed) {
        SimulationVerdict verdict = SimulationRun.of(options(seed, allowed), SimTrace.off());
        assertThat(verdict.failure()).as("seed %d", seed).isNull();
        assertThat(verdict.holds()).as("seed %d: %s", seed, verdict.history()).isTrue();
    }

    @Test
    void cachedTablesAreSnapshotIsolatedWithoutFaults() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertHolds(seed, EnumSet.noneOf(Fault.class));
        }
    }

    @Test
    void cachedTablesAreSnapshotIsolated() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertHolds(seed, Fault.all());
        }
    }

    @Test
    void theConditionsOfTpccHoldWithCachedTables() {
        long[] seeds =
                LongStream.iterate(1, seed -> seed + 1)
                        .filter(seed -> options(seed, Fault.all()).terminals() > 0)
                        .limit(TPCC_RUNS)
                        .toArray();
        for (long seed : seeds) {
            assertHolds(seed, Fault.all());
        }
    }

    /// ```
    /// leaves, releases its lines      handler
    ///                                 loses its connection while it releases one, and fails
    /// waits for that one
    /// ```
    @Test
    void whoLeavesWaitsForNoHandlerThatHasFailed() {
        assertHolds(374, Fault.all());
    }

    /// ```
    /// a  finds the bit of a dead station in a latch word
    /// b  takes it out, and frees the station
    /// c  takes the station, and its bit is in the word
    /// a  takes it out
    /// ```
    @Test
    void aStationIsClearedAwayByOneComputeServerAlone() {
        assertHolds(1_076, Fault.all());
    }

    /// ```
    /// recovery                         s
    /// recovers slot 0, and releases it
    ///                                  takes slot 0, locks a record
    /// recovers slot 9, which lists the same record: slot 0 is no dead one any more
    /// ```
    @Test
    void aSlotThatIsReusedDuringARecoveryIsWaitedFor() {
        SimulationOptions options = SimulationOptions.ofSeed(931, Fault.all());
        SimulationVerdict verdict = SimulationRun.of(options, SimTrace.off());
        assertThat(verdict.failure()).isNull();
        assertThat(verdict.holds()).as("%s", verdict.history()).isTrue();
    }

    @Test
    @Tag("long")
    void cachedTablesAreSnapshotIsolatedForManySeeds() {
        for (long seed = FIRST_OF_MANY; seed < FIRST_OF_MANY + MANY_SEEDS; seed++) {
            assertHolds(seed, Fault.all());
        }
    }
}

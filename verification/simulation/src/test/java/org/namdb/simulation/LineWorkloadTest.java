package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.namdb.simulated.SimTrace;

/// Lines are read and changed as if each access happened at one moment.
class LineWorkloadTest {
    private static final int SEEDS = 100;
    private static final int MANY_SEEDS = Integer.getInteger("namdb.seeds", 400);

    @Test
    void linesWithoutACacheAreLinearizable() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertThat(UncachedLineMeeting.of(seed, true)).as("seed %d", seed).isNull();
        }
    }

    @Test
    void cachedLinesAreLinearizable() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertThat(CachedLineMeeting.of(seed)).as("seed %d", seed).isNull();
        }
    }

    @Test
    void cachedLinesAreLinearizableWhereConnectionsBreakOften() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertThat(CachedLineMeeting.ofFragile(seed)).as("seed %d", seed).isNull();
        }
    }

    @Test
    void cachedLinesAreLinearizableWhereAComputeServerDies() {
        int deaths = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertThat(DeadLineMeeting.of(seed)).as("seed %d", seed).isNull();
            deaths += seed <= 20 && DeadLineMeeting.hasDeath(seed) ? 1 : 0;
        }
        assertThat(deaths).as("deaths with the first seeds").isPositive();
    }

    @Test
    void aTreeOfLinesHasWhatWasInserted() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertThat(LineTreeMeeting.of(seed)).as("seed %d", seed).isNull();
        }
    }

    @Test
    @Tag("long")
    void cachedLinesAreLinearizableForManySeeds() {
        for (long seed = 1; seed <= MANY_SEEDS; seed++) {
            assertThat(CachedLineMeeting.of(seed)).as("seed %d", seed).isNull();
            assertThat(DeadLineMeeting.of(seed)).as("seed %d", seed).isNull();
            assertThat(LineTreeMeeting.of(seed)).as("seed %d", seed).isNull();
        }
    }

    @Test
    void aSeedSaysEverything() {
        for (long seed = 1; seed <= 10; seed++) {
            SimTrace first = SimTrace.off();
            SimTrace second = SimTrace.off();
            assertThat(CachedLineMeeting.of(seed, first)).isNull();
            assertThat(CachedLineMeeting.of(seed, second)).isNull();
            assertThat(second.fingerprint()).as("seed %d", seed).isEqualTo(first.fingerprint());
        }
    }

    /// A test of the test.
    @Test
    void aStationThatIsClearedAwayBeforeItIsFencedIsCaught() {
        String caught = null;
        for (long seed = 1; seed <= MANY_SEEDS && caught == null; seed++) {
            caught = DeadLineMeeting.ofUnfenced(seed);
        }
        assertThat(caught).isNotNull();
    }

    /// A test of the test.
    @Test
    void linesWithoutLatchesAreCaught() {
        int caught = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            caught += UncachedLineMeeting.of(seed, false) == null ? 0 : 1;
        }
        assertThat(caught).isGreaterThan(SEEDS / 2);
    }
}

package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Lines are read and changed as if each access happened at one moment.
class LineWorkloadTest {
    private static final int SEEDS = 100;

    @Test
    void linesWithoutACacheAreLinearizable() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertThat(UncachedLineMeeting.of(seed, true)).as("seed %d", seed).isNull();
        }
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

package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.namdb.simulated.SimTrace;

/// Pages are read and changed as if each access happened at one moment.
class PageWorkloadTest {
    private static final int SEEDS = 100;
    private static final int MANY_SEEDS = Integer.getInteger("namdb.seeds", 1_000);

    @Test
    void pagesAreLinearizable() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertThat(PageMeeting.of(seed)).as("seed %d", seed).isNull();
        }
    }

    @Test
    @Tag("long")
    void pagesAreLinearizableForManySeeds() {
        for (long seed = 1; seed <= MANY_SEEDS; seed++) {
            assertThat(PageMeeting.of(seed)).as("seed %d", seed).isNull();
        }
    }

    @Test
    void aSeedSaysEverything() {
        for (long seed = 1; seed <= 10; seed++) {
            SimTrace first = SimTrace.off();
            SimTrace second = SimTrace.off();
            assertThat(PageMeeting.of(seed, first)).isNull();
            assertThat(PageMeeting.of(seed, second)).isNull();
            assertThat(second.fingerprint()).as("seed %d", seed).isEqualTo(first.fingerprint());
        }
    }
}

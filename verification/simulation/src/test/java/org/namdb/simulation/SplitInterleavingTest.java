package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Compute servers that fill a table while its buckets are split, one of which dies, one stands
/// still, and cleaners, shifted against each other by a seed: no row is lost or there by half.
class SplitInterleavingTest {
    private static final int SEEDS = 150;

    @Test
    void noRowIsLostAndNoneStaysLocked() {
        long splits = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            SplitMeeting meeting = SplitMeeting.of(seed);
            assertThat(meeting.wrong()).as("seed %d", seed).isNull();
            splits += meeting.splits();
        }
        assertThat(splits).isGreaterThan(10 * SEEDS);
    }
}

package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// A dead compute server, one that stands still, two cleaners and a writer meet, shifted against
/// each other by a seed: no update is lost, none stays by half, and everything is writable.
class RecoveryInterleavingTest {
    private static final int SEEDS = 200;

    @Test
    void nothingIsLostAndNothingStaysHeld() {
        for (int seed = 1; seed <= SEEDS; seed++) {
            RecoveryMeeting meeting = RecoveryMeeting.of(seed);
            assertThat(meeting.isFailed()).as("seed %d: %s", seed, meeting).isFalse();
        }
    }

    @Test
    void norWhereCommitsAreReplicated() {
        for (int seed = 1; seed <= SEEDS; seed++) {
            RecoveryMeeting meeting = RecoveryMeeting.ofReplicated(seed);
            assertThat(meeting.isFailed()).as("seed %d: %s", seed, meeting).isFalse();
        }
    }
}

package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// A child's insert that requires its parent, and the parent's delete that requires no child,
/// commit at about the same time on two compute servers, shifted against each other by a seed.
/// However their verbs meet, they never both commit.
class ReferenceInterleavingTest {
    private static final int SEEDS = 60;

    @Test
    void aChildNeverOutlivesItsParent() {
        int inserted = 0;
        int deleted = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            ReferenceMeeting meeting = ReferenceMeeting.of(seed);
            assertThat(meeting.isFailed()).as("seed %d", seed).isFalse();
            assertThat(meeting.ended()).as("seed %d: neither waits for the other", seed).isTrue();
            inserted += meeting.inserted() ? 1 : 0;
            deleted += meeting.deleted() ? 1 : 0;
        }
        assertThat(inserted).isPositive();
        assertThat(deleted).isPositive();
    }
}

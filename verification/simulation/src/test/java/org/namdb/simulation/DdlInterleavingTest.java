package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;

/// Two compute servers: one DROP, or CREATE INDEX, and what the other one does with the table.
class DdlInterleavingTest {
    private static final int MEETINGS = 40;

    @Test
    void noSessionReachesMemoryThatBelongsToAnotherTable() {
        long first = Seeds.next();
        for (long seed = first; seed < first + MEETINGS; seed++) {
            SchemaMeeting.Result meeting = DdlMeeting.of(seed);
            assertThat(meeting.wrong()).as("seed %d", seed).isNull();
            assertThat(meeting.ended()).as("seed %d has ended", seed).isTrue();
        }
    }

    @Test
    void anIndexThatIsUsedHasEverything() {
        long first = Seeds.next();
        for (long seed = first; seed < first + MEETINGS; seed++) {
            SchemaMeeting.Result meeting = IndexMeeting.of(seed);
            assertThat(meeting.wrong()).as("seed %d", seed).isNull();
            assertThat(meeting.ended()).as("seed %d has ended", seed).isTrue();
        }
    }
}

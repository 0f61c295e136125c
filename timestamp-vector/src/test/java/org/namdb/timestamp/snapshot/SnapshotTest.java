package org.namdb.timestamp.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.namdb.timestamp.CommitTimestamp;

class SnapshotTest {
    @Test
    void seesWhatIsNotNewerThanItsSlot() {
        Snapshot snapshot = snapshot(4, 9, 7, 56);
        assertThat(snapshot.sees(CommitTimestamp.of(1, 7))).isTrue();
        assertThat(snapshot.sees(CommitTimestamp.of(1, 8))).isFalse();
        assertThat(snapshot.sees(CommitTimestamp.of(0, 0))).isTrue();
        assertThat(snapshot.sees(CommitTimestamp.of(2, 1L << 40))).isFalse();
    }

    @Test
    void ignoresTheFlagsOfARecordHeader() {
        Snapshot snapshot = snapshot(4, 9, 7);
        assertThat(snapshot.sees(CommitTimestamp.of(1, 7) | 7)).isTrue();
        assertThat(snapshot.sees(CommitTimestamp.of(1, 8) | 7)).isFalse();
    }

    @Test
    void seesNothingOfSlotsBeyondItsLength() {
        Snapshot snapshot = snapshot(4, 9, 7);
        assertThat(snapshot.sees(CommitTimestamp.of(2, 0))).isFalse();
        assertThat(snapshot.sees(CommitTimestamp.of(CommitTimestamp.MAX_SLOTS - 1, 1))).isFalse();
        assertThat(new Snapshot().sees(CommitTimestamp.of(0, 0))).isFalse();
        assertThat(snapshot.timestamp(2)).isZero();
    }

    @Test
    void becomesACopyWhateverItWasBefore() {
        Snapshot snapshot = snapshot(4, 1, 2, 3);
        snapshot.copyFrom(snapshot(5, new long[40]));
        assertThat(snapshot.length()).isEqualTo(40);
        snapshot.copyFrom(snapshot(6, 8));
        assertThat(snapshot).hasToString("S6[8]");
        assertThat(snapshot.sees(CommitTimestamp.of(1, 0))).isFalse();
        assertThat(snapshot.sees(CommitTimestamp.of(39, 0))).isFalse();
    }

    @Test
    void isComparedSlotBySlot() {
        assertThat(snapshot(1, 3, 4).dominates(snapshot(1, 3, 3))).isTrue();
        assertThat(snapshot(1, 3, 3).dominates(snapshot(1, 3, 4))).isFalse();
        assertThat(snapshot(1, 3).dominates(snapshot(1, 3, 0))).isTrue();
        assertThat(snapshot(1, 3).dominates(snapshot(1, 3, 1))).isFalse();
        assertThat(snapshot(1, 3, 3).isComparable(snapshot(1, 3, 4))).isTrue();
        assertThat(snapshot(1, 4, 3).isComparable(snapshot(1, 3, 4))).isFalse();
    }

    private static Snapshot snapshot(long sequence, long... timestamps) {
        Snapshot snapshot = new Snapshot();
        try (Arena arena = Arena.ofConfined()) {
            long vector = arena.allocateFrom(ValueLayout.JAVA_LONG, timestamps).address();
            snapshot.take(sequence, vector, timestamps.length);
        }
        return snapshot;
    }
}

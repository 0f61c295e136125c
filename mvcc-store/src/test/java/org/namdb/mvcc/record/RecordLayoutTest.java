package org.namdb.mvcc.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;
import org.namdb.timestamp.CommitTimestamp;

class RecordLayoutTest {
    @Test
    void aHeaderHoldsSlotTimestampAndFlagsApart() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        for (int i = 0; i < 1000; i++) {
            int slot = random.nextInt(CommitTimestamp.MAX_SLOTS);
            long timestamp = random.nextLong(CommitTimestamp.MAX_TIMESTAMP + 1);
            long header = RecordHeader.installed(CommitTimestamp.of(slot, timestamp));
            long locked = RecordHeader.lock(header);
            long moved = RecordHeader.moved(locked);
            assertThat(CommitTimestamp.slot(moved)).isEqualTo(slot);
            assertThat(CommitTimestamp.timestamp(moved)).isEqualTo(timestamp);
            assertThat(RecordHeader.isLocked(header)).isFalse();
            assertThat(RecordHeader.isLocked(locked)).isTrue();
            assertThat(RecordHeader.isUnderOverwrite(locked)).isFalse();
            assertThat(RecordHeader.isUnderOverwrite(moved)).isTrue();
            assertThat(RecordHeader.unlocked(moved)).isEqualTo(header);
            long suspect = RecordHeader.suspect(locked);
            assertThat(RecordHeader.isSuspect(suspect)).isTrue();
            assertThat(RecordHeader.isLocked(suspect)).isTrue();
            assertThat(RecordHeader.isUnderOverwrite(suspect)).isFalse();
            assertThat(RecordHeader.isSuspect(locked) || RecordHeader.isSuspect(moved)).isFalse();
            assertThat(RecordHeader.unlocked(suspect)).isEqualTo(header);
            assertThat(RecordHeader.isDeleted(RecordHeader.deleted(header))).isTrue();
        }
    }

    @Test
    void aClaimIsLockedAndNoVersion() {
        long claimed = RecordHeader.claimed(5, 7);
        assertThat(RecordHeader.isClaimed(claimed)).isTrue();
        assertThat(RecordHeader.claimed(5, 8)).isNotEqualTo(claimed);
        assertThat(RecordHeader.isLocked(claimed)).isTrue();
        assertThat(RecordHeader.isDeleted(claimed)).isTrue();
        assertThat(CommitTimestamp.timestamp(claimed)).isGreaterThan(CommitTimestamp.MAX_TIMESTAMP);
        assertThat(claimed).isNotEqualTo(RecordHeader.FREE);
        assertThat(RecordHeader.describe(claimed)).isEqualTo("claimed by 5");
        assertThat(
                        RecordHeader.isClaimed(
                                RecordHeader.installed(
                                        CommitTimestamp.of(5, CommitTimestamp.MAX_TIMESTAMP))))
                .isFalse();
    }

    @Test
    void theRingsPartsFollowEachOther() {
        OldVersionBuffer buffer = new OldVersionBuffer(3, 40);
        assertThat(buffer.headBytes()).isEqualTo(16 + 3 * 16);
        assertThat(buffer.pairOffset(2)).isEqualTo(48);
        assertThat(buffer.payloadOffset(0)).isEqualTo(buffer.headBytes());
        assertThat(buffer.payloadOffset(2)).isEqualTo(buffer.headBytes() + 80);
        assertThat(buffer.bytes()).isEqualTo(64 + 120);
        assertThat(OverflowVersion.bytes(40)).isEqualTo(64);
        assertThat(RecordBody.bytes(40)).isEqualTo(48);
    }
}

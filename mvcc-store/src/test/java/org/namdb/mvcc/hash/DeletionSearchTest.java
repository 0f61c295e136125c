package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.timestamp.snapshot.Snapshot;

/// Whether a record was away since a snapshot, by what its ring and the overflow region hold.
class DeletionSearchTest {
    private final RecordFixture record = new RecordFixture(true);

    @AfterEach
    void close() {
        record.close();
    }

    private boolean isDeletedSince(Snapshot snapshot) {
        return DeletionSearch.isDeletedSince(
                record.queuePair, record.table, record.bodyAddress(), snapshot);
    }

    private void update(int times) {
        for (int update = 0; update < times; update++) {
            record.update(100 + update);
        }
    }

    @Test
    void aRecordThatWasOnlyChangedWasAlwaysThere() {
        record.insert(1);
        Snapshot snapshot = record.snapshot();
        for (int updates = 1; updates <= 3 * RecordFixture.PLACES; updates++) {
            update(1);
            assertThat(isDeletedSince(snapshot)).as(updates + " updates").isFalse();
        }
    }

    @Test
    void aDeletionIsFoundInTheRingAndInTheOverflowRegion() {
        record.insert(1);
        Snapshot before = record.snapshot();
        update(1);
        record.delete();
        Snapshot between = record.snapshot();
        for (int updates = 1; updates <= 3 * RecordFixture.PLACES; updates++) {
            update(1);
            assertThat(isDeletedSince(before)).as(updates + " updates").isTrue();
        }
        assertThat(isDeletedSince(record.snapshot())).isFalse();
        assertThat(isDeletedSince(between)).as("the deletion itself is seen").isFalse();
    }

    @Test
    void aDeletionBeforeTheSnapshotDoesNotCount() {
        record.insert(1);
        record.delete();
        update(1);
        Snapshot snapshot = record.snapshot();
        for (int updates = 1; updates <= 3 * RecordFixture.PLACES; updates++) {
            update(1);
            assertThat(isDeletedSince(snapshot)).as(updates + " updates").isFalse();
        }
    }

    @Test
    void aRecordWithoutOldVersionsMayHaveBeenAway() {
        Snapshot before = record.snapshot();
        record.insert(1);
        assertThat(isDeletedSince(before)).isTrue();
    }

    @Test
    void aRecordWhoseVersionsDoNotReachBackMayHaveBeenAway() {
        record.insert(1);
        Snapshot old = record.snapshot();
        update(1);
        record.lowWatermark.copyFrom(record.snapshot());
        update(2 * RecordFixture.PLACES);
        assertThat(isDeletedSince(old)).isTrue();
        assertThat(isDeletedSince(record.snapshot())).isFalse();
    }
}

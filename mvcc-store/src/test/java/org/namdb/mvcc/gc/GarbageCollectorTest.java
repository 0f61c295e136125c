package org.namdb.mvcc.gc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.snapshot.Snapshot;

/// The collector with records that are written word by word: what it takes, what it leaves, and
/// what that costs.
class GarbageCollectorTest extends GarbageFixture {
    @Test
    void oldVersionsGoAndTheirRecordStays() {
        put(0, published);
        addVersions(0, published);
        collector.collect(lowWatermark, 10);
        assertThat(freed).containsExactly(buffer(0));
        assertThat(word(headerAddress(0))).isEqualTo(published);
        assertThat(word(bodyAddress(0) + RecordBody.VERSIONS_OFFSET)).isEqualTo(RemoteAddress.NULL);
        assertThat(collector.garbage().waiting()).isZero();
    }

    @Test
    void versionsThatSnapshotsNeedStay() {
        put(0, published);
        addVersions(0, published);
        collector.collect(new Snapshot(), 10);
        assertThat(freed).isEmpty();
        assertThat(collector.garbage().waiting()).isOne();
    }

    @Test
    void anItemOfADeadSessionHoldsUpNothingBehindIt() {
        put(0, CommitTimestamp.of(3, 5)); // of a slot that will never publish it
        addVersions(0, published);
        collector.collect(lowWatermark, 10);
        put(1, published);
        addVersions(1, published);
        collector.collect(lowWatermark, 10);
        assertThat(freed).containsExactly(buffer(1));
        assertThat(collector.garbage().waiting()).isOne();
    }

    @Test
    void aSweptItemOfADeadSessionBlocksNothingBehindIt() {
        long unpublished = CommitTimestamp.of(3, 5);
        put(0, unpublished);
        collector.garbage().foundVersions(table, unpublished, headerAddress(0), bodyAddress(0));
        put(1, published);
        collector.garbage().foundVersions(table, published, headerAddress(1), bodyAddress(1));
        collector.collect(lowWatermark, 10);
        assertThat(freed).containsExactly(buffer(1));
        assertThat(collector.garbage().waiting()).isOne();
    }

    @Test
    void aLostServerBlocksNothingOnTheOthers() {
        put(0, published);
        put(1, published);
        addVersions(0, published);
        collector
                .garbage()
                .addVersions(
                        elsewhere,
                        published,
                        elsewhere.bucketAddress(0) + BucketLayout.ENTRIES_OFFSET,
                        elsewhere.bucketAddress(0) + elsewhere.layout().bodyOffset(0));
        addVersions(1, published);
        fabric.leave(1);
        for (int pass = 0; pass < 3; pass++) {
            collector.collect(lowWatermark, 100);
            assertThat(word(headerAddress(0))).isEqualTo(published);
            assertThat(word(headerAddress(1))).isEqualTo(published);
        }
        assertThat(freed).containsExactlyInAnyOrder(buffer(0), buffer(1));
        assertThat(collector.garbage().waiting()).isOne();
        assertThat(collector.fatalFailure()).isNull();
    }

    @Test
    void aRecordThatIsChangedAllTheTimeIsLeftToTheSweep() {
        addVersions(0, published);
        for (int pass = 0; pass < 10; pass++) {
            put(0, CommitTimestamp.of(0, 2 + pass));
            collector.collect(Snapshot.EVERYTHING, 10);
        }
        assertThat(collector.garbage().waiting()).isZero();
        assertThat(freed).isEmpty();
    }

    @Test
    void aLockedRecordIsTriedOnceInAPassAndLeftAsItIs() {
        long locked = RecordHeader.lock(published);
        put(0, locked);
        addVersions(0, published);
        for (int pass = 0; pass < 2; pass++) {
            long before = queuePair.counters().roundTrips();
            collector.collect(lowWatermark, 1_000);
            assertThat(queuePair.counters().roundTrips() - before).isEqualTo(2);
            assertThat(word(headerAddress(0))).isEqualTo(locked);
        }
        queuePair.writeWord(headerAddress(0), published);
        queuePair.await();
        collector.collect(lowWatermark, 1_000);
        assertThat(freed).containsExactly(buffer(0));
    }

    @Test
    void itemsAddedAtOnceAreCollectedInAFewPasses() {
        for (int round = 0; round < 100; round++) {
            for (int record = 0; record < RECORDS; record++) {
                addVersions(record, CommitTimestamp.of(0, 1));
            }
        }
        for (int record = 0; record < RECORDS; record++) {
            put(record, RecordHeader.FREE);
        }
        int passes = 0;
        while (collector.garbage().waiting() > 0) {
            collector.keepUp(Snapshot.EVERYTHING);
            passes++;
        }
        assertThat(passes).isLessThan(8);
    }

    @Test
    void itemsOfADroppedTableAreDropped() {
        put(0, published);
        addVersions(0, published);
        collector
                .garbage()
                .addVersions(table, CommitTimestamp.of(3, 5), headerAddress(0), bodyAddress(0));
        collector.forget(table);
        assertThat(collector.garbage().waiting()).isZero();
        assertThat(freed).isEmpty();
    }

    /// As in a commit, where one await is between the locks and the install.
    @Test
    void recordsThatLoseTheirOldVersionsAreLockedForOneRoundTrip() {
        for (int record = 0; record < VersionReclaim.MAX_VERSIONS; record++) {
            put(record, published);
            addVersions(record, published);
        }
        collector.collect(lowWatermark, VersionReclaim.MAX_VERSIONS);
        assertThat(freed).hasSize(VersionReclaim.MAX_VERSIONS);
        assertThat(queuePair.take()).hasSize(VersionReclaim.MAX_VERSIONS).containsOnly(1L);
    }

    /// One for the locks, one for the buckets' latches; and what their indexes take.
    @Test
    void deadRecordsAreLockedForTwoRoundTripsAndThoseOfTheirIndexes() {
        addDeadRecords(RecordRemoval.MAX_REMOVALS);
        long before = queuePair.counters().roundTrips();
        collector.collect(lowWatermark, RecordRemoval.MAX_REMOVALS);
        assertThat(queuePair.counters().roundTrips() - before)
                .as("and one for what they leave, as for one record")
                .isEqualTo(3);
        for (int record = 0; record < RecordRemoval.MAX_REMOVALS; record++) {
            assertThat(word(headerAddress(record))).isEqualTo(RecordHeader.FREE);
            assertThat(word(table.bucketAddress(record))).as("latch").isZero();
            assertThat(freed).contains(buffer(record));
        }
        assertThat(queuePair.take()).hasSize(RecordRemoval.MAX_REMOVALS).containsOnly(2L);
    }
}

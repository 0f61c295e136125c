package org.namdb.mvcc.gc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.RestSplitter;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.snapshot.Snapshot;

/// The collection of dead records, and of index entries for former values.
class RecordRemovalTest extends GarbageFixture {
    @Test
    void aDeadRecordLeavesAFreeEntry() {
        long deleted = RecordHeader.deleted(published);
        put(0, deleted);
        collector.garbage().addDeadRecord(table, deleted, headerAddress(0), bodyAddress(0));
        collector.collect(lowWatermark, 10);
        assertThat(freed).containsExactly(buffer(0));
        assertThat(word(headerAddress(0))).isEqualTo(RecordHeader.FREE);
    }

    @Test
    void aDeadRecordWhoseIndexStaysLatchedIsUnlockedAndRetried() {
        long deleted = RecordHeader.deleted(published);
        put(0, deleted);
        collector.garbage().addDeadRecord(table, deleted, headerAddress(0), bodyAddress(0));
        isIndexLatched = true;
        collector.collect(lowWatermark, 10);
        assertThat(word(headerAddress(0))).isEqualTo(deleted);
        assertThat(collector.garbage().waiting()).isOne();
        assertThat(collector.fatalFailure()).isNull();
        isIndexLatched = false;
        collectUntilDone();
        assertThat(word(headerAddress(0))).isEqualTo(RecordHeader.FREE);
        assertThat(freed).containsExactly(buffer(0));
    }

    @Test
    void aFormerEntryWhoseIndexStaysLatchedIsRetried() {
        put(0, published);
        collector
                .garbage()
                .addFormerEntry(
                        table, 1, new long[] {0}, 1, published, headerAddress(0), bodyAddress(0));
        isIndexLatched = true;
        collector.collect(lowWatermark, 10);
        assertThat(word(headerAddress(0))).isEqualTo(published);
        assertThat(collector.garbage().waiting()).isOne();
        isIndexLatched = false;
        collectUntilDone();
        assertThat(word(headerAddress(0))).isEqualTo(published);
    }

    @Test
    void aFormerEntryGoesThoughItsRecordHasGoneBefore() {
        addEntryOfFive();
        collector.collect(lowWatermark, 10);
        assertThat(removedForGood).containsExactly(5L);
        assertThat(RecordHeader.isClaimed(headerWhileRemoved)).as("none is inserted").isTrue();
        assertThat(word(homeOf(5) + BucketLayout.ENTRIES_OFFSET)).isEqualTo(RecordHeader.FREE);
        assertThat(word(homeOf(5))).as("latch").isZero();
        assertThat(collector.garbage().waiting()).isZero();
    }

    @Test
    void aFormerEntryWaitsForTheRecordThatHasItsKeyNow() {
        putAtHome(5, CommitTimestamp.of(3, 5)); // which some snapshot does not see
        addEntryOfFive();
        collector.collect(lowWatermark, 10);
        collector.collect(lowWatermark, 10);
        assertThat(removedForGood).isEmpty();
        assertThat(compared).isEmpty();
        collector.collect(Snapshot.EVERYTHING, 10);
        assertThat(compared).containsExactly(5L);
        assertThat(collector.garbage().waiting()).isZero();
    }

    @Test
    void aFormerEntryWaitsWhileItsKeyIsInserted() {
        putAtHome(5, RecordHeader.claimed(3, 1));
        addEntryOfFive();
        collector.collect(lowWatermark, 10);
        assertThat(removedForGood).isEmpty();
        assertThat(collector.garbage().waiting()).isOne();
        putAtHome(5, RecordHeader.FREE);
        collectUntilDone();
        assertThat(removedForGood).containsExactly(5L);
    }

    @Test
    void aFormerEntryGoesThoughAnotherRecordIsWhereItsOwnWas() {
        addEntryOfFive();
        int elsewhere = homeOf(5) == table.bucketAddress(0) ? 1 : 0;
        put(elsewhere, published); // of the key 0
        collector.collect(lowWatermark, 10);
        assertThat(removedForGood).containsExactly(5L);
        assertThat(word(headerAddress(elsewhere))).isEqualTo(published);
    }

    @Test
    void aKeyWhoseIndexStaysLatchedIsNotKeptClaimed() {
        addEntryOfFive();
        isIndexLatched = true;
        collector.collect(lowWatermark, 10);
        assertThat(word(homeOf(5) + BucketLayout.ENTRIES_OFFSET)).isEqualTo(RecordHeader.FREE);
        assertThat(collector.fatalFailure()).isNull();
        isIndexLatched = false;
        collectUntilDone();
        assertThat(removedForGood).containsExactly(5L);
    }

    /// A wait for a latch that times out is long: it is not repeated for each item, nor each time.
    @Test
    void aLatchIsNotWaitedForInEveryPass() {
        addDeadRecords(10);
        isIndexLatched = true;
        for (int pass = 0; pass < 100; pass++) {
            collector.collect(lowWatermark, 100);
        }
        assertThat(waitsForIndex).isLessThan(6);
        isIndexLatched = false;
        collectUntilDone();
        assertThat(freed).hasSize(10);
    }

    /// Nothing else waits, so that nothing else ends the pass.
    @Test
    void aLockedDeadRecordIsTriedOnceInAPass() {
        long deleted = RecordHeader.deleted(published);
        put(0, RecordHeader.lock(deleted));
        collector.garbage().addDeadRecord(table, deleted, headerAddress(0), bodyAddress(0));
        for (int pass = 0; pass < 3; pass++) {
            long before = queuePair.counters().compareAndSwaps();
            collector.collect(lowWatermark, 1_000);
            assertThat(queuePair.counters().compareAndSwaps() - before).isEqualTo(1);
        }
    }

    /// One of them is locked, one was changed, and one has gone: the others go nonetheless.
    @Test
    void aDeadRecordThatCanNotBeLockedBlocksNoneOfItsBatch() {
        long deleted = RecordHeader.deleted(published);
        addDeadRecords(6);
        put(1, RecordHeader.lock(deleted));
        put(2, published);
        put(3, RecordHeader.FREE);
        collector.collect(lowWatermark, 10);
        assertThat(freed).containsExactlyInAnyOrder(buffer(0), buffer(4), buffer(5));
        assertThat(word(headerAddress(1))).isEqualTo(RecordHeader.lock(deleted));
        assertThat(word(headerAddress(2))).isEqualTo(published);
        assertThat(word(headerAddress(3))).isEqualTo(RecordHeader.FREE);
        assertThat(collector.garbage().waiting()).as("the locked one").isOne();
        put(1, deleted);
        collectUntilDone();
        assertThat(word(headerAddress(1))).isEqualTo(RecordHeader.FREE);
    }

    /// Two indexes have entries for what one change of a record replaced.
    @Test
    void twoFormerEntriesOfOneRecordGoInOnePass() {
        putAtHome(5, published);
        long home = homeOf(5);
        for (int index = 1; index <= 2; index++) {
            collector
                    .garbage()
                    .addFormerEntry(
                            table,
                            index,
                            new long[] {5},
                            1,
                            published,
                            home + BucketLayout.ENTRIES_OFFSET,
                            home + table.layout().bodyOffset(0));
        }
        collector.collect(lowWatermark, 10);
        assertThat(compared).containsExactly(5L, 5L);
        assertThat(word(home + BucketLayout.ENTRIES_OFFSET)).isEqualTo(published);
        assertThat(collector.garbage().waiting()).isZero();
    }

    /// One for the lock; and one for a READ by the index of this test.
    @Test
    void aRecordIsLockedForOneRoundTripAndThoseOfTheIndexThatAFormerEntryLeaves() {
        long home = homeOf(5);
        putAtHome(5, published);
        collector
                .garbage()
                .addFormerEntry(
                        table,
                        1,
                        new long[] {5},
                        1,
                        published,
                        home + BucketLayout.ENTRIES_OFFSET,
                        home + table.layout().bodyOffset(0));
        collector.collect(lowWatermark, 10);
        assertThat(compared).containsExactly(5L);
        assertThat(queuePair.take()).containsExactly(1L + 1);
    }

    /// Two indexes have entries for one change of a record that is locked.
    @Test
    void whatIsTriedLaterKeepsItsOwnEntry() {
        putAtHome(5, RecordHeader.lock(published));
        long home = homeOf(5);
        for (int index = 1; index <= 2; index++) {
            collector
                    .garbage()
                    .addFormerEntry(
                            table,
                            index,
                            new long[] {5, 100 + index},
                            2,
                            published,
                            home + BucketLayout.ENTRIES_OFFSET,
                            home + table.layout().bodyOffset(0));
        }
        collector.collect(lowWatermark, 10);
        List<String> left = new ArrayList<>();
        GarbageRing later = collector.garbage().later;
        long[] entry = new long[KeyLayout.MAX_WORDS];
        while (later.size() > 0) {
            long kind = later.word(later.first() + GarbageRing.KIND);
            later.removeFirst(entry);
            left.add(GarbageRing.indexOf(kind) + ":" + entry[1]);
        }
        assertThat(left).containsExactlyInAnyOrder("1:101", "2:102");
    }

    /// There may be no memory for longer lists of what is locked.
    @Test
    void aBatchLocksNoMoreThanIsWrittenDownWithoutMemory() {
        hashed = 5;
        addDeadRecords(RecordRemoval.MAX_REMOVALS);
        collector.collect(lowWatermark, RecordRemoval.MAX_REMOVALS);
        assertThat(freed).hasSize(RecordRemoval.MAX_REMOVALS);
    }

    @Test
    void aPermanentlyLatchedItemBlocksNoneOfItsBatch() {
        addDeadRecords(10);
        latchedKeys.add(keyAt(3));
        latchedKeys.add(keyAt(5));
        for (int pass = 0; pass < 300; pass++) {
            collector.collect(lowWatermark, 100);
        }
        assertThat(freed).hasSize(8).doesNotContain(buffer(3), buffer(5));
        assertThat(waitsForIndex).isLessThan(15);
        latchedKeys.clear();
        collectUntilDone();
        assertThat(freed).hasSize(10);
    }

    /// Others come, as many as fill batches, before what has failed together is tried again.
    @Test
    void anItemThatFailedInABatchIsRetriedAlone() {
        addDeadRecords(0, RECORDS);
        int latched = 40;
        latchedKeys.add(keyAt(latched));
        boolean isFirstHalf = true;
        for (int pass = 0; pass < 400; pass++) {
            int waits = waitsForIndex;
            collector.collect(lowWatermark, 1000);
            if (waitsForIndex > waits) {
                freed.clear();
                addDeadRecords(isFirstHalf ? 0 : 48, isFirstHalf ? 32 : RECORDS);
                isFirstHalf = !isFirstHalf;
            }
        }
        for (int record = 32; record < 48; record++) {
            assertThat(word(headerAddress(record)) == RecordHeader.FREE)
                    .as("record %d", record)
                    .isEqualTo(record != latched);
        }
    }

    /// The others are freed before the wait is over.
    @Test
    void aPermanentlyLatchedBucketDoesNotBlockTheOthers() {
        addDeadRecords(10);
        long latch = table.bucketAddress(9) + BucketLayout.LATCH_OFFSET;
        queuePair.writeWord(latch, 4);
        queuePair.await();
        collector.collect(lowWatermark, 100);
        assertThat(freed).hasSize(9);
        assertThat(word(headerAddress(9))).isEqualTo(RecordHeader.deleted(published));
        assertThat(collector.fatalFailure()).isNull();
        queuePair.writeWord(latch, 0);
        queuePair.await();
        collectUntilDone();
        assertThat(freed).hasSize(10);
    }

    /// A session that claims entries there holds that of the bucket that was split off.
    @Test
    void aRecordOfABucketThatWasSplitIsFreedUnderTheLatchOfTheOneThatItWentTo() {
        long deleted = RecordHeader.deleted(published);
        RestSplitter splitter =
                new RestSplitter(queuePair, new BumpAllocator(1, 3 << 20, REGION_BYTES), table);
        List<Long> homes = new ArrayList<>();
        for (int record = 1; record < 5; record++) {
            long hash = table.hash(new long[] {keyAt(record)});
            putAt(record, record, deleted);
            while (splitter.find(hash) == table.bucketAddress(record)) {
                long _ = splitter.split(hash);
            }
            long home = splitter.find(hash);
            homes.add(home);
            collector
                    .garbage()
                    .addDeadRecord(
                            table,
                            deleted,
                            home + BucketLayout.ENTRIES_OFFSET,
                            home + table.layout().bodyOffset(0));
        }
        queuePair.writeWord(homes.get(2) + BucketLayout.LATCH_OFFSET, 4);
        queuePair.await();
        collector.collect(lowWatermark, 100);
        for (int record = 1; record < 5; record++) {
            assertThat(word(homes.get(record - 1) + BucketLayout.ENTRIES_OFFSET))
                    .as("record %d", record)
                    .isEqualTo(record == 3 ? deleted : RecordHeader.FREE);
            assertThat(word(table.bucketAddress(record) + BucketLayout.LATCH_OFFSET)).isZero();
        }
        queuePair.writeWord(homes.get(2) + BucketLayout.LATCH_OFFSET, 0);
        queuePair.await();
        collectUntilDone();
        assertThat(word(homes.get(2) + BucketLayout.ENTRIES_OFFSET)).isEqualTo(RecordHeader.FREE);
    }

    @Test
    void entriesWhoseRecordsHaveGoneDoNotEachWaitForALatch() {
        isIndexLatched = true;
        for (int record = 0; record < 10; record++) {
            collector
                    .garbage()
                    .addFormerEntry(
                            table,
                            1,
                            new long[] {keyAt(record)},
                            1,
                            published,
                            headerAddress(20 + record),
                            bodyAddress(20 + record));
        }
        collector.collect(lowWatermark, 100);
        assertThat(waitsForIndex).isOne();
        isIndexLatched = false;
        collectUntilDone();
        assertThat(removedForGood).hasSize(10);
    }

    /// Nothing is lost by an unexpected failure, and no item stays in a batch that the drop of its
    /// table does not reach.
    @Test
    void itemsStoppedByAFailureStayQueued() {
        put(30, published);
        addVersions(30, published);
        addDeadRecords(RecordRemoval.MAX_REMOVALS + 1);
        failure = new IllegalStateException("planted");
        assertThatThrownBy(() -> collector.collect(lowWatermark, 100)).isSameAs(failure);
        assertThat(collector.garbage().waiting()).isEqualTo(RecordRemoval.MAX_REMOVALS + 2L);
        for (int record = 0; record <= RecordRemoval.MAX_REMOVALS; record++) {
            assertThat(word(headerAddress(record))).isEqualTo(RecordHeader.deleted(published));
        }
        failure = null;
        collector.forget(table);
        collector.collect(lowWatermark, 100);
        assertThat(freed).isEmpty();
    }
}

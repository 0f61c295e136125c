package org.namdb.mvcc.gc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.index.EntryRemovals;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchKind;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotChain;

/// The collector beside records that are written word by word: what it takes, what it leaves, and
/// what that costs.
class GarbageCollectorTest {
    private static final int RECORDS = 80;
    private static final long REGION_BYTES = 4 << 20;
    private static final long FIRST_AREA = 1 << 19;
    private static final long FIRST_BUCKET = 1 << 20;
    private static final long FIRST_BUFFER = 2 << 20;

    private final List<Long> freed = new ArrayList<>();
    private ShmFabric fabric;
    private LockSpans queuePair;
    private HashTable table;
    private HashTable elsewhere;
    private GarbageCollector collector;
    private long published;
    private Snapshot lowWatermark;
    private boolean isIndexLatched;
    private final List<Long> removedForGood = new ArrayList<>();
    private final List<Long> compared = new ArrayList<>();
    private long headerWhileRemoved;
    private int waitsForIndex;

    @BeforeEach
    void open() {
        fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
        Region region = fabric.register(0, REGION_BYTES);
        queuePair =
                new LockSpans(fabric.connect(List.of(region, fabric.register(1, REGION_BYTES))));
        TimestampVectorLayout vector = new TimestampVectorLayout(RemoteAddress.of(0, 4096), 4);
        vector.format(queuePair);
        TimestampSlot slot = TimestampSlot.take(vector, queuePair, 1);
        published = slot.next();
        slot.publish(published);
        queuePair.await();
        lowWatermark = new Snapshot();
        new SnapshotChain(slot).acquire(lowWatermark);
        queuePair.await();
        table =
                new HashTable(
                        7,
                        new KeyLayout(List.of("id"), List.of(ColumnType.INT64)),
                        1,
                        new BucketLayout(1, 1, 8, true),
                        2,
                        new long[] {RemoteAddress.of(0, FIRST_BUCKET)},
                        RECORDS);
        elsewhere = oneRecordOnServer1();
        Intents intents =
                new Intents(
                        queuePair,
                        new IntentLayout(
                                RemoteAddress.of(0, FIRST_AREA), RemoteAddress.of(1, FIRST_AREA)),
                        slot.number(),
                        1,
                        new Freed());
        collector =
                new GarbageCollector(
                        queuePair,
                        new Freed(),
                        new Freed(),
                        number -> number == table.id() ? table : elsewhere,
                        new OneIndex(),
                        new LatchOwner(
                                slot.number(),
                                Host.MACHINE,
                                Duration.ofSeconds(10).toNanos(),
                                LatchOwner.Cancellation.NEVER),
                        intents);
    }

    private static HashTable oneRecordOnServer1() {
        return new HashTable(
                8,
                new KeyLayout(List.of("id"), List.of(ColumnType.INT64)),
                1,
                new BucketLayout(1, 1, 8, true),
                2,
                new long[] {RemoteAddress.of(1, FIRST_BUCKET)},
                1);
    }

    @AfterEach
    void close() {
        queuePair.close();
        fabric.close();
    }

    private final class Freed implements RemoteAllocator {
        @Override
        public long allocate(int server, int bytes) {
            throw new AssertionError("a collector needs no memory");
        }

        @Override
        public void reserve(int server, int bytes) {
            throw new AssertionError("a collector needs no memory");
        }

        @Override
        public void free(long address, int bytes) {
            assertThat(freed).as("given back once").doesNotContain(address);
            freed.add(address);
        }
    }

    /// An index without entries, whose latch may be one that nobody lets go of.
    private final class OneIndex implements IndexEntries {
        @Override
        public void removeAll(int of, long[] key, long payload, EntryRemovals together) {
            if (isIndexLatched) {
                waitsForIndex++;
                throw new LatchTimeoutException(LatchKind.BUCKET, headerAddress(1), 3, 1);
            }
        }

        /// Entries are keys.
        @Override
        public boolean primaryKey(int of, int index, long[] entry, long[] key) {
            key[0] = entry[0];
            return true;
        }

        @Override
        public void removeFormer(
                int of, int index, long[] entry, long[] key, long payload, EntryRemovals together) {
            removeAll(of, key, payload, together);
            assertThat(key[0]).isEqualTo(entry[0]);
            (payload == 0 ? removedForGood : compared).add(entry[0]);
            headerWhileRemoved = word(homeOf(entry[0]) + BucketLayout.ENTRIES_OFFSET);
        }
    }

    private long headerAddress(int record) {
        return table.bucketAddress(record) + BucketLayout.ENTRIES_OFFSET;
    }

    private long bodyAddress(int record) {
        return table.bucketAddress(record) + table.layout().bodyOffset(0);
    }

    private long buffer(int record) {
        return RemoteAddress.of(0, FIRST_BUFFER + 1024L * record);
    }

    /// A record with an old-version buffer and nothing in the overflow region.
    private void put(int record, long header) {
        queuePair.writeWord(headerAddress(record), header);
        queuePair.writeWord(bodyAddress(record) + RecordBody.VERSIONS_OFFSET, buffer(record));
        queuePair.writeWord(buffer(record) + OldVersionBuffer.OVERFLOW_OFFSET, RemoteAddress.NULL);
        queuePair.await();
    }

    /// The record with the key whose home its bucket is.
    private void putAt(int record, int bucket, long header) {
        long key = 0;
        while (homeOf(key) != table.bucketAddress(bucket)) {
            key++;
        }
        queuePair.writeWord(headerAddress(record) + BucketLayout.KEY_OFFSET, key);
        put(record, header);
    }

    private long word(long address) {
        long view = queuePair.read(address, 8);
        queuePair.await();
        return LocalMemory.longAcquire(view);
    }

    private void addVersions(int record, long header) {
        collector.garbage().addVersions(table, header, headerAddress(record), bodyAddress(record));
    }

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
    void aDeadRecordLeavesAFreeEntry() {
        long deleted = RecordHeader.deleted(published);
        put(0, deleted);
        collector.garbage().addDeadRecord(table, deleted, headerAddress(0), bodyAddress(0));
        collector.collect(lowWatermark, 10);
        assertThat(freed).containsExactly(buffer(0));
        assertThat(word(headerAddress(0))).isEqualTo(RecordHeader.FREE);
    }

    @Test
    void whatSnapshotsStillNeedStays() {
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
    void anItemOfADeadSessionThatTheSweepFoundHoldsUpNothingBehindIt() {
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
    void aDeadRecordWhoseIndexIsLatchedForEverIsLeftUnlockedAndTriedAgain() {
        long deleted = RecordHeader.deleted(published);
        put(0, deleted);
        collector.garbage().addDeadRecord(table, deleted, headerAddress(0), bodyAddress(0));
        isIndexLatched = true;
        collector.collect(lowWatermark, 10);
        assertThat(word(headerAddress(0))).isEqualTo(deleted);
        assertThat(collector.garbage().waiting()).isOne();
        assertThat(collector.breakage()).isNull();
        isIndexLatched = false;
        collectUntilDone();
        assertThat(word(headerAddress(0))).isEqualTo(RecordHeader.FREE);
        assertThat(freed).containsExactly(buffer(0));
    }

    @Test
    void aFormerEntryWhoseIndexIsLatchedForEverIsTriedAgain() {
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

    private long homeOf(long key) {
        return table.home(table.hash(new long[] {key}));
    }

    private void putAtHome(long key, long header) {
        queuePair.writeWord(
                homeOf(key) + BucketLayout.ENTRIES_OFFSET + BucketLayout.KEY_OFFSET, key);
        queuePair.writeWord(homeOf(key) + BucketLayout.ENTRIES_OFFSET, header);
        queuePair.await();
    }

    /// An entry for a former value of the record with the key 5, which was somewhere else when it
    /// was changed: in a bucket that holds the body itself, and so has no pointer to one.
    private void addEntryOfFive() {
        int elsewhere = homeOf(5) == table.bucketAddress(0) ? 1 : 0;
        queuePair.writeWord(headerAddress(elsewhere) + table.layout().bodyPointerOffset(), 24);
        queuePair.await();
        collector
                .garbage()
                .addFormerEntry(
                        table,
                        1,
                        new long[] {5},
                        1,
                        published,
                        headerAddress(elsewhere),
                        bodyAddress(elsewhere));
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
    void aKeyWhoseIndexIsLatchedForEverIsNotKeptClaimed() {
        addEntryOfFive();
        isIndexLatched = true;
        collector.collect(lowWatermark, 10);
        assertThat(word(homeOf(5) + BucketLayout.ENTRIES_OFFSET)).isEqualTo(RecordHeader.FREE);
        assertThat(collector.breakage()).isNull();
        isIndexLatched = false;
        collectUntilDone();
        assertThat(removedForGood).containsExactly(5L);
    }

    /// Who waits in vain for a latch has waited long: it does not do so for each item, nor
    /// each time.
    @Test
    void aLatchIsNotWaitedForInEveryPass() {
        long deleted = RecordHeader.deleted(published);
        for (int record = 0; record < 10; record++) {
            put(record, deleted);
            collector
                    .garbage()
                    .addDeadRecord(table, deleted, headerAddress(record), bodyAddress(record));
        }
        isIndexLatched = true;
        for (int pass = 0; pass < 100; pass++) {
            collector.collect(lowWatermark, 100);
        }
        assertThat(waitsForIndex).isLessThan(6);
        isIndexLatched = false;
        collectUntilDone();
        assertThat(freed).hasSize(10);
    }

    private void collectUntilDone() {
        for (int pass = 0; pass < 300 && collector.garbage().waiting() > 0; pass++) {
            collector.collect(lowWatermark, 100);
        }
        assertThat(collector.garbage().waiting()).isZero();
    }

    @Test
    void aServerThatIsGoneHoldsUpNothingOnTheOthers() {
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
        assertThat(collector.breakage()).isNull();
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

    /// Nothing else waits, so that nothing else ends the pass.
    @Test
    void aLockedDeadRecordIsTriedOnceInAPass() {
        long deleted = RecordHeader.deleted(published);
        put(0, RecordHeader.lock(deleted));
        collector.garbage().addDeadRecord(table, deleted, headerAddress(0), bodyAddress(0));
        for (int pass = 0; pass < 3; pass++) {
            long before = queuePair.counters().swaps();
            collector.collect(lowWatermark, 1_000);
            assertThat(queuePair.counters().swaps() - before).isEqualTo(1);
        }
    }

    @Test
    void whatIsAddedInOneGoIsTakenAwayInAFewPasses() {
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
    void whatWaitsForATableThatIsDroppedIsForgotten() {
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
        for (int record = 0; record < VersionReclaim.MOST; record++) {
            put(record, published);
            addVersions(record, published);
        }
        collector.collect(lowWatermark, VersionReclaim.MOST);
        assertThat(freed).hasSize(VersionReclaim.MOST);
        assertThat(queuePair.take()).hasSize(VersionReclaim.MOST).containsOnly(1L);
    }

    /// One for the locks, one for the buckets' latches; and what their indexes take.
    @Test
    void deadRecordsAreLockedForTwoRoundTripsAndThoseOfTheirIndexes() {
        long deleted = RecordHeader.deleted(published);
        for (int record = 0; record < RecordRemoval.MOST; record++) {
            putAt(record, record, deleted);
            collector
                    .garbage()
                    .addDeadRecord(table, deleted, headerAddress(record), bodyAddress(record));
        }
        long before = queuePair.counters().roundTrips();
        collector.collect(lowWatermark, RecordRemoval.MOST);
        assertThat(queuePair.counters().roundTrips() - before)
                .as("and one for what they leave, as for one record")
                .isEqualTo(3);
        for (int record = 0; record < RecordRemoval.MOST; record++) {
            assertThat(word(headerAddress(record))).isEqualTo(RecordHeader.FREE);
            assertThat(word(table.bucketAddress(record))).as("latch").isZero();
            assertThat(freed).contains(buffer(record));
        }
        assertThat(queuePair.take()).hasSize(RecordRemoval.MOST).containsOnly(2L);
    }

    /// One of them is locked, one was changed, and one has gone: the others go nonetheless.
    @Test
    void aDeadRecordThatIsNotToBeHadHoldsUpNoneOfItsBatch() {
        long deleted = RecordHeader.deleted(published);
        for (int record = 0; record < 6; record++) {
            putAt(record, record, deleted);
            collector
                    .garbage()
                    .addDeadRecord(table, deleted, headerAddress(record), bodyAddress(record));
        }
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

    /// Two indexes have entries for what one change of a record took away.
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
}

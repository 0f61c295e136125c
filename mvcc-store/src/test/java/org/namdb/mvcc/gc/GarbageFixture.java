package org.namdb.mvcc.gc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
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
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotChain;

/// A collector with records that are written word by word, and an index that has no entries.
abstract class GarbageFixture {
    static final int RECORDS = 80;
    static final long REGION_BYTES = 4 << 20;
    static final long FIRST_AREA = 1 << 19;
    static final long HEAD = 1 << 20;
    static final long FIRST_BUFFER = 2 << 20;

    final List<Long> freed = new ArrayList<>();
    ShmFabric fabric;
    LockSpans queuePair;
    HashTable table;
    HashTable elsewhere;
    GarbageCollector collector;
    long published;
    Snapshot lowWatermark;
    boolean isIndexLatched;
    final List<Long> removedForGood = new ArrayList<>();
    final List<Long> compared = new ArrayList<>();
    long headerWhileRemoved;
    int waitsForIndex;
    Intents intents;

    /// How many of the table's indexes are hashed.
    int hashed;

    /// The keys whose entries' latches are never released.
    final List<Long> latchedKeys = new ArrayList<>();

    /// What the index throws, if anything.
    @Nullable RuntimeException failure;

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
                        new long[] {RemoteAddress.of(0, HEAD)},
                        RECORDS);
        elsewhere = oneRecordOnServer1();
        intents =
                new Intents(
                        queuePair,
                        new IntentLayout(
                                RemoteAddress.of(0, FIRST_AREA), RemoteAddress.of(1, FIRST_AREA)),
                        slot.number(),
                        1,
                        new FreedMemory(freed));
        collector =
                new GarbageCollector(
                        queuePair,
                        new FreedMemory(freed),
                        new FreedMemory(freed),
                        number -> number == table.id() ? table : elsewhere,
                        new OneIndex(),
                        new LatchOwner(
                                slot.number(),
                                Host.MACHINE,
                                Duration.ofMillis(200).toNanos(),
                                LatchOwner.Cancellation.NEVER),
                        intents);
    }

    static HashTable oneRecordOnServer1() {
        return new HashTable(
                8,
                new KeyLayout(List.of("id"), List.of(ColumnType.INT64)),
                1,
                new BucketLayout(1, 1, 8, true),
                2,
                new long[] {RemoteAddress.of(1, HEAD)},
                1);
    }

    @AfterEach
    void close() {
        queuePair.close();
        fabric.close();
    }

    /// An index without entries, whose latch may be one that is never released.
    final class OneIndex implements IndexEntries {
        @Override
        public int hashed(int of) {
            return hashed;
        }

        @Override
        public void removeAll(int of, long[] key, long payload, EntryRemovals together) {
            for (int index = 0; index < hashed; index++) {
                intents.postIndexBucket(headerAddress(1), index);
            }
            if (failure != null) {
                throw failure;
            }
            if (isIndexLatched || latchedKeys.contains(key[0])) {
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

    long headerAddress(int record) {
        return table.bucketAddress(record) + BucketLayout.ENTRIES_OFFSET;
    }

    long bodyAddress(int record) {
        return table.bucketAddress(record) + table.layout().bodyOffset(0);
    }

    long buffer(int record) {
        return RemoteAddress.of(0, FIRST_BUFFER + 1024L * record);
    }

    /// A record with an old-version buffer and nothing in the overflow region.
    void put(int record, long header) {
        queuePair.writeWord(headerAddress(record), header);
        queuePair.writeWord(bodyAddress(record) + RecordBody.VERSIONS_OFFSET, buffer(record));
        queuePair.writeWord(buffer(record) + OldVersionBuffer.OVERFLOW_OFFSET, RemoteAddress.NULL);
        queuePair.await();
    }

    /// The record with the key whose home its bucket is.
    void putAt(int record, int bucket, long header) {
        queuePair.writeWord(headerAddress(record) + BucketLayout.KEY_OFFSET, keyAt(bucket));
        put(record, header);
    }

    /// A key whose home this bucket is.
    long keyAt(int bucket) {
        long key = 0;
        while (homeOf(key) != table.bucketAddress(bucket)) {
            key++;
        }
        return key;
    }

    /// Deleted records, each in its home bucket, as this session has left them.
    void addDeadRecords(int records) {
        addDeadRecords(0, records);
    }

    void addDeadRecords(int from, int to) {
        long deleted = RecordHeader.deleted(published);
        for (int record = from; record < to; record++) {
            putAt(record, record, deleted);
            addDeadRecord(record, deleted);
        }
    }

    void addDeadRecord(int record, long header) {
        collector
                .garbage()
                .addDeadRecord(table, header, headerAddress(record), bodyAddress(record));
    }

    long word(long address) {
        long view = queuePair.read(address, 8);
        queuePair.await();
        return LocalMemory.longAcquire(view);
    }

    void addVersions(int record, long header) {
        collector.garbage().addVersions(table, header, headerAddress(record), bodyAddress(record));
    }

    long homeOf(long key) {
        return table.home(table.hash(new long[] {key}));
    }

    void putAtHome(long key, long header) {
        queuePair.writeWord(
                homeOf(key) + BucketLayout.ENTRIES_OFFSET + BucketLayout.KEY_OFFSET, key);
        queuePair.writeWord(homeOf(key) + BucketLayout.ENTRIES_OFFSET, header);
        queuePair.await();
    }

    /// An entry for a former value of the record with the key 5, which was somewhere else when it
    /// was changed: in a bucket that holds the body itself, and so has no pointer to one.
    void addEntryOfFive() {
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

    void collectUntilDone() {
        for (int pass = 0; pass < 300 && collector.garbage().waiting() > 0; pass++) {
            collector.collect(lowWatermark, 100);
        }
        assertThat(collector.garbage().waiting()).isZero();
    }
}

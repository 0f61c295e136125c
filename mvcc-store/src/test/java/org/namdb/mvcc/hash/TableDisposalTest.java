package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.OverflowVersion;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.snapshot.Snapshot;

/// What a table's buckets lead to is freed with it: each piece once, with its size.
class TableDisposalTest {
    private static final int REGION_BYTES = 4 << 20;
    private static final long HEAD = RemoteAddress.of(0, 1024);
    private static final int HOMES = 3;
    private static final int RECORDS = 200;
    private static final RecordSchema SCHEMA =
            new RecordSchema(
                    TableDefinition.named("t")
                            .column("id", ColumnType.INT64)
                            .column("value", ColumnType.INT64)
                            .primaryKey("id")
                            .build());

    private final Memory data = new Memory(1 << 16);
    private final Memory oldVersions = new Memory(2 << 20);
    private ShmFabric fabric;
    private QueuePair queuePair;
    private HashTable table;
    private final List<RecordWrite> writes = new ArrayList<>();

    @BeforeEach
    void open() {
        fabric = new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
        Region region = fabric.register(0, REGION_BYTES);
        queuePair = fabric.connect(List.of(region));
    }

    @AfterEach
    void close() {
        queuePair.close();
        fabric.close();
    }

    private void fill(boolean isInlined) {
        table =
                new HashTable(
                        1,
                        SCHEMA.key(),
                        1,
                        new BucketLayout(2, 1, SCHEMA.payloadBytes(), isInlined),
                        2,
                        new long[] {HEAD},
                        HOMES);
        LatchOwner owner =
                new LatchOwner(
                        0,
                        Host.MACHINE,
                        Duration.ofSeconds(10).toNanos(),
                        LatchOwner.Cancellation.NEVER);
        IntentLayout layout = new IntentLayout(RemoteAddress.of(0, REGION_BYTES - (1 << 16)));
        InsertClaims claims =
                new InsertClaims(
                        queuePair,
                        data,
                        owner,
                        new Intents(queuePair, layout, 0, 1, data),
                        new DueSplits(null),
                        queuePair::localMemory,
                        Long.MAX_VALUE);
        for (int id = 0; id < RECORDS; id++) {
            RecordRead key = new RecordRead(table, SCHEMA.nothing());
            key.prepare(table, new long[] {id}, SCHEMA.nothing(), 0);
            RecordWrite write = new RecordWrite(table);
            write.prepareInsert(table);
            claims.add(key, write);
            writes.add(write);
        }
        assertThat(claims.claimAll(Snapshot.EVERYTHING)).isTrue();
        for (int id = 0; id < RECORDS; id++) {
            install(writes.get(id), versions(id));
            writes.get(id).postHeader(queuePair, CommitTimestamp.of(0, id + 1));
            queuePair.await();
        }
    }

    private void install(RecordWrite record, long versions) {
        write(record.bodyAddress() + RecordBody.VERSIONS_OFFSET, versions);
        if (!table.layout().inlined()) {
            long pointer = record.headerAddress() + table.layout().bodyPointerOffset();
            write(pointer, record.bodyAddress());
        }
    }

    /// None for every third; else a buffer with up to two versions in the overflow region.
    private long versions(int id) {
        if (id % 3 == 0) {
            return RemoteAddress.NULL;
        }
        long newest = RemoteAddress.NULL;
        for (int version = 0; version < id % 3; version++) {
            int bytes = OverflowVersion.bytes(table.layout().payloadBytes());
            long older = newest;
            newest = oldVersions.allocate(0, bytes);
            write(newest + OverflowVersion.OLDER_OFFSET, older);
        }
        long buffer = oldVersions.allocate(0, table.oldVersions().bytes());
        write(buffer + OldVersionBuffer.OVERFLOW_OFFSET, newest);
        return buffer;
    }

    private void write(long address, long word) {
        queuePair.writeWord(address, word);
        queuePair.await();
    }

    private TableDisposal disposal() {
        return new TableDisposal(queuePair, data, oldVersions);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatSplitsHaveMadeIsFreedOnce(boolean isInlined) {
        fill(isInlined);
        RestSplitter splitter = new RestSplitter(queuePair, data, table);
        for (int id = 0; id < RECORDS; id++) {
            long _ = splitter.split(table.hash(new long[] {id}));
        }
        int made = data.inUse.size();
        disposal().disposeRecords(table);
        assertThat(data.inUse).isEmpty();
        assertThat(oldVersions.inUse).isEmpty();
        assertThat(made).isGreaterThan(RECORDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everythingIsFreedOnce(boolean isInlined) {
        fill(isInlined);
        assertThat(data.inUse).hasSizeGreaterThan(HOMES);
        disposal().disposeRecords(table);
        assertThat(data.inUse).isEmpty();
        assertThat(oldVersions.inUse).isEmpty();
    }

    /// What a dead session has locked may point anywhere: nothing of it is followed.
    @Test
    void lockedRecordsAreNotFollowed() {
        fill(true);
        RecordWrite locked = writes.get(2);
        write(locked.headerAddress(), RecordHeader.lock(CommitTimestamp.of(0, 3)));
        write(locked.bodyAddress() + RecordBody.VERSIONS_OFFSET, RemoteAddress.of(0, 8));
        disposal().disposeRecords(table);
        assertThat(data.inUse).isEmpty();
        assertThat(oldVersions.inUse).as("its buffer and two versions").hasSize(3);
    }

    @Test
    void entriesHaveNoBodies() {
        fill(true);
        Set<Long> versions = new HashSet<>(oldVersions.inUse.keySet());
        disposal().disposeEntries(table);
        assertThat(data.inUse).isEmpty();
        assertThat(oldVersions.inUse.keySet()).isEqualTo(versions);
    }

    private static final class Memory implements RemoteAllocator {
        private final Map<Long, Integer> inUse = new HashMap<>();
        private long next;

        Memory(long first) {
            next = first;
        }

        @Override
        public long allocate(int server, int bytes) {
            long address = RemoteAddress.of(server, next);
            next += bytes + 63 & -64;
            inUse.put(address, bytes);
            return address;
        }

        @Override
        public void reserve(int server, int bytes) {}

        @Override
        public void free(long address, int bytes) {
            assertThat(inUse.remove(address)).as("%x", address).isEqualTo(bytes);
        }
    }
}

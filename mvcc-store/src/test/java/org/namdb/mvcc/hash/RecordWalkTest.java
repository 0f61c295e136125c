package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.CommitTimestamp;

/// Which records of a bucket are visited, and what is reported of them.
class RecordWalkTest {
    private static final long HEAD = 1 << 16;
    private static final long AREAS = 1 << 18;
    private static final long BODIES = 1 << 19;
    private static final long VERSIONS = RemoteAddress.of(0, 3 << 18);
    private static final long LIVE = CommitTimestamp.of(1, 7);

    private ShmFabric fabric;
    private QueuePair queuePair;

    /// What was reported: header, its address, the body's, and the old-version buffer's.
    private final List<List<Long>> visited = new ArrayList<>();

    @BeforeEach
    void open() {
        fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
        queuePair = fabric.connect(List.of(fabric.register(0, 1 << 20)));
    }

    @AfterEach
    void close() {
        queuePair.close();
        fabric.close();
    }

    private static HashTable table(int records, boolean isInlined) {
        return new HashTable(
                3,
                new KeyLayout(List.of("id"), List.of(ColumnType.INT64)),
                1,
                new BucketLayout(records, 1, 8, isInlined),
                2,
                new long[] {RemoteAddress.of(0, HEAD)},
                8);
    }

    private void walk(HashTable table, long home) {
        RecordWalk walk = new RecordWalk(queuePair);
        walk.visit(
                table,
                home,
                (of, header, headerAddress, bodyAddress, versions) -> {
                    assertThat(of).isSameAs(table);
                    visited.add(List.of(header, headerAddress, bodyAddress, versions));
                });
    }

    /// Writes an entry whose body is inlined.
    ///
    /// @return what is to be reported of it
    private List<Long> put(
            HashTable table, long bucketAddress, int entry, long header, long versions) {
        long headerAddress = bucketAddress + table.layout().entryOffset(entry);
        long bodyAddress = bucketAddress + table.layout().bodyOffset(entry);
        queuePair.writeWord(headerAddress, header);
        queuePair.writeWord(bodyAddress + RecordBody.VERSIONS_OFFSET, versions);
        queuePair.await();
        return List.of(header, headerAddress, bodyAddress, versions);
    }

    @Test
    void recordsAreVisitedWithTheirOldVersionsDeletedOnesToo() {
        HashTable table = table(3, true);
        long bucket = table.bucketAddress(2);
        List<Long> first = put(table, bucket, 0, LIVE, VERSIONS);
        List<Long> last = put(table, bucket, 2, RecordHeader.deleted(LIVE), RemoteAddress.NULL);
        put(table, table.bucketAddress(1), 0, LIVE, VERSIONS);
        walk(table, table.bucketAddress(2));
        assertThat(visited).containsExactly(first, last);
    }

    @Test
    void recordsBeingCommittedAreSkipped() {
        HashTable table = table(3, true);
        long bucket = table.bucketAddress(0);
        put(table, bucket, 0, RecordHeader.lock(LIVE), VERSIONS);
        put(table, bucket, 1, RecordHeader.claimed(1, 5), VERSIONS);
        put(table, bucket, 2, RecordHeader.FREE, VERSIONS);
        walk(table, table.bucketAddress(0));
        assertThat(visited).isEmpty();
    }

    @Test
    void overflowAreasAreVisitedTheNewestFirst() {
        HashTable table = table(1, true);
        long newer = RemoteAddress.of(0, AREAS);
        long older = RemoteAddress.of(0, AREAS + 4096);
        long home = table.bucketAddress(5);
        queuePair.writeWord(home + BucketLayout.OVERFLOW_OFFSET, newer);
        queuePair.writeWord(newer + BucketLayout.OVERFLOW_OFFSET, older);
        List<List<Long>> all = new ArrayList<>();
        for (long bucket : new long[] {home, newer, older}) {
            all.add(put(table, bucket, 0, LIVE, RemoteAddress.NULL));
        }
        walk(table, table.bucketAddress(5));
        assertThat(visited).isEqualTo(all);
    }

    @Test
    void bodiesElsewhereAreFoundByTheirPointers() {
        HashTable table = table(3, false);
        BucketLayout layout = table.layout();
        long bucket = table.bucketAddress(1);
        for (int entry = 0; entry < 3; entry++) {
            long body = RemoteAddress.of(0, BODIES + 64L * entry);
            long header = bucket + layout.entryOffset(entry);
            boolean hasBody = entry != 1; // it is being claimed again: its body is on the way
            queuePair.writeWord(
                    header + layout.bodyPointerOffset(), hasBody ? body : RemoteAddress.NULL);
            queuePair.writeWord(body + RecordBody.VERSIONS_OFFSET, VERSIONS + entry);
            queuePair.writeWord(header, LIVE);
        }
        queuePair.await();
        walk(table, table.bucketAddress(1));
        assertThat(visited)
                .containsExactly(
                        List.of(
                                LIVE,
                                bucket + layout.entryOffset(0),
                                RemoteAddress.of(0, BODIES),
                                VERSIONS),
                        List.of(
                                LIVE,
                                bucket + layout.entryOffset(2),
                                RemoteAddress.of(0, BODIES + 128),
                                VERSIONS + 2));
    }
}

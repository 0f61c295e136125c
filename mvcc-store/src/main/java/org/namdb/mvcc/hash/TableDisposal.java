package org.namdb.mvcc.hash;

import java.util.Arrays;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.OverflowVersion;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;

/// Frees what the first buckets of a dropped table lead to: buckets that splits have made and the
/// directory's levels, overflow areas, bodies that are not inlined, old-version buffers and
/// overflow versions. The heads with the first buckets behind them are the caller's. No session
/// uses the table any more, or has garbage of it.
///
/// What a process that died in a commit has left locked is not trusted: a few pieces may be lost,
/// none is freed twice.
public final class TableDisposal {
    private static final int READ_BYTES = 64 << 10;
    private final QueuePair queuePair;
    private final RemoteAllocator data;
    private final RemoteAllocator oldVersions;

    private long[] overflows = new long[16];
    private long[] bodies = new long[64];
    private int bodyCount;
    private long[] buffers = new long[64];
    private int bufferCount;

    /// @param data where overflow areas and bodies go
    /// @param oldVersions where old versions go
    public TableDisposal(QueuePair queuePair, RemoteAllocator data, RemoteAllocator oldVersions) {
        this.queuePair = queuePair;
        this.data = data;
        this.oldVersions = oldVersions;
    }

    /// Frees what a table of records has, except heads and first buckets.
    public void disposeRecords(HashTable table) {
        dispose(table, true);
    }

    /// Frees what a [HashIndex] has, except heads and first buckets: its records are only keys.
    public void disposeEntries(HashTable table) {
        dispose(table, false);
    }

    private void dispose(HashTable table, boolean hasBodies) {
        long bucket = 0;
        while (bucket < table.buckets()) {
            int count = (int) Math.min(bucketsPerRead(table), table.bucketsInRange(bucket));
            disposeRun(table, table.bucketAddress(bucket), count, hasBodies);
            for (int i = 0; i < count; i++) {
                disposeAreas(table, overflows[i], hasBodies);
            }
            bucket += count;
        }
        for (int range = 0; range < table.ranges(); range++) {
            disposeParts(table, range, hasBodies);
        }
    }

    /// Buckets that splits have made, and the levels that point to them.
    private void disposeParts(HashTable table, int range, boolean hasBodies) {
        HomeBuckets parts = new HomeBuckets(queuePair);
        parts.startBehindRoots(table, range);
        while (parts.next()) {
            disposeRun(table, parts.address(), 1, hasBodies);
            disposeAreas(table, overflows[0], hasBodies);
            data.free(parts.address(), table.bucketBytes);
        }
        for (int level = 0; level < parts.depth(); level++) {
            long bytes = Long.BYTES * TableHead.words(level, table.roots());
            data.free(parts.level(level), Math.toIntExact(bytes));
        }
    }

    private int bucketsPerRead(HashTable table) {
        int most = Math.min(READ_BYTES, queuePair.batchBytes());
        return Math.max(1, most / table.bucketBytes);
    }

    private void disposeAreas(HashTable table, long newest, boolean hasBodies) {
        if (RemoteAddress.isNull(newest)) {
            return;
        }
        long[] ofCaller = overflows;
        overflows = new long[1];
        long area = newest;
        while (!RemoteAddress.isNull(area)) {
            disposeRun(table, area, 1, hasBodies);
            data.free(area, table.bucketBytes);
            area = overflows[0];
        }
        overflows = ofCaller;
    }

    /// Frees what the records of some adjacent buckets have; leaves their overflow pointers in
    /// `overflows`.
    private void disposeRun(HashTable table, long address, int count, boolean hasBodies) {
        if (overflows.length < count) {
            overflows = new long[count];
        }
        bodyCount = 0;
        bufferCount = 0;
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(address, count * table.bucketBytes);
            queuePair.await();
            for (int i = 0; i < count; i++) {
                long bucket = view + (long) i * table.bucketBytes;
                overflows[i] = LocalMemory.longAcquire(bucket + BucketLayout.OVERFLOW_OFFSET);
                if (hasBodies) {
                    takeEntries(table, bucket);
                }
            }
        }
        disposeBodies(table);
        disposeBuffers(table);
    }

    private void takeEntries(HashTable table, long bucket) {
        for (int entry = 0; entry < table.records; entry++) {
            long at = bucket + table.layout().entryOffset(entry);
            long header = LocalMemory.longAcquire(at);
            // A record that a dead session was moving is in two buckets, and locked in both.
            if (header == RecordHeader.FREE || RecordHeader.isLocked(header)) {
                continue;
            }
            if (!table.inlined) {
                addBody(LocalMemory.longAt(at + table.layout().bodyPointerOffset()));
            } else {
                long body = bucket + table.layout().bodyOffset(entry);
                addBuffer(LocalMemory.longAt(body + RecordBody.VERSIONS_OFFSET));
            }
        }
    }

    private void addBody(long body) {
        if (bodyCount == bodies.length) {
            bodies = Arrays.copyOf(bodies, 2 * bodyCount);
        }
        bodies[bodyCount++] = body;
    }

    private void addBuffer(long buffer) {
        if (RemoteAddress.isNull(buffer)) {
            return;
        }
        if (bufferCount == buffers.length) {
            buffers = Arrays.copyOf(buffers, 2 * bufferCount);
        }
        buffers[bufferCount++] = buffer;
    }

    private void disposeBodies(HashTable table) {
        try (ViewScope _ = queuePair.openViews()) {
            long[] views = new long[bodyCount];
            for (int i = 0; i < bodyCount; i++) {
                views[i] = queuePair.read(bodies[i] + RecordBody.VERSIONS_OFFSET, Long.BYTES);
            }
            queuePair.await();
            for (int i = 0; i < bodyCount; i++) {
                addBuffer(LocalMemory.longAt(views[i]));
                data.free(bodies[i], table.layout().bodyBytes());
            }
        }
    }

    private void disposeBuffers(HashTable table) {
        long[] versions = new long[bufferCount];
        try (ViewScope _ = queuePair.openViews()) {
            for (int i = 0; i < bufferCount; i++) {
                long overflow = buffers[i] + OldVersionBuffer.OVERFLOW_OFFSET;
                versions[i] = queuePair.read(overflow, Long.BYTES);
            }
            queuePair.await();
            for (int i = 0; i < bufferCount; i++) {
                versions[i] = LocalMemory.longAt(versions[i]);
                oldVersions.free(buffers[i], table.oldVersions().bytes());
            }
        }
        int bytes = OverflowVersion.bytes(table.layout().payloadBytes());
        for (int i = 0; i < bufferCount; i++) {
            long version = versions[i];
            while (!RemoteAddress.isNull(version)) {
                long older = queuePair.readWord(version + OverflowVersion.OLDER_OFFSET);
                oldVersions.free(version, bytes);
                version = older;
            }
        }
    }
}

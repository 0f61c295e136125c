package org.namdb.mvcc.hash;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.Snapshot;

/// Reads all records of a bucket and its overflow areas: the neighbours of a key, or every one when a table is scanned.
/// Belongs to one thread.
public final class BucketRead {
    /// In place of an overflow pointer: the bucket must be read again.
    private static final long AGAIN = 1;

    /// How much of the landing buffer is filled before records that have views in it are finished.
    private static final int LANDING_SHARE = 4;

    private final HashTable table;
    private final long[] key;
    private final BucketViews views = new BucketViews();
    private final long[] prefix;
    private long[] overflows = new long[16];
    private RecordRead[] unfinished = new RecordRead[16];
    private int unfinishedCount;
    private long landedBefore;

    public BucketRead(HashTable table) {
        this.table = table;
        this.key = new long[table.keyWords];
        this.prefix = new long[table.keyWords];
    }

    public HashTable table() {
        return table;
    }

    /// Hands all records whose keys agree with `neighbour` in the neighbour prefix to the sink. Those that are not done go on with the next
    /// await. Takes a round trip for the home bucket and one for each overflow area.
    public void readNeighbours(
            QueuePair queuePair, Snapshot snapshot, long[] neighbour, RecordSink sink) {
        unfinishedCount = 0;
        landedBefore = queuePair.landed();
        System.arraycopy(neighbour, 0, prefix, 0, table.keyWords);
        long hash = table.hash(prefix);
        long overflow = readBuckets(queuePair, snapshot, table.home(hash), prefix, sink);
        while (!RemoteAddress.isNull(overflow)) {
            overflow =
                    readBuckets(
                            queuePair,
                            snapshot,
                            table.overflowBucket(overflow, hash),
                            prefix,
                            sink);
        }
    }

    /// Hands all records of `count` home buckets from `bucket` on, and of their overflow areas, to the sink. They lie one behind the other on
    /// one server (see [HashTable#bucketsInRange]): one round trip, and one for each overflow area's bucket.
    public void readAll(
            QueuePair queuePair, Snapshot snapshot, long bucket, int count, RecordSink sink) {
        if (overflows.length < count) {
            overflows = new long[count];
        }
        unfinishedCount = 0;
        landedBefore = queuePair.landed();
        long first = table.bucketAddress(bucket);
        views.post(queuePair, first, count * table.bucketBytes);
        queuePair.await();
        for (int i = 0; i < count; i++) {
            int mark = sink.provided();
            int unfinishedMark = unfinishedCount;
            overflows[i] = LocalMemory.longAcquire(views.body + BucketLayout.OVERFLOW_OFFSET);
            if (!takeEntries(
                    queuePair, snapshot, first + (long) i * table.bucketBytes, null, sink)) {
                sink.takeBack(mark);
                unfinishedCount = unfinishedMark;
                overflows[i] = AGAIN;
            }
            views.skip(table.bucketBytes);
        }
        for (int i = 0; i < count; i++) {
            long overflow =
                    overflows[i] == AGAIN
                            ? readBuckets(
                                    queuePair,
                                    snapshot,
                                    first + (long) i * table.bucketBytes,
                                    null,
                                    sink)
                            : overflows[i];
            readAreas(queuePair, snapshot, overflow, sink);
        }
    }

    private void readAreas(QueuePair queuePair, Snapshot snapshot, long newest, RecordSink sink) {
        long overflow = newest;
        while (!RemoteAddress.isNull(overflow)) {
            long area = BucketLayout.overflowArea(overflow);
            int buckets = 1 << BucketLayout.overflowLevel(overflow);
            for (int within = 0; within < buckets; within++) {
                overflow =
                        readBuckets(
                                queuePair,
                                snapshot,
                                area + (long) within * table.bucketBytes,
                                null,
                                sink);
            }
        }
    }

    /// Returns where the search goes on.
    private long readBuckets(
            QueuePair queuePair,
            Snapshot snapshot,
            long address,
            long @Nullable [] wanted,
            RecordSink sink) {
        int mark = sink.provided();
        int unfinishedMark = unfinishedCount;
        while (true) {
            finishInTime(queuePair, snapshot);
            unfinishedMark = Math.min(unfinishedMark, unfinishedCount);
            views.post(queuePair, address, table.readBytes);
            queuePair.await();
            if (takeEntries(queuePair, snapshot, address, wanted, sink)) {
                return LocalMemory.longAcquire(views.body + BucketLayout.OVERFLOW_OFFSET);
            }
            sink.takeBack(mark);
            unfinishedCount = unfinishedMark;
        }
    }

    /// Overflow areas may be larger than the landing buffer: finishes the records whose views would be overwritten.
    private void finishInTime(QueuePair queuePair, Snapshot snapshot) {
        long landed = queuePair.landed() - landedBefore;
        if (landed + 3L * table.readBytes <= queuePair.landingBytes() / LANDING_SHARE) {
            return;
        }
        while (unfinishedCount > 0) {
            queuePair.await();
            int left = 0;
            for (int i = 0; i < unfinishedCount; i++) {
                if (!unfinished[i].advance(queuePair, snapshot)) {
                    unfinished[left++] = unfinished[i];
                }
            }
            unfinishedCount = left;
        }
        landedBefore = queuePair.landed();
    }

    /// Returns false if an entry was given to another key meanwhile, so that the bucket must be read again.
    private boolean takeEntries(
            QueuePair queuePair,
            Snapshot snapshot,
            long address,
            long @Nullable [] wanted,
            RecordSink sink) {
        int offset = BucketLayout.ENTRIES_OFFSET;
        for (int entry = 0; entry < table.records; entry++, offset += table.entryBytes) {
            long header = LocalMemory.longAcquire(views.leading + offset);
            if (header == RecordHeader.FREE) {
                continue;
            }
            for (int word = 0; word < table.keyWords; word++) {
                key[word] =
                        LocalMemory.longAt(
                                views.body + offset + BucketLayout.KEY_OFFSET + 8L * word);
            }
            if (wanted != null && !table.neighbours(key, wanted)) {
                continue;
            }
            VarHandle.loadLoadFence();
            if (RecordHeader.unlocked(LocalMemory.longAcquire(views.trailing + offset))
                    != RecordHeader.unlocked(header)) {
                return false;
            }
            RecordRead record = sink.next(table, key);
            boolean isDone =
                    record.takeEntry(queuePair, snapshot, header, address, offset, entry, views);
            if (!isDone) {
                addUnfinished(record);
            }
        }
        return true;
    }

    private void addUnfinished(RecordRead record) {
        if (unfinishedCount == unfinished.length) {
            unfinished = Arrays.copyOf(unfinished, 2 * unfinishedCount);
        }
        unfinished[unfinishedCount++] = record;
    }
}

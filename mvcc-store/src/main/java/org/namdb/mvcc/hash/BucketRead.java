package org.namdb.mvcc.hash;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.timestamp.snapshot.Snapshot;

/// Reads all records of home buckets and their overflow areas, for scans. Belongs to one thread.
public final class BucketRead {
    /// In place of an overflow pointer: the bucket must be read again.
    private static final long AGAIN = 1;

    /// A validated read reads all thrice at most.
    private static final long READS = 3;

    private final HashTable table;
    private final BucketRecords records = new BucketRecords(this::addUnfinished);
    private final BucketViews views = new BucketViews();

    /// The views of the areas in [#overflows].
    private @Nullable BucketViews[] areaViews = new @Nullable BucketViews[16];

    /// Buckets that must be read again.
    private long[] again = new long[16];

    private int againCount;
    private long[] overflows = new long[16];
    private RecordRead[] unfinished = new RecordRead[16];
    private int unfinishedCount;
    private long landedBefore;

    public BucketRead(HashTable table) {
        this.table = table;
    }

    /// Hands all records of `count` home buckets from `bucket` on, and of their overflow areas, to
    /// the sink. They lie one behind the other on one server (see [HashTable#bucketsInRange]): one
    /// round trip, and then one for the newest overflow areas of all of them, one for the next
    /// older ones, and so on; more where they don't fit in the landing buffer.
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
            long address = first + (long) i * table.bucketBytes;
            if (!records.take(table, queuePair, snapshot, address, views, null, sink)) {
                sink.takeBack(mark);
                unfinishedCount = unfinishedMark;
                overflows[i] = AGAIN;
            }
            views.skip(table.bucketBytes);
        }
        int chains = 0;
        for (int i = 0; i < count; i++) {
            long overflow = overflows[i];
            if (overflow == AGAIN) {
                long address = first + (long) i * table.bucketBytes;
                overflow = readBuckets(queuePair, snapshot, address, sink);
            }
            if (!RemoteAddress.isNull(overflow)) {
                overflows[chains++] = overflow;
            }
        }
        readChains(queuePair, snapshot, chains, sink);
    }

    /// Reads all overflow areas of the first `chains` in [#overflows]: the newest area of each,
    /// then the next older one of each, and so on.
    private void readChains(QueuePair queuePair, Snapshot snapshot, int chains, RecordSink sink) {
        int left = chains;
        while (left > 0) {
            int older = 0;
            int from = 0;
            while (from < left) {
                int to = postAreas(queuePair, snapshot, from, left);
                if (to == from) {
                    overflows[older] = readLargeArea(queuePair, snapshot, overflows[from], sink);
                    older += RemoteAddress.isNull(overflows[older]) ? 0 : 1;
                    from++;
                    continue;
                }
                queuePair.await();
                againCount = 0;
                for (int i = from; i < to; i++) {
                    overflows[older] = takeArea(queuePair, snapshot, i, sink);
                    older += RemoteAddress.isNull(overflows[older]) ? 0 : 1;
                }
                for (int i = 0; i < againCount; i++) {
                    long _ = readBuckets(queuePair, snapshot, again[i], sink);
                }
                from = to;
            }
            left = older;
        }
    }

    /// Posts the reads of the areas from number `from` on, as many as the landing buffer takes.
    ///
    /// @return how far it got; `from` if an area alone is too large
    private int postAreas(QueuePair queuePair, Snapshot snapshot, int from, int end) {
        if (areaViews.length < end) {
            areaViews = Arrays.copyOf(areaViews, end);
        }
        long most = queuePair.batchBytes() / 2;
        long bytes = 0;
        int to = from;
        while (to < end && bytes + READS * areaBytes(overflows[to]) <= most) {
            bytes += READS * areaBytes(overflows[to++]);
        }
        finishInTime(queuePair, snapshot, bytes);
        for (int i = from; i < to; i++) {
            BucketViews posted = areaViews[i];
            if (posted == null) {
                posted = new BucketViews();
                areaViews[i] = posted;
            }
            posted.post(
                    queuePair,
                    BucketLayout.overflowArea(overflows[i]),
                    (int) areaBytes(overflows[i]));
        }
        return to;
    }

    private long areaBytes(long overflow) {
        return (long) table.bucketBytes << BucketLayout.overflowLevel(overflow);
    }

    /// Returns where the search goes on. Buckets that must be read again are put aside.
    private long takeArea(QueuePair queuePair, Snapshot snapshot, int number, RecordSink sink) {
        BucketViews area = java.util.Objects.requireNonNull(areaViews[number]);
        long address = BucketLayout.overflowArea(overflows[number]);
        int buckets = 1 << BucketLayout.overflowLevel(overflows[number]);
        long older = LocalMemory.longAcquire(area.body + BucketLayout.OVERFLOW_OFFSET);
        for (int within = 0; within < buckets; within++) {
            int mark = sink.provided();
            int unfinishedMark = unfinishedCount;
            long bucket = address + (long) within * table.bucketBytes;
            if (!records.take(table, queuePair, snapshot, bucket, area, null, sink)) {
                sink.takeBack(mark);
                unfinishedCount = unfinishedMark;
                if (againCount == again.length) {
                    again = Arrays.copyOf(again, 2 * againCount);
                }
                again[againCount++] = bucket;
            }
            area.skip(table.bucketBytes);
        }
        return older;
    }

    /// Returns where the search goes on.
    private long readLargeArea(
            QueuePair queuePair, Snapshot snapshot, long overflow, RecordSink sink) {
        long older = RemoteAddress.NULL;
        for (int within = 0; within < 1 << BucketLayout.overflowLevel(overflow); within++) {
            older =
                    readBuckets(
                            queuePair,
                            snapshot,
                            BucketLayout.overflowArea(overflow) + (long) within * table.bucketBytes,
                            sink);
        }
        return older;
    }

    /// Returns where the search goes on.
    private long readBuckets(
            QueuePair queuePair, Snapshot snapshot, long address, RecordSink sink) {
        int mark = sink.provided();
        int unfinishedMark = unfinishedCount;
        while (true) {
            finishInTime(queuePair, snapshot, READS * table.readBytes);
            unfinishedMark = Math.min(unfinishedMark, unfinishedCount);
            views.post(queuePair, address, table.readBytes);
            queuePair.await();
            if (records.take(table, queuePair, snapshot, address, views, null, sink)) {
                return LocalMemory.longAcquire(views.body + BucketLayout.OVERFLOW_OFFSET);
            }
            sink.takeBack(mark);
            unfinishedCount = unfinishedMark;
        }
    }

    /// Before `bytes` more are read: overflow areas may be larger than the landing buffer, so this
    /// finishes the records whose views would be overwritten.
    private void finishInTime(QueuePair queuePair, Snapshot snapshot, long bytes) {
        long landed = queuePair.landed() - landedBefore;
        if (landed + bytes <= queuePair.batchBytes()) {
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

    private void addUnfinished(RecordRead record) {
        if (unfinishedCount == unfinished.length) {
            unfinished = Arrays.copyOf(unfinished, 2 * unfinishedCount);
        }
        unfinished[unfinishedCount++] = record;
    }
}

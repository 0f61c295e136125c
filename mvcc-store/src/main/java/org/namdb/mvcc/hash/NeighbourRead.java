package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.snapshot.Snapshot;

/// Reads the neighbours of a key: all records whose keys agree with it in the columns that buckets
/// are chosen by. They are in one home bucket and its overflow areas, so it takes a round trip for
/// the bucket and one for each area. Many are posted on one queue pair and taken together after an
/// await, as [RecordRead]s are, so that they share their round trips:
/// ```
/// post ... post   await   take ... take: their records go to their sinks, and some are not done
///                 await   those go on;   posts the next bucket of a chain, or a bucket once more
/// ```
/// An object is used again and again, for any table, and belongs to one thread.
public final class NeighbourRead {
    private final BucketRecords records = new BucketRecords(record -> {});
    private final BucketViews views = new BucketViews();
    private final long[] prefix = new long[KeyLayout.MAX_WORDS];
    private HashTable table;
    private RecordSink sink;
    private long hash;

    /// The bucket that was posted or is to be, null if all are taken.
    private long bucket;

    /// What the last [#prefetch] has loaded, as nobody needs it, but it must not be left out.
    long prefetched;

    /// An object for any table; `table` is what it starts with.
    public NeighbourRead(HashTable table, RecordSink sink) {
        this.table = table;
        this.sink = sink;
    }

    /// Prepares to read all neighbours of `key` in a table; the words beyond the columns that they
    /// agree in mean nothing.
    public void prepare(HashTable newTable, long[] key, RecordSink newSink) {
        table = newTable;
        sink = newSink;
        System.arraycopy(key, 0, prefix, 0, newTable.keyWords);
        hash = newTable.hash(prefix);
        bucket = newTable.home(hash);
    }

    /// Posts the READs of the next bucket, which land [BucketLayout#neighbourBytes].
    public void post(QueuePair queuePair) {
        views.postWithDirectories(queuePair, bucket, table.directoryBytes, table.readBytes);
    }

    /// Loads the first word of what was posted: see [RecordRead#prefetch].
    public void prefetch() {
        prefetched = LocalMemory.longAt(views.body);
    }

    /// Hands the records of the bucket that was posted to the sink; each may go on with the next
    /// await. Is there more, it can be posted.
    ///
    /// @return whether there is no more
    public boolean take(QueuePair queuePair, Snapshot snapshot) {
        int mark = sink.provided();
        if (!records.take(table, queuePair, snapshot, bucket, views, prefix, sink)) {
            sink.takeBack(mark);
            return false;
        }
        long overflow = LocalMemory.longAcquire(views.body + BucketLayout.OVERFLOW_OFFSET);
        bucket =
                RemoteAddress.isNull(overflow)
                        ? RemoteAddress.NULL
                        : table.overflowBucket(overflow, hash);
        return RemoteAddress.isNull(bucket);
    }
}

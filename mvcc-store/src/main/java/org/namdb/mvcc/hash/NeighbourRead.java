package org.namdb.mvcc.hash;

import java.lang.invoke.VarHandle;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.snapshot.Snapshot;

/// Reads the neighbours of a key: all records whose keys agree with it in the columns that buckets
/// are chosen by. They are in one home bucket and its overflow areas, so it takes a round trip for
/// each of these. Many are posted on one queue pair and taken together after an await, as
/// [RecordRead]s are, so that they share their round trips:
/// ```
/// post ... post   await   take ... take: their records go to their sinks, and some are not done
///                 await   those go on;   posts the next bucket of a chain, or one once more
/// ```
/// Reusable, for any table; belongs to one thread.
public final class NeighbourRead {
    private final BucketRecords records = new BucketRecords(record -> {});
    private final BucketViews views = new BucketViews();
    private final long[] prefix = new long[KeyLayout.MAX_WORDS];
    private HashTable table;
    private RecordSink sink;
    private long hash;

    private long home;

    /// The bucket of the chain that was posted or is to be.
    private long bucket;

    /// Whether the home bucket was found by way of another one.
    private boolean isRouted;

    /// How many records the sink had before.
    private int before;

    /// Where the home bucket's growth word lands, read behind everything else, and its child.
    private long growthView;

    private long childView;

    /// What the last [#prefetch] has loaded: unused, but the compiler must not drop the load.
    long prefetched;

    /// An object for any table; `table` is what it starts with.
    public NeighbourRead(HashTable table, RecordSink sink) {
        this.table = table;
        this.sink = sink;
    }

    /// Prepares to read all neighbours of `key` in a table; the words beyond the columns that they
    /// agree in are ignored.
    public void prepare(HashTable newTable, long[] key, RecordSink newSink) {
        table = newTable;
        sink = newSink;
        System.arraycopy(key, 0, prefix, 0, newTable.keyWords);
        hash = newTable.hash(prefix);
        before = newSink.provided();
        home = newTable.home(hash);
        isRouted = false;
        bucket = home;
    }

    /// Posts the READs of the next bucket; they land [BucketLayout#neighbourBytes].
    public void post(QueuePair queuePair) {
        views.postWithDirectories(queuePair, bucket, table.directoryBytes, table.readBytes);
        if (bucket == home) {
            growthView = views.trailing + BucketLayout.GROWTH_OFFSET;
            childView = views.trailing + BucketLayout.CHILD_OFFSET;
        } else {
            growthView = queuePair.read(home + BucketLayout.GROWTH_OFFSET, 2 * Long.BYTES);
            childView = growthView + Long.BYTES;
        }
    }

    /// Loads the first word of what was posted: see [RecordRead#prefetch].
    public void prefetch() {
        prefetched = LocalMemory.longAt(views.body);
    }

    /// Hands the records of the bucket that was posted to the sink; each may go on with the next
    /// await. If there is more, it can be posted. If the home bucket was split, the sink's are
    /// withdrawn, and it begins again with another one.
    ///
    /// @return whether there is no more
    public boolean take(QueuePair queuePair, Snapshot snapshot) {
        boolean isDone = takeBucket(queuePair, snapshot);
        // Records that were moved are removed from the bucket and its areas only after the split is
        // visible: so a reader that does not see the split afterwards has all of them.
        VarHandle.loadLoadFence();
        long growth = LocalMemory.longAcquire(growthView);
        if (isRouted) {
            isRouted = false;
            table.learn(queuePair, hash, home, growth);
        }
        if (BucketLayout.isFor(growth, hash)) {
            return isDone;
        }
        sink.rollBack(before);
        home = table.route(queuePair, hash, home, growth, LocalMemory.longAcquire(childView));
        isRouted = true;
        bucket = home;
        return false;
    }

    /// Returns whether it was the last one.
    private boolean takeBucket(QueuePair queuePair, Snapshot snapshot) {
        int mark = sink.provided();
        if (!records.take(table, queuePair, snapshot, bucket, views, 0, prefix, sink)) {
            sink.rollBack(mark);
            return false;
        }
        long overflow = LocalMemory.longAcquire(views.body + BucketLayout.OVERFLOW_OFFSET);
        if (RemoteAddress.isNull(overflow)) {
            return true;
        }
        bucket = overflow;
        return false;
    }
}

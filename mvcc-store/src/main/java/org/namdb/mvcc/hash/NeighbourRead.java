package org.namdb.mvcc.hash;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.snapshot.Snapshot;

/// Reads the neighbours of a key: all records whose keys agree with it in the columns that buckets
/// are chosen by. They are in one home bucket and its overflow areas, so it takes a round trip for
/// the bucket and all [cached][OverflowWords] areas, and one for each other area. Many are posted
/// on one queue pair and taken together after an await, as [RecordRead]s are, so that they share
/// their round trips:
/// ```
/// post ... post   await   take ... take: their records go to their sinks, and some are not done
///                 await   those go on;   posts the next buckets of a chain, or some once more
/// ```
/// Reusable, for any table; belongs to one thread.
public final class NeighbourRead {
    /// So many buckets of a chain are read at a time.
    private static final int MAX_TOGETHER = 6;

    private final BucketRecords records = new BucketRecords(record -> {});
    private final BucketViews[] views = new BucketViews[MAX_TOGETHER];
    private final long[] prefix = new long[KeyLayout.MAX_WORDS];
    private HashTable table;
    private RecordSink sink;
    private long hash;

    /// The buckets that were posted or are to be, in the order of the chain, and the key of each
    /// one's cached overflow word: the home bucket or the area.
    private final long[] buckets = new long[MAX_TOGETHER];

    private final long[] places = new long[MAX_TOGETHER];

    /// How many there are; 0 if all are taken.
    private int count;

    /// How many there are at most.
    private int most;

    private long home;

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
        Arrays.setAll(views, i -> new BucketViews());
    }

    /// How many buckets of a chain can be read together: what they land, with what their records
    /// may land in the next round trip, is no more than a batch.
    public static int most(HashTable table, QueuePair queuePair) {
        BucketLayout layout = table.layout();
        int each = layout.neighbourBytes() + layout.records() * layout.lookupBytes();
        return Math.clamp(queuePair.batchBytes() / each, 1, MAX_TOGETHER);
    }

    /// Prepares to read all neighbours of `key` in a table; the words beyond the columns that they
    /// agree in are ignored.
    ///
    /// @param newMost how many buckets are read together at most, from 1 to [#most]
    public void prepare(HashTable newTable, long[] key, int newMost, RecordSink newSink) {
        most = newMost;
        table = newTable;
        sink = newSink;
        System.arraycopy(key, 0, prefix, 0, newTable.keyWords);
        hash = newTable.hash(prefix);
        before = newSink.provided();
        home = newTable.home(hash);
        isRouted = false;
        goTo(home, home);
    }

    /// The chain is to be read from a bucket on, as far as it is cached.
    private void goTo(long bucket, long place) {
        buckets[0] = bucket;
        places[0] = place;
        count = 1;
        long word = table.overflowWords().after(place);
        while (count < most && !RemoteAddress.isNull(word)) {
            buckets[count] = table.overflowBucket(word, hash);
            places[count] = BucketLayout.overflowArea(word);
            word = table.overflowWords().after(places[count]);
            count++;
        }
    }

    /// How many buckets are posted together: what they land is [BucketLayout#neighbourBytes] each.
    public int together() {
        return count;
    }

    /// Posts the READs of the next buckets.
    public void post(QueuePair queuePair) {
        for (int i = 0; i < count; i++) {
            views[i].postWithDirectories(
                    queuePair, buckets[i], table.directoryBytes, table.readBytes);
        }
        if (count == 1 && buckets[0] == home) {
            growthView = views[0].trailing + BucketLayout.GROWTH_OFFSET;
            childView = views[0].trailing + BucketLayout.CHILD_OFFSET;
        } else {
            growthView = queuePair.read(home + BucketLayout.GROWTH_OFFSET, 2 * Long.BYTES);
            childView = growthView + Long.BYTES;
        }
    }

    /// Loads the first words of what was posted: see [RecordRead#prefetch].
    public void prefetch() {
        for (int i = 0; i < count; i++) {
            prefetched = LocalMemory.longAt(views[i].body);
        }
    }

    /// Hands the records of the buckets that were posted to the sink; each may go on with the next
    /// await. If there is more, it can be posted. If the home bucket was split, the sink's are
    /// withdrawn, and it begins again with another one.
    ///
    /// @return whether there is no more
    public boolean take(QueuePair queuePair, Snapshot snapshot) {
        boolean isDone = takeBuckets(queuePair, snapshot);
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
        goTo(home, home);
        return false;
    }

    private boolean takeBuckets(QueuePair queuePair, Snapshot snapshot) {
        for (int i = 0; i < count; i++) {
            int mark = sink.provided();
            if (!records.take(table, queuePair, snapshot, buckets[i], views[i], 0, prefix, sink)) {
                sink.rollBack(mark);
                goTo(buckets[i], places[i]);
                return false;
            }
            long overflow = LocalMemory.longAcquire(views[i].body + BucketLayout.OVERFLOW_OFFSET);
            if (RemoteAddress.isNull(overflow)) {
                count = 0;
                return true;
            }
            table.overflowWords().learn(places[i], overflow);
            long next = table.overflowBucket(overflow, hash);
            if (i + 1 == count || buckets[i + 1] != next) {
                goTo(next, BucketLayout.overflowArea(overflow));
                return false;
            }
        }
        return true;
    }
}

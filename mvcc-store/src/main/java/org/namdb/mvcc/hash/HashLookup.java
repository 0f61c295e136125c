package org.namdb.mvcc.hash;

import java.lang.invoke.VarHandle;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.index.EntryLookup;
import org.namdb.mvcc.index.EntrySink;

/// A look-up in a [HashIndex]: a READ of the home bucket, and one of each bucket behind it.
final class HashLookup implements EntryLookup {
    private final HashTable table;
    private final QueuePair queuePair;
    private final BucketViews views = new BucketViews();
    private final long[] entryWords;
    private long[] prefix = new long[0];
    private EntrySink sink = entry -> {};
    private long hash;

    HashLookup(HashTable table, QueuePair queuePair) {
        this.table = table;
        this.queuePair = queuePair;
        this.entryWords = new long[table.keyWords];
    }

    @Override
    public void prepare(long[] newPrefix, EntrySink newSink) {
        prefix = newPrefix;
        sink = newSink;
        hash = table.hash(newPrefix);
    }

    @Override
    public int landedBytes() {
        return 3 * table.directoryBytes;
    }

    @Override
    public void post() {
        post(home());
    }

    @Override
    public boolean advance() {
        long bucket = take();
        if (RemoteAddress.isNull(bucket)) {
            return true;
        }
        post(bucket);
        return false;
    }

    /// The bucket that it begins with.
    long home() {
        return table.home(hash);
    }

    /// Posts the READ of a bucket.
    void post(long bucket) {
        views.post(queuePair, bucket, table.directoryBytes);
    }

    /// Takes the entries of the bucket that was read; no view is needed then.
    ///
    /// @return the next bucket, or null
    long take() {
        takeEntries();
        long overflow = LocalMemory.longAcquire(views.body + BucketLayout.OVERFLOW_OFFSET);
        return RemoteAddress.isNull(overflow)
                ? RemoteAddress.NULL
                : table.overflowBucket(overflow, hash);
    }

    private void takeEntries() {
        int offset = BucketLayout.ENTRIES_OFFSET;
        for (int i = 0; i < table.records; i++, offset += table.entryBytes) {
            if (LocalMemory.longAcquire(views.leading + offset) != HashIndex.ENTRY) {
                continue;
            }
            for (int word = 0; word < table.keyWords; word++) {
                entryWords[word] =
                        LocalMemory.longAt(
                                views.body + offset + BucketLayout.KEY_OFFSET + 8L * word);
            }
            VarHandle.loadLoadFence();
            // An entry that a live snapshot needs is not removed, so one that changed meanwhile is
            // not missed by passing it over.
            if (LocalMemory.longAcquire(views.trailing + offset) == HashIndex.ENTRY
                    && table.neighbours(entryWords, prefix)) {
                sink.accept(entryWords);
            }
        }
    }
}

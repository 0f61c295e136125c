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
    public void post() {
        views.post(queuePair, table.home(hash), table.directoryBytes);
    }

    @Override
    public boolean advance() {
        takeEntries();
        long overflow = LocalMemory.longAcquire(views.body + BucketLayout.OVERFLOW_OFFSET);
        if (RemoteAddress.isNull(overflow)) {
            return true;
        }
        long bucket = table.overflowBucket(overflow, hash);
        if (RemoteAddress.isNull(bucket)) {
            return true;
        }
        views.post(queuePair, bucket, table.directoryBytes);
        return false;
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

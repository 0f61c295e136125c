package org.namdb.mvcc.hash;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.index.EntryLookup;
import org.namdb.mvcc.index.EntrySink;

/// A lookup in a [HashIndex]: a READ of the home bucket, and one of each bucket behind it. The
/// entries are handed over when all are read: if the home bucket is split meanwhile, it begins
/// again with the one that was split off.
final class HashLookup implements EntryLookup {
    private final HashTable table;
    private final QueuePair queuePair;
    private final BucketViews views = new BucketViews();
    private final long[] entryWords;
    private long[] prefix = new long[0];
    private EntrySink sink = entry -> {};
    private long hash;
    private long home;
    private long bucket;

    /// Whether the home bucket was found by way of another one.
    private boolean isRouted;

    /// Where the home bucket's growth word lands, read behind everything else.
    private long growthView;

    /// The words of the entries so far.
    private long[] found = new long[0];

    private int foundWords;

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
        return 3 * table.directoryBytes + Long.BYTES;
    }

    @Override
    public void post() {
        post(home());
    }

    @Override
    public boolean advance() {
        long next = take();
        if (RemoteAddress.isNull(next)) {
            return true;
        }
        post(next);
        return false;
    }

    /// The bucket that it begins with.
    long home() {
        home = table.home(hash);
        isRouted = false;
        foundWords = 0;
        return home;
    }

    /// Posts the READ of a bucket.
    void post(long newBucket) {
        bucket = newBucket;
        views.post(queuePair, bucket, table.directoryBytes);
        growthView =
                bucket == home
                        ? views.trailing + BucketLayout.GROWTH_OFFSET
                        : queuePair.read(home + BucketLayout.GROWTH_OFFSET, Long.BYTES);
    }

    /// Takes the entries of the bucket that was read; no view is needed then. After the last one,
    /// all entries have been handed over.
    ///
    /// @return the next bucket, or null
    long take() {
        takeEntries();
        VarHandle.loadLoadFence();
        long growth = LocalMemory.longAcquire(growthView);
        if (isRouted) {
            isRouted = false;
            table.learn(queuePair, hash, home, growth);
        }
        if (!BucketLayout.isFor(growth, hash)) {
            return followSplit(growth);
        }
        long overflow = LocalMemory.longAcquire(views.body + BucketLayout.OVERFLOW_OFFSET);
        if (!RemoteAddress.isNull(overflow)) {
            return overflow;
        }
        for (int at = 0; at < foundWords; at += table.keyWords) {
            System.arraycopy(found, at, entryWords, 0, table.keyWords);
            sink.accept(entryWords);
        }
        return RemoteAddress.NULL;
    }

    private long followSplit(long growth) {
        long child =
                bucket == home
                        ? LocalMemory.longAcquire(views.trailing + BucketLayout.CHILD_OFFSET)
                        : RemoteAddress.NULL;
        home = table.route(queuePair, hash, home, growth, child);
        isRouted = true;
        foundWords = 0;
        return home;
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
                add();
            }
        }
    }

    private void add() {
        if (foundWords + table.keyWords > found.length) {
            found = Arrays.copyOf(found, Math.max(8 * table.keyWords, 2 * found.length));
        }
        System.arraycopy(entryWords, 0, found, foundWords, table.keyWords);
        foundWords += table.keyWords;
    }
}

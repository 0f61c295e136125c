package org.namdb.mvcc.hash;

import java.util.Arrays;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbForecast;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.index.EntryLookup;
import org.namdb.mvcc.index.EntrySink;
import org.namdb.mvcc.index.EqualityForecast;
import org.namdb.mvcc.index.EqualityIndex;
import org.namdb.mvcc.index.IndexContext;
import org.namdb.mvcc.index.LoneChange;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.IntentsForecast;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.Projection;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.snapshot.Snapshot;

/// A thread's access to a hashed secondary index: a [HashTable] whose records are only keys, each
/// the indexed columns and the primary key, and whose neighbour prefix is the indexed columns. It
/// holds no versions: an entry means that some version of the record has, or had, these values
/// (NAM-DB, section 5.2).
public final class HashIndex implements EqualityIndex {
    static final long ENTRY = CommitTimestamp.of(0, 1);

    private final HashTable table;
    private final Projection nothing;
    private final QueuePair queuePair;
    private final LatchOwner owner;
    private final Intents intents;
    private final InsertClaims claims;
    private final RecordRead key;
    private final RecordWrite write;
    private final long[] entryWords;
    private final HashLookup lookup;

    /// @param splits gets the buckets that inserts have filled
    /// @param nothing a projection on no column
    public HashIndex(HashTable table, IndexContext context, DueSplits splits, Projection nothing) {
        this.table = table;
        this.queuePair = context.queuePair();
        this.owner = context.owner();
        this.intents = context.intents();
        this.entryWords = new long[table.keyWords];
        this.claims =
                new InsertClaims(
                        queuePair,
                        context.allocator(),
                        owner,
                        intents,
                        splits,
                        queuePair::localMemory,
                        Long.MAX_VALUE,
                        true);
        this.lookup = new HashLookup(table, queuePair);
        this.key = new RecordRead(table, nothing);
        this.write = new RecordWrite(table);
        this.nothing = nothing;
    }

    @Override
    public EqualityForecast forecast(VerbForecast into, IntentsForecast intentsForecast) {
        return new HashIndexForecast(table, into, intentsForecast);
    }

    @Override
    public boolean insert(long[] entry, Snapshot snapshot) {
        key.prepare(table, entry, nothing, 0);
        write.prepareInsert(table);
        claims.clear();
        claims.add(key, write);
        boolean isAlone = postIntent(table.home(table.hash(entry)));
        try {
            boolean isNew = claims.claimAll(snapshot);
            if (isNew) {
                write.postHeader(queuePair, ENTRY);
            }
            endIntent(isAlone);
            return isNew;
        } catch (Throwable e) {
            if (write.isClaimed()) {
                undoClaim(e);
            }
            giveUpIntent(isAlone);
            throw e;
        }
    }

    /// Its bucket's latch is waited for, so it is done alone.
    @Override
    public EntryChange insertion() {
        return new LoneChange(table.keyWords, this::insert);
    }

    /// As an [#insertion].
    @Override
    public EntryChange removal() {
        return new LoneChange(
                table.keyWords,
                (entry, _) -> {
                    remove(entry);
                    return true;
                });
    }

    private void undoClaim(Throwable failure) {
        FirstFailure failures = new FirstFailure();
        failures.add(failure);
        failures.attempt(() -> claims.postUndo(0));
        failures.attempt(queuePair::await);
    }

    /// In a commit, the bucket is another one of its attempt; else it is an attempt of its own.
    ///
    /// @return whether it is
    private boolean postIntent(long home) {
        boolean isAlone = !intents.isUnderWay();
        if (isAlone) {
            intents.start();
        }
        intents.postIndexBucket(home, table.id());
        return isAlone;
    }

    private void endIntent(boolean isAlone) {
        if (isAlone) {
            intents.postEnd();
        }
    }

    /// After a failure the list stays as it is, since the latch may be held, until another attempt
    /// begins.
    private void giveUpIntent(boolean isAlone) {
        if (isAlone) {
            intents.end();
        }
    }

    @Override
    public boolean isHit(long[] entry, long[] prefix) {
        return table.neighbours(entry, prefix);
    }

    @Override
    public void lookup(long[] prefix, EntrySink sink) {
        try (ViewScope views = queuePair.openViews()) {
            lookup.prepare(prefix, sink);
            long bucket = lookup.home();
            while (!RemoteAddress.isNull(bucket)) {
                lookup.post(bucket);
                queuePair.await();
                bucket = lookup.take();
                views.giveUp();
            }
        }
    }

    @Override
    public EntryLookup lookup() {
        return new HashLookup(table, queuePair);
    }

    /// What it needs depends on how full the buckets are, which is not read in advance.
    @Override
    public void ensureCapacity(int newEntries) {}

    /// Holds no memory ready.
    @Override
    public void discard() {}

    /// Holds no memory ready.
    @Override
    public void close() {}

    @Override
    public void remove(long[] entry) {
        long home = table.home(table.hash(entry));
        boolean isAlone = postIntent(home);
        try {
            removeListed(entry, home);
        } catch (Throwable e) {
            giveUpIntent(isAlone);
            throw e;
        }
        endIntent(isAlone);
        queuePair.await();
    }

    /// @param listed the home bucket as far as it is cached, which the intents list
    private void removeListed(long[] entry, long listed) {
        long home = listed;
        while (true) {
            Latch.acquire(queuePair, home, owner);
            long found;
            try {
                found = removeLatched(entry, home);
            } finally {
                release(home);
            }
            if (found == home) {
                return;
            }
            home = found;
            intents.postIndexBucket(home, table.id());
        }
    }

    private void release(long home) {
        try {
            Latch.postRelease(queuePair, home);
        } catch (Throwable e) {
            Latch.postRelease(queuePair, home); // a verb that throws has done nothing
            throw e;
        }
    }

    /// @return the entry's home bucket; if it is not `home`, nothing was removed
    private long removeLatched(long[] entry, long home) {
        long hash = table.hash(entry);
        long address = home;
        while (!RemoteAddress.isNull(address)) {
            try (ViewScope _ = queuePair.openViews()) {
                long view = queuePair.read(address, table.directoryBytes);
                queuePair.await();
                if (address == home) {
                    long found = table.homeBehind(queuePair, hash, home, view);
                    if (found != home) {
                        return found;
                    }
                }
                removeFrom(address, view, entry);
                address = LocalMemory.longAcquire(view + BucketLayout.OVERFLOW_OFFSET);
            }
        }
        return home;
    }

    private void removeFrom(long address, long view, long[] entry) {
        int offset = BucketLayout.ENTRIES_OFFSET;
        for (int i = 0; i < table.records; i++, offset += table.entryBytes) {
            load(view + offset);
            if (LocalMemory.longAcquire(view + offset) == ENTRY
                    && Arrays.equals(entryWords, 0, table.keyWords, entry, 0, table.keyWords)) {
                queuePair.writeWord(address + offset, RecordHeader.FREE);
            }
        }
    }

    private void load(long entry) {
        for (int word = 0; word < table.keyWords; word++) {
            entryWords[word] = LocalMemory.longAt(entry + BucketLayout.KEY_OFFSET + 8L * word);
        }
    }
}

package org.namdb.mvcc.hash;

import java.lang.invoke.VarHandle;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.LatchOwner;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.Projection;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.Snapshot;

/// A thread's access to a hashed secondary index: a [HashTable] whose records are only keys, each the indexed columns and the primary key, and
/// whose neighbour prefix is the indexed columns. It holds no versions: an entry says that some version of the record has, or had,
/// these values (NAM-DB, section 5.2).
public final class HashIndex {
    static final long ENTRY = CommitTimestamp.of(0, 1);

    /// Receives the entries of a lookup.
    @FunctionalInterface
    public interface EntrySink {
        /// Takes an entry's words; they are overwritten afterwards.
        void accept(long[] entry);
    }

    private final HashTable table;
    private final Projection nothing;
    private final QueuePair queuePair;
    private final LatchOwner owner;
    private final Intents intents;
    private final InsertClaims claims;
    private final RecordRead key;
    private final RecordWrite write;
    private final long[] entryWords;
    private final BucketViews views = new BucketViews();

    public HashIndex(
            HashTable table,
            QueuePair queuePair,
            RemoteAllocator allocator,
            LatchOwner owner,
            Intents intents,
            Projection nothing) {
        this.table = table;
        this.entryWords = new long[table.keyWords];
        this.queuePair = queuePair;
        this.owner = owner;
        this.intents = intents;
        this.claims = new InsertClaims(queuePair, allocator, owner, intents, () -> {});
        this.key = new RecordRead(table, nothing);
        this.write = new RecordWrite(table);
        this.nothing = nothing;
    }

    /// Adds an entry, if it is not there.
    ///
    /// @return whether it was added
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it; nothing has changed
    public boolean insert(long[] entry, Snapshot snapshot) {
        key.prepare(table, entry, nothing, 0);
        write.prepareInsert(table);
        claims.clear();
        claims.add(key, write);
        long mark = queuePair.landed();
        boolean isAlone = postIntent(table.home(table.hash(entry)));
        try {
            boolean isNew = claims.claimAll(snapshot);
            queuePair.giveUpViews(mark);
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

    /// Whether a lookup for `prefix` finds this entry.
    public boolean isHit(long[] entry, long[] prefix) {
        return table.neighbours(entry, prefix);
    }

    /// Hands all entries with these indexed columns to the sink: a round trip for each bucket in the chain.
    public void lookup(long[] prefix, EntrySink sink) {
        long hash = table.hash(prefix);
        long address = table.home(hash);
        long mark = queuePair.landed();
        while (!RemoteAddress.isNull(address)) {
            views.post(queuePair, address, table.directoryBytes);
            queuePair.await();
            takeEntries(prefix, sink);
            long overflow = LocalMemory.longAcquire(views.body + BucketLayout.OVERFLOW_OFFSET);
            address =
                    RemoteAddress.isNull(overflow)
                            ? overflow
                            : table.overflowBucket(overflow, hash);
            queuePair.giveUpViews(mark);
        }
    }

    /// Removes an entry, if it is there.
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

    private void removeListed(long[] entry, long home) {
        Latch.acquire(queuePair, home, owner);
        try {
            removeLatched(entry, home);
        } finally {
            release(home);
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

    private void removeLatched(long[] entry, long home) {
        long hash = table.hash(entry);
        long mark = queuePair.landed();
        long address = home;
        while (!RemoteAddress.isNull(address)) {
            long view = queuePair.read(address, table.directoryBytes);
            queuePair.await();
            int offset = BucketLayout.ENTRIES_OFFSET;
            for (int i = 0; i < table.records; i++, offset += table.entryBytes) {
                load(view + offset);
                if (LocalMemory.longAcquire(view + offset) == ENTRY
                        && java.util.Arrays.equals(
                                entryWords, 0, table.keyWords, entry, 0, table.keyWords)) {
                    queuePair.writeWord(address + offset, RecordHeader.FREE);
                }
            }
            long overflow = LocalMemory.longAcquire(view + BucketLayout.OVERFLOW_OFFSET);
            address =
                    RemoteAddress.isNull(overflow)
                            ? overflow
                            : table.overflowBucket(overflow, hash);
            queuePair.giveUpViews(mark);
        }
    }

    private void takeEntries(long[] prefix, EntrySink sink) {
        int offset = BucketLayout.ENTRIES_OFFSET;
        for (int i = 0; i < table.records; i++, offset += table.entryBytes) {
            if (LocalMemory.longAcquire(views.leading + offset) != ENTRY) {
                continue;
            }
            load(views.body + offset);
            VarHandle.loadLoadFence();
            // An entry that a live snapshot needs is not removed, so one that changed meanwhile is
            // not missed by passing it over.
            if (LocalMemory.longAcquire(views.trailing + offset) == ENTRY
                    && table.neighbours(entryWords, prefix)) {
                sink.accept(entryWords);
            }
        }
    }

    private void load(long entry) {
        for (int word = 0; word < table.keyWords; word++) {
            entryWords[word] = LocalMemory.longAt(entry + BucketLayout.KEY_OFFSET + 8L * word);
        }
    }
}

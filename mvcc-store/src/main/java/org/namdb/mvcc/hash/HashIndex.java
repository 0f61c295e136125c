package org.namdb.mvcc.hash;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
    private final ChainCache cache = new ChainCache();

    /// The inserts that are done next, together.
    private final List<Insertion> group = new ArrayList<>();

    /// The removals that are done next, together.
    private final List<Removal> removals = new ArrayList<>();

    private final Insertion lone;
    private final Removal loneRemoval;
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
                        cache);
        this.lookup = new HashLookup(table, queuePair);
        this.nothing = nothing;
        this.lone = new Insertion();
        this.loneRemoval = new Removal();
    }

    @Override
    public EqualityForecast forecast(VerbForecast into, IntentsForecast intentsForecast) {
        return new HashIndexForecast(table, into, intentsForecast);
    }

    @Override
    public boolean insert(long[] entry, Snapshot snapshot) {
        lone.prepare(entry, snapshot);
        boolean _ = lone.post();
        return lone.finish();
    }

    /// An insert that is done at the end, as buckets' latches are waited for: all of a batch
    /// together, whichever is [finished][#finish] first.
    private final class Insertion implements EntryChange {
        private final RecordRead key = new RecordRead(table, nothing);
        private final RecordWrite write = new RecordWrite(table);
        private Snapshot snapshot = Snapshot.EVERYTHING;
        private boolean isOfClaimed;
        private boolean isDone;

        @Override
        public void prepare(long[] entry, Snapshot newSnapshot) {
            key.prepare(table, entry, nothing, 0);
            write.prepareInsert(table);
            snapshot = newSnapshot;
            isOfClaimed = false;
            isDone = false;
        }

        @Override
        public void setOfClaimed() {
            isOfClaimed = true;
        }

        @Override
        public int landedBytes() {
            return 0;
        }

        @Override
        public boolean post() {
            group.add(this);
            return false;
        }

        @Override
        public boolean advance() {
            return true;
        }

        @Override
        public void abandon() {
            group.clear(); // nothing is latched
        }

        @Override
        public void forget() {
            group.clear();
        }

        @Override
        public boolean isAdded() {
            return isDone && write.isClaimed();
        }

        @Override
        public boolean finish() {
            if (!isDone) {
                insertGroup(snapshot);
            }
            return write.isClaimed();
        }
    }

    /// Inserts all of the group, or, if that fails, none.
    private void insertGroup(Snapshot snapshot) {
        claims.clear();
        boolean areOfClaimed = true;
        for (Insertion insertion : group) {
            claims.add(insertion.key, insertion.write);
            areOfClaimed &= insertion.isOfClaimed;
        }
        boolean isAlone = startAlone();
        try {
            cache.begin(intents.attempt(), group.size(), areOfClaimed);
            claims.addIntents();
            intents.post();
            boolean _ = claims.claimAll(snapshot);
            for (Insertion insertion : group) {
                if (insertion.write.isClaimed()) {
                    insertion.write.postHeader(queuePair, ENTRY);
                }
            }
            endIntent(isAlone);
        } catch (Throwable e) {
            undoClaims(e);
            giveUpIntent(isAlone);
            group.clear();
            throw e;
        }
        for (Insertion insertion : group) {
            insertion.isDone = true;
        }
        group.clear();
    }

    @Override
    public EntryChange insertion() {
        return new Insertion();
    }

    /// A removal, which is done as an [Insertion] is.
    private final class Removal implements EntryChange {
        private final long[] entry = new long[table.keyWords];
        private long home;
        private boolean isFound;
        private boolean isDone;

        @Override
        public void prepare(long[] newEntry, Snapshot snapshot) {
            System.arraycopy(newEntry, 0, entry, 0, table.keyWords);
            isFound = false;
            isDone = false;
        }

        @Override
        public int landedBytes() {
            return 0;
        }

        @Override
        public boolean post() {
            removals.add(this);
            return false;
        }

        @Override
        public boolean advance() {
            return true;
        }

        @Override
        public void abandon() {
            removals.clear(); // nothing is latched
        }

        @Override
        public void forget() {
            removals.clear();
        }

        @Override
        public boolean finish() {
            if (!isDone) {
                removeGroup();
            }
            return true;
        }
    }

    @Override
    public EntryChange removal() {
        return new Removal();
    }

    private void undoClaims(Throwable failure) {
        FirstFailure failures = new FirstFailure();
        failures.add(failure);
        boolean isAnyClaimed = false;
        for (int i = 0; i < group.size(); i++) {
            if (group.get(i).write.isClaimed()) {
                int insert = i;
                failures.attempt(() -> claims.postUndo(insert));
                isAnyClaimed = true;
            }
        }
        if (isAnyClaimed) {
            failures.attempt(queuePair::await);
        }
    }

    /// In a commit, the buckets are others of its attempt; else it is an attempt of its own.
    ///
    /// @return whether it is
    private boolean startAlone() {
        boolean isAlone = !intents.isUnderWay();
        if (isAlone) {
            intents.start();
        }
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
        loneRemoval.prepare(entry, Snapshot.EVERYTHING);
        boolean _ = loneRemoval.post();
        boolean _ = loneRemoval.finish();
    }

    /// Removes all of the group, those of one home bucket together.
    private void removeGroup() {
        for (Removal removal : removals) {
            removal.home = table.home(table.hash(removal.entry));
        }
        boolean isAlone = startAlone();
        try {
            for (Removal removal : removals) {
                while (!removal.isDone) {
                    removeAt(removal.home);
                }
            }
        } catch (Throwable e) {
            giveUpIntent(isAlone);
            throw e;
        } finally {
            removals.clear();
        }
        endIntent(isAlone);
        queuePair.await();
    }

    private void removeAt(long home) {
        intents.postIndexBucket(home, table.id());
        Latch.acquire(queuePair, home, owner);
        try {
            removeLatched(home);
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

    /// Removes those that have this home bucket, unless it was split so that they have another one.
    private void removeLatched(long home) {
        int left = Integer.MAX_VALUE;
        long address = home;
        while (!RemoteAddress.isNull(address) && left > 0) {
            try (ViewScope _ = queuePair.openViews()) {
                long view = queuePair.read(address, table.directoryBytes);
                queuePair.await();
                left = address == home ? sendOn(home, view) : left;
                left -= removeFrom(address, view, home);
                address = LocalMemory.longAcquire(view + BucketLayout.OVERFLOW_OFFSET);
            }
        }
        for (Removal removal : removals) {
            removal.isDone |= removal.home == home;
        }
    }

    /// @return how many stay
    private int sendOn(long home, long view) {
        int staying = 0;
        for (Removal removal : removals) {
            if (removal.home == home && !removal.isDone) {
                long hash = table.hash(removal.entry);
                removal.home = table.homeBehind(queuePair, hash, home, view);
                staying += removal.home == home ? 1 : 0;
            }
        }
        return staying;
    }

    /// @return how many were found
    private int removeFrom(long address, long view, long home) {
        int found = 0;
        int offset = BucketLayout.ENTRIES_OFFSET;
        for (int i = 0; i < table.records; i++, offset += table.entryBytes) {
            if (LocalMemory.longAcquire(view + offset) == ENTRY) {
                int wanted = find(view + offset, home);
                if (wanted > 0) {
                    queuePair.writeWord(address + offset, RecordHeader.FREE);
                    found += wanted;
                }
            }
        }
        return found;
    }

    /// How many removals are those of an entry.
    private int find(long entry, long home) {
        int found = 0;
        for (int word = 0; word < table.keyWords; word++) {
            entryWords[word] = LocalMemory.longAt(entry + BucketLayout.KEY_OFFSET + 8L * word);
        }
        for (Removal removal : removals) {
            if (removal.home == home
                    && !removal.isFound
                    && Arrays.equals(entryWords, removal.entry)) {
                removal.isFound = true;
                found++;
            }
        }
        return found;
    }
}

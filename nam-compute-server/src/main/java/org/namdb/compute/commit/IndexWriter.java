package org.namdb.compute.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.index.EntryRemovals;
import org.namdb.mvcc.index.EntryRun;
import org.namdb.mvcc.index.EntrySink;
import org.namdb.mvcc.index.EqualityIndex;
import org.namdb.mvcc.index.OrderedCursor;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.index.SecondaryIndex;
import org.namdb.mvcc.schema.Key;
import org.namdb.timestamp.snapshot.Snapshot;

/// Keeps one secondary index up to date for a thread: adds and removes entries, and reads them. An
/// entry holds no version: it states that some version of the record has, or had, these values.
public final class IndexWriter {
    private final QueuePair queuePair;
    private final Index index;
    private final SecondaryIndex entries;
    private final @Nullable EqualityIndex equality;
    private final @Nullable OrderedIndex order;
    private final List<EntryChange> insertions = new ArrayList<>();
    private int insertionsUsed;
    private final List<EntryChange> removals = new ArrayList<>();
    private int removalsUsed;
    private long removalsRound;
    private @Nullable EntryRun run;
    private @Nullable OrderedCursor nowCursor;
    private final byte[] scratch;
    private final int words;
    private final long[] primaryKey;
    private final long[] current;
    private final long[] least;
    private final long[] greatest;

    /// @param context the thread's commit context
    public IndexWriter(CommitContext context, Table table, Index index) {
        this.queuePair = context.queuePair();
        this.index = index;
        this.scratch = new byte[index.scratchBytes()];
        this.words = index.layout().words();
        this.primaryKey = new long[table.schema().key().words()];
        this.current = new long[words];
        this.least = new long[words];
        this.greatest = new long[words];
        this.order = index.isOrdered() ? index.openOrdered(context.forIndexes()) : null;
        this.equality =
                order == null
                        ? index.openEquality(
                                context.forIndexes(), context.splits(), table.schema().nothing())
                        : null;
        this.entries = order == null ? Objects.requireNonNull(equality) : order;
    }

    /// The entries by equality; null of an ordered index.
    public @Nullable EqualityIndex equality() {
        return equality;
    }

    /// The entries by order.
    ///
    /// @throws IllegalArgumentException if the index is hashed
    public OrderedIndex ordered() {
        if (order == null) {
            throw new IllegalArgumentException(
                    "index " + index + " is hashed, and has no order: use lookup");
        }
        return order;
    }

    /// The index is dropped: frees what is held for it.
    public void discard() {
        entries.discard();
    }

    /// Leaves what is held for the index to the other threads.
    public void close() {
        entries.close();
    }

    /// Provides, as far as can be foreseen, memory for so many more entries.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there is not; nothing has changed
    void ensureCapacity(int newEntries) {
        entries.ensureCapacity(newEntries);
    }

    /// Adds an entry.
    ///
    /// @return whether it was not there before
    public boolean insert(long[] entry, Snapshot snapshot) {
        return entries.insert(entry, snapshot);
    }

    /// Whether many entries are inserted as a [#run].
    public boolean takesRuns() {
        return order != null && order.takesRuns();
    }

    /// Entries that are inserted at once, by [#insertRun].
    EntryRun run() {
        EntryRun used = run;
        if (used == null) {
            used = new EntryRun(words);
            run = used;
        }
        return used;
    }

    /// Inserts the entries of the [#run], in order. The last WRITEs are posted.
    void insertRun(Snapshot snapshot) {
        run().sort();
        ordered().insertRun(run(), snapshot);
    }

    /// The index.
    Index index() {
        return index;
    }

    /// Adds entries together.
    ///
    /// @param some no more than [ChangeBatch#MAX_GROUPED]
    public void insertAll(List<long[]> some, Snapshot snapshot) {
        if (order != null) {
            run().clear();
            some.forEach(entry -> run().add(entry, 0));
            insertRun(snapshot);
            queuePair.await();
            run().clear();
            return;
        }
        ChangeBatch batch = new ChangeBatch(queuePair, ChangeBatch.MAX_GROUPED);
        try {
            for (long[] entry : some) {
                batch.add(insertion(entry, snapshot));
            }
            batch.run();
            for (int i = 0; i < some.size(); i++) {
                boolean _ = batch.finish(i);
            }
        } finally {
            reuseInsertions();
        }
    }

    /// An insert of an entry to be posted together with others; another one at each call, until
    /// [#reuseInsertions].
    EntryChange insertion(long[] entry, Snapshot snapshot) {
        if (insertionsUsed == insertions.size()) {
            insertions.add(entries.insertion());
        }
        EntryChange insertion = insertions.get(insertionsUsed++);
        insertion.prepare(entry, snapshot);
        return insertion;
    }

    /// How many [#insertion]s there are, in use or not.
    int insertions() {
        return insertions.size();
    }

    /// None of the [#insertion]s is in flight.
    void reuseInsertions() {
        for (int i = 0; i < insertionsUsed; i++) {
            insertions.get(i).forget();
        }
        insertionsUsed = 0;
    }

    /// Removes an entry, if it is there.
    public void remove(long[] entry) {
        entries.remove(entry);
    }

    /// The same, together with others.
    void remove(long[] entry, EntryRemovals together) {
        together.add(removal(entry, together.round()));
    }

    /// Removes the entry for an image of a record, together with others.
    public void removeEntryOf(long[] key, long payload, EntryRemovals together) {
        if (index.encode(current, key, payload, payload, 0, scratch)) {
            together.add(removal(current, together.round()));
        }
    }

    private EntryChange removal(long[] entry, long round) {
        if (round != removalsRound) {
            removalsUsed = 0;
            removalsRound = round;
        }
        if (removalsUsed == removals.size()) {
            removals.add(entries.removal());
        }
        EntryChange removal = removals.get(removalsUsed++);
        removal.prepare(entry, Snapshot.EVERYTHING);
        return removal;
    }

    /// Removes an entry, together with others, unless it is for this record's image, or belongs to
    /// another record.
    ///
    /// @param payload the image, or 0 if the record is deleted
    public void removeFormer(long[] entry, long[] key, long payload, EntryRemovals together) {
        index.primaryKey(entry, primaryKey);
        for (int word = 0; word < primaryKey.length; word++) {
            if (primaryKey[word] != key[word]) {
                return;
            }
        }
        if (payload != 0 && !PlantedFault.INDEX_ENTRY_REMOVED_EARLY.isPlanted()) {
            if (isEntryOf(entry, key, payload, payload, 0)) {
                return;
            }
        }
        together.add(removal(entry, together.round()));
    }

    boolean areEqual(long[] a, long[] b) {
        for (int word = 0; word < words; word++) {
            if (a[word] != b[word]) {
                return false;
            }
        }
        return true;
    }

    /// Writes the primary key that an entry ends with to an array that the next call overwrites.
    public long[] primaryKey(long[] entry) {
        index.primaryKey(entry, primaryKey);
        return primaryKey;
    }

    /// Whether an entry belongs to an image of a record, with some columns changed.
    public boolean isEntryOf(long[] entry, long[] key, long image, long changes, long changed) {
        return index.encode(current, key, image, changes, changed, scratch)
                && areEqual(current, entry);
    }

    /// Hands every entry that starts with the columns of `prefix` to the sink, as the index is now.
    public void entriesNow(Key prefix, EntrySink sink) {
        if (equality != null) {
            equality.lookup(prefix.words(), sink);
            return;
        }
        int _ = rangeNow(prefix, prefix, Integer.MAX_VALUE, sink);
    }

    /// Hands the entries of a range of an ordered index, as it is now, to the sink.
    ///
    /// @param most how many at the most
    /// @return how many there were
    public int rangeNow(Key from, Key to, int most, EntrySink sink) {
        OrderedCursor cursor = nowCursor;
        if (cursor == null) {
            cursor = ordered().cursor();
            nowCursor = cursor;
        }
        from.lowest(least);
        to.highest(greatest);
        cursor.ascendFrom(least);
        if (most != Integer.MAX_VALUE) {
            cursor.expect(most, greatest);
        }
        int count = 0;
        while (count < most && cursor.next()) {
            int order = 0;
            for (int word = 0; word < words; word++) {
                current[word] = cursor.word(word);
                order = order != 0 ? order : Long.compareUnsigned(current[word], greatest[word]);
            }
            if (order > 0) {
                break;
            }
            sink.accept(current);
            count++;
        }
        return count;
    }
}

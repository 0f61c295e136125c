package org.namdb.compute.commit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.gc.Garbage;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.RecordWrite;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.index.EntryRemovals;
import org.namdb.mvcc.index.EntryRun;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.snapshot.Snapshot;

/// The index entries of a commit: those that it adds, to be removed if it fails, and those of
/// former values, to be removed once no snapshot needs them.
final class EntryChanges {
    /// What becomes of a new version's entry.
    private enum Need {
        /// It is there, or there is none.
        NONE,
        /// It may have been removed since the record was deleted.
        AGAIN,
        /// It is inserted, and removed if the commit fails.
        NEW
    }

    /// After so many inserts it checks whether it is cancelled.
    private static final int CHECKED_AFTER = 1 << 12;

    private final QueuePair queuePair;
    private final LatchOwner owner;
    private final IndexWriters indexes;
    private final Garbage garbage;
    private final EntryRemovals removals;

    /// Those of ordered indexes, which run concurrently, and then those of hashed ones, which are
    /// grouped.
    private final EntryInsertions ordered;

    private final EntryInsertions hashed;

    /// The ordered indexes that entries are inserted into at once, and whether there are so many
    /// that this is done.
    private final List<IndexWriter> runs = new ArrayList<>();

    private boolean areMany;

    /// Whether the entries of all inserts are in the batch, their first READs posted.
    private boolean isAhead;

    private final EntryList added;
    private final EntryList former;
    private final long[] newEntry = new long[KeyLayout.MAX_WORDS];
    private final long[] oldEntry = new long[KeyLayout.MAX_WORDS];
    private final byte[] scratch = new byte[ColumnType.MAX_LENGTH];

    EntryChanges(CommitContext context, IndexWriters indexes, Garbage garbage) {
        this.queuePair = context.queuePair();
        this.owner = context.owner();
        this.added = new EntryList(context.local());
        this.former = new EntryList(context.local());
        this.ordered =
                new EntryInsertions(queuePair, context.local(), ChangeBatch.MAX_CHANGES, added);
        this.hashed =
                new EntryInsertions(queuePair, context.local(), ChangeBatch.MAX_GROUPED, added);
        this.removals = new EntryRemovals(queuePair);
        this.indexes = indexes;
        this.garbage = garbage;
    }

    void clear() {
        isAhead = false;
        forgetRuns();
        ordered.forget();
        hashed.forget();
        added.forget();
        former.forget();
    }

    /// Frees the buffers of a large commit.
    void shrink() {
        isAhead = false;
        forgetRuns();
        ordered.shrink();
        hashed.shrink();
        added.shrink();
        former.shrink();
    }

    /// Provides, as far as can be foreseen, memory for the entries of all inserts: what they take
    /// stays theirs, even if the commit fails.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there is not; nothing has changed
    void ensureCapacity(WriteSet writes) {
        Map<Table, Integer> inserts = new LinkedHashMap<>();
        for (int i = 0; i < writes.inserts(); i++) {
            inserts.merge(writes.insert(i).table(), 1, Integer::sum);
        }
        inserts.forEach((table, count) -> {
            for (Index index : table.indexArray()) {
                indexes.writer(table, index).ensureCapacity(count);
            }
        });
    }

    /// The hashes of the entries that the inserts into a table want in a hashed index.
    long[] hashes(WriteSet writes, Table table, Index index, HashTable buckets) {
        long[] hashes = new long[writes.inserts()];
        int count = 0;
        for (int i = 0; i < writes.inserts(); i++) {
            if (i % CHECKED_AFTER == CHECKED_AFTER - 1) {
                owner.checkCancelled();
            }
            RecordChange insert = writes.insert(i);
            if (insert.table() == table && encode(insert, index, insert.payload())) {
                hashes[count++] = buckets.hash(newEntry);
            }
        }
        return Arrays.copyOf(hashes, count);
    }

    /// Posts the first READs for the entries of all inserts, to go with the await of the locks, if
    /// both are no more than a batch. [#addAll] goes on with them.
    void postAhead(WriteSet writes, Snapshot snapshot) {
        isAhead =
                addInserts(writes, snapshot)
                        && lockBytes(writes) + ordered.landedBytes() <= queuePair.batchBytes();
        if (isAhead) {
            ordered.postAhead();
        } else {
            ordered.end();
            hashed.end();
        }
    }

    /// What the locks of the write set land.
    private static long lockBytes(WriteSet writes) {
        long bytes = 0;
        for (int i = 0; i < writes.overwrites(); i++) {
            bytes += RecordWrite.viewBytes(writes.overwrite(i).table().records());
        }
        return bytes;
    }

    /// Whether there are entries of inserts, and all fit in one batch.
    private boolean addInserts(WriteSet writes, Snapshot snapshot) {
        for (int i = 0; i < writes.inserts(); i++) {
            RecordChange change = writes.insert(i);
            for (Index index : change.table().indexArray()) {
                if (encode(change, index, change.payload())) {
                    IndexWriter writer = indexes.writer(change.table(), index);
                    EntryChange insertion = writer.insertion(newEntry, snapshot);
                    if (!insertions(index).hasCapacityFor(insertion)) {
                        writer.reuseInsertions(); // no batch has it that would return it
                        return false;
                    }
                    insertions(index).add(insertion, change, index, newEntry, writer);
                }
            }
        }
        return ordered.count() + hashed.count() > 0;
    }

    /// Adds the entries of the new versions, many at a time. No reader can follow them to a version
    /// before that is installed. The last WRITEs are posted.
    void addAll(WriteSet writes, Snapshot snapshot) {
        int left = writes.size();
        if (isAhead) {
            left -= writes.inserts();
            takeAhead(writes);
        }
        addSome(writes, 0, left, snapshot);
    }

    /// Adds the entries of the changes from number `from` to below `to`, which have their views.
    void addSome(WriteSet writes, int from, int to, Snapshot snapshot) {
        areMany = to - from > ChangeBatch.MAX_CHANGES;
        for (int i = from; i < to; i++) {
            RecordChange change = writes.change(i);
            if (!change.isDelete()) {
                add(change, i, snapshot);
            }
        }
        insertAll(writes, snapshot);
    }

    /// What is in the batch was added before the records were locked: now it is known what was
    /// there.
    private void takeAhead(WriteSet writes) {
        int numberOrdered = 0;
        int numberHashed = 0;
        for (int i = 0; i < writes.inserts(); i++) {
            RecordChange change = writes.insert(i);
            for (Index index : change.table().indexArray()) {
                boolean isEntry = encode(change, index, change.payload());
                Need need = need(change, index, isEntry);
                if (isEntry) {
                    int number = index.isOrdered() ? numberOrdered++ : numberHashed++;
                    insertions(index).set(number, need == Need.NEW, change.write.isClaimed());
                }
            }
        }
    }

    private void add(RecordChange change, int number, Snapshot snapshot) {
        for (Index index : change.table().indexArray()) {
            if ((change.columns() & index.columnMask()) != 0
                    && !(PlantedFault.INDEX_ENTRY_FORGOTTEN.isPlanted()
                            && change.columns() != RecordChange.ALL)) {
                add(change, number, index, snapshot);
            }
        }
    }

    private void add(RecordChange change, int number, Index index, Snapshot snapshot) {
        boolean isNew = change.write.isClaimed();
        long image = isNew ? change.payload() : change.write.currentPayload();
        Need need = need(change, index, encode(change, index, image));
        if (need == Need.NONE) {
            return;
        }
        IndexWriter writer = indexes.writer(change.table(), index);
        if (areMany && writer.takesRuns()) {
            addToRun(writer, need == Need.NEW ? number : ~number);
        } else {
            insert(change, index, writer, snapshot, need == Need.NEW);
        }
    }

    /// Makes [#newEntry] that of the new version, whose other columns are those of `image`.
    ///
    /// @return whether it has one
    private boolean encode(RecordChange change, Index index, long image) {
        return index.encode(
                newEntry, change.key(), image, change.payload(), change.columns(), scratch);
    }

    /// Whether [#newEntry] is to be inserted; an entry that it takes the place of is noted.
    private Need need(RecordChange change, Index index, boolean isEntry) {
        if (!change.write.isClaimed()) {
            long image = change.write.currentPayload();
            if (index.encode(oldEntry, change.key(), image, image, 0, scratch)) {
                IndexWriter writer = indexes.writer(change.table(), index);
                if (isEntry && writer.areEqual(oldEntry, newEntry)) {
                    return RecordHeader.isDeleted(change.write.header()) ? Need.AGAIN : Need.NONE;
                }
                former.add(change, index, oldEntry);
            }
        }
        return isEntry ? Need.NEW : Need.NONE;
    }

    /// Inserts [#newEntry] with all others of its index.
    ///
    /// @param number that of its change; inverted if the entry stays even if the commit fails
    private void addToRun(IndexWriter writer, int number) {
        if (writer.run().count() == 0) {
            runs.add(writer);
        }
        writer.run().add(newEntry, number);
    }

    private void insertRun(IndexWriter writer, WriteSet writes, Snapshot snapshot) {
        EntryRun run = writer.run();
        try {
            writer.insertRun(snapshot);
        } finally {
            for (int i = 0; i < run.count(); i++) {
                if (run.isAdded(i) && run.number(i) >= 0) {
                    RecordChange change = writes.change((int) run.number(i));
                    added.add(change, writer.index(), run.entry(i));
                }
            }
        }
    }

    private void forgetRuns() {
        for (int i = 0; i < runs.size(); i++) { // an iterator would be allocated
            runs.get(i).run().clear();
        }
        runs.clear();
    }

    /// Inserts [#newEntry], now or together with others.
    private void insert(
            RecordChange change,
            Index index,
            IndexWriter writer,
            Snapshot snapshot,
            boolean isNew) {
        EntryInsertions insertions = insertions(index);
        EntryChange insertion = writer.insertion(newEntry, snapshot);
        if (!insertions.hasCapacityFor(insertion)) {
            writer.reuseInsertions(); // even if others of the batch fail
            owner.checkCancelled();
            insertions.run();
            insertion = writer.insertion(newEntry, snapshot);
        }
        int number = insertions.count();
        insertions.add(insertion, change, index, newEntry, writer);
        insertions.set(number, isNew, change.write.isClaimed());
    }

    private EntryInsertions insertions(Index index) {
        return index.isOrdered() ? ordered : hashed;
    }

    private void insertAll(WriteSet writes, Snapshot snapshot) {
        ordered.run();
        hashed.run();
        for (int i = 0; i < runs.size(); i++) {
            insertRun(runs.get(i), writes, snapshot);
        }
        forgetRuns();
        isAhead = false;
    }

    /// Removes what was added. An entry that stays does no harm: every hit is checked against its
    /// record.
    void removeAdded(Undo undo) {
        try {
            removeTogether();
        } catch (Throwable e) {
            undo.add(e);
            removals.clear();
            removeEach(undo);
        }
    }

    /// Removes as many at a time as fit in a batch.
    private void removeTogether() {
        added.startInTurn();
        for (int number = 1; added.nextInTurn(); number++) {
            indexes.writer(added.table(), added.index()).remove(added.entry(), removals);
            if (number % ChangeBatch.MAX_CHANGES == 0) {
                removals.run();
            }
        }
        removals.run();
    }

    /// After a failure: removes one after the other, from the first one on. As their records are
    /// locked, no other session can have added an entry again that was removed.
    private void removeEach(Undo undo) {
        added.start();
        while (added.next()) {
            try {
                indexes.writer(added.table(), added.index()).remove(added.entry());
            } catch (Throwable e) {
                undo.add(e);
            }
        }
    }

    /// Leaves the entries of former values to the collector.
    void leaveGarbage(long commitTimestamp) {
        former.start();
        while (former.next()) {
            garbage.addFormerEntry(
                    former.table().records(),
                    former.index().number(),
                    former.entry(),
                    former.index().layout().words(),
                    commitTimestamp,
                    former.headerAddress(),
                    former.bodyAddress());
        }
    }
}

package org.namdb.compute.commit;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.gc.Garbage;
import org.namdb.mvcc.hash.RecordWrite;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.snapshot.Snapshot;

/// The index entries of a commit: those that it adds, to be removed if it fails, and those of
/// former values, to be removed once nobody needs them.
final class EntryChanges {
    private final IndexWriters indexes;
    private final Garbage garbage;
    private final ChangeBatch batch;

    /// Those of the batch, and which of them are to be removed if the commit fails: not those of
    /// a deleted record that comes again, whose entry is its own.
    private EntryList inserted = new EntryList();

    private boolean[] areNew = new boolean[16];
    private IndexWriter[] writers = new IndexWriter[16];
    private EntryList added = new EntryList();
    private EntryList former = new EntryList();
    private final long[] newEntry = new long[KeyLayout.MAX_WORDS];
    private final long[] oldEntry = new long[KeyLayout.MAX_WORDS];
    private final byte[] scratch = new byte[ColumnType.MAX_LENGTH];

    EntryChanges(QueuePair queuePair, IndexWriters indexes, Garbage garbage) {
        this.batch = new ChangeBatch(queuePair);
        this.indexes = indexes;
        this.garbage = garbage;
    }

    void clear() {
        endBatch();
        added.clear();
        former.clear();
    }

    /// Forgets the room for many.
    void shrink() {
        endBatch();
        inserted = new EntryList();
        added = new EntryList();
        former = new EntryList();
    }

    /// Sees to it, as far as can be foreseen, that there is memory for the entries of all inserts:
    /// what they take is not free again for anything else, even if the commit fails.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there is not; nothing has changed
    void makeRoom(WriteSet writes) {
        Map<Table, Integer> inserts = new LinkedHashMap<>();
        for (int i = 0; i < writes.inserts(); i++) {
            inserts.merge(writes.insert(i).table(), 1, Integer::sum);
        }
        inserts.forEach((table, count) -> {
            for (Index index : table.indexArray()) {
                indexes.writer(table, index).makeRoom(count);
            }
        });
    }

    /// Adds the entries that the new versions want, many at a time. Nobody can follow them to one
    /// before it is installed. The last WRITEs are posted.
    void addAll(WriteSet writes, Snapshot snapshot) {
        for (int i = 0; i < writes.size(); i++) {
            RecordChange change = writes.change(i);
            if (!change.isDelete()) {
                add(change, snapshot);
            }
        }
        insertAll();
    }

    private void add(RecordChange change, Snapshot snapshot) {
        for (Index index : change.table().indexArray()) {
            if ((change.columns() & index.columnMask()) != 0
                    && !(PlantedFault.INDEX_ENTRY_FORGOTTEN.isPlanted()
                            && change.columns() != RecordChange.ALL)) {
                add(change, index, snapshot);
            }
        }
    }

    private void add(RecordChange change, Index index, Snapshot snapshot) {
        long[] key = change.key();
        boolean isNew = change.write.isClaimed();
        long image = isNew ? change.payload() : change.write.currentPayload();
        boolean isEntry =
                index.encode(newEntry, key, image, change.payload(), change.columns(), scratch);
        IndexWriter writer = indexes.writer(change.table(), index);
        if (!isNew && index.encode(oldEntry, key, image, image, 0, scratch)) {
            if (isEntry && writer.areEqual(oldEntry, newEntry)) {
                if (RecordHeader.isDeleted(change.write.header())) {
                    insert(change, index, snapshot, false);
                }
                return;
            }
            former.add(change, index, oldEntry);
        }
        if (isEntry) {
            insert(change, index, snapshot, true);
        }
    }

    /// Inserts [#newEntry], now or together with others.
    private void insert(RecordChange change, Index index, Snapshot snapshot, boolean isNew) {
        IndexWriter writer = indexes.writer(change.table(), index);
        EntryChange insertion = writer.insertion(newEntry, snapshot);
        if (!batch.hasRoomFor(insertion)) {
            insertAll();
            insertion = writer.insertion(newEntry, snapshot);
        }
        batch.add(insertion);
        int number = inserted.count();
        inserted.add(change, index, newEntry);
        if (number == areNew.length) {
            areNew = Arrays.copyOf(areNew, 2 * number);
            writers = Arrays.copyOf(writers, 2 * number);
        }
        areNew[number] = isNew;
        writers[number] = writer;
    }

    private void insertAll() {
        if (batch.size() > 0) {
            batch.run();
            for (int i = 0; i < batch.size(); i++) {
                if (batch.finish(i) && areNew[i]) {
                    added.add(inserted.change(i), inserted.index(i), inserted.entry(i));
                }
            }
        }
        endBatch();
    }

    private void endBatch() {
        for (int i = 0; i < inserted.count(); i++) {
            writers[i].reuseInsertions();
        }
        inserted.clear();
        batch.clear();
    }

    /// Removes what was added. An entry that stays does no harm: every hit is checked against its
    /// record.
    void removeAdded(Undo undo) {
        for (int i = 0; i < added.count(); i++) {
            try {
                indexes.writer(added.change(i).table(), added.index(i)).remove(added.entry(i));
            } catch (Throwable e) {
                undo.add(e);
            }
        }
    }

    /// Leaves the entries of former values to the collector.
    void leaveGarbage(long commitTimestamp) {
        for (int i = 0; i < former.count(); i++) {
            RecordWrite write = former.change(i).write;
            garbage.addFormerEntry(
                    former.change(i).table().records(),
                    former.index(i).number(),
                    former.entry(i),
                    former.index(i).layout().words(),
                    commitTimestamp,
                    write.headerAddress(),
                    write.bodyAddress());
        }
    }
}

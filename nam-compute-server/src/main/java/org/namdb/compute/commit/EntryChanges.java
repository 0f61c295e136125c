package org.namdb.compute.commit;

import org.namdb.compute.schema.Index;
import org.namdb.fabric.PlantedFault;
import org.namdb.mvcc.gc.GarbageCollector;
import org.namdb.mvcc.hash.RecordWrite;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.Snapshot;

/// The index entries of a commit: those that it adds, to be removed if it fails, and those of
/// former values, to be removed once nobody needs them.
final class EntryChanges {
    private final IndexWriters indexes;
    private final GarbageCollector garbage;
    private EntryList added = new EntryList();
    private EntryList former = new EntryList();
    private final long[] newEntry = new long[KeyLayout.MAX_WORDS];
    private final long[] oldEntry = new long[KeyLayout.MAX_WORDS];
    private final byte[] scratch = new byte[ColumnType.MAX_LENGTH];

    EntryChanges(IndexWriters indexes, GarbageCollector garbage) {
        this.indexes = indexes;
        this.garbage = garbage;
    }

    void clear() {
        added.clear();
        former.clear();
    }

    /// Forgets the room for many.
    void shrink() {
        added = new EntryList();
        former = new EntryList();
    }

    /// Adds the entries that the new versions want. Nobody can follow them to one before it is
    /// installed.
    ///
    /// @param locks on all records of the write set
    void addAll(WriteSet writes, Snapshot snapshot, RecordLocks locks) {
        for (int i = 0; i < writes.size(); i++) {
            RecordChange change = writes.change(i);
            if (!change.isDelete()) {
                locks.keepViewsInTime();
                add(change, snapshot);
            }
        }
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
                    writer.insert(newEntry, snapshot);
                }
                return;
            }
            former.add(change, index, oldEntry);
        }
        if (isEntry && writer.insert(newEntry, snapshot)) {
            added.add(change, index, newEntry);
        }
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

package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.LatchOwner;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.HashIndex;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.TreeClient;
import org.namdb.mvcc.tree.TreeCursor;
import org.namdb.mvcc.tree.TreeForecast;
import org.namdb.timestamp.Snapshot;

/// A session's access to one secondary index. An entry only says where to look: every hit is
/// checked against the record as the transaction sees it, so a record is found by the values it has
/// in the snapshot, and exactly once.
final class IndexAccess {
    private final Table table;
    private final Index index;
    private final @Nullable HashIndex hash;
    private final @Nullable TreeClient tree;
    private final List<RowCursor> cursors = new ArrayList<>();
    private final List<HashCursor> lookups = new ArrayList<>();
    private @Nullable TreeCursor nowCursor;
    private final byte[] scratch;
    private final int words;
    private final long[] wanted;
    private final long[] primaryKey;
    private final long[] current;
    private long[] hits;
    private int hitCount;
    private final HashIndex.EntrySink hitSink = this::addHit;
    private final long[] treeKey;

    IndexAccess(
            Session session,
            QueuePair queuePair,
            RemoteAllocator allocator,
            LatchOwner owner,
            Intents intents,
            Table table,
            Index index) {
        this.table = table;
        this.index = index;
        this.scratch = session.scratch();
        this.words = index.layout().words();
        this.wanted = new long[words];
        this.primaryKey = new long[table.schema().key().words()];
        this.current = new long[words];
        this.hits = new long[words * 16];
        this.treeKey = new long[words];
        HashTable buckets = index.hash();
        BLinkTree nodes = index.tree();
        this.hash =
                buckets == null
                        ? null
                        : new HashIndex(
                                buckets,
                                queuePair,
                                allocator,
                                owner,
                                intents,
                                table.schema().nothing());
        this.tree = nodes == null ? null : new TreeClient(queuePair, allocator, nodes, owner);
    }

    Index index() {
        return index;
    }

    /// What operations on an ordered index are expected to post.
    TreeForecast forecast(VerbForecast into) {
        return ordered().forecast(into);
    }

    /// The index is dropped: gives back what is held for it.
    void discard() {
        if (tree != null) {
            tree.discard();
        }
    }

    /// Leaves what is held for the index to the other sessions.
    void close() {
        if (tree != null) {
            tree.close();
        }
    }

    /// Adds an entry.
    ///
    /// @return whether it was not there before
    boolean insert(long[] entry, Snapshot snapshot) {
        return hash != null ? hash.insert(entry, snapshot) : ordered().insert(treeKey(entry));
    }

    /// Removes an entry, if it is there.
    void remove(long[] entry) {
        if (hash != null) {
            hash.remove(entry);
        } else {
            boolean _ = ordered().delete(treeKey(entry));
        }
    }

    /// Removes the entry for an image of a record.
    void removeEntryOf(long[] key, long payload) {
        if (index.encode(current, key, payload, payload, 0, scratch)) {
            remove(current);
        }
    }

    /// Removes an entry unless it is for this record's image, or belongs to another record.
    ///
    /// @param payload the image, or 0 if the record is deleted
    void removeFormer(long[] entry, long[] key, long payload) {
        index.primaryKey(entry, primaryKey);
        for (int word = 0; word < table.schema().key().words(); word++) {
            if (primaryKey[word] != key[word]) {
                return;
            }
        }
        if (payload != 0 && !PlantedFault.INDEX_ENTRY_REMOVED_EARLY.isPlanted()) {
            if (isEntryOf(entry, key, payload, payload, 0)) {
                return;
            }
        }
        remove(entry);
    }

    boolean areEqual(long[] a, long[] b) {
        for (int word = 0; word < words; word++) {
            if (a[word] != b[word]) {
                return false;
            }
        }
        return true;
    }

    /// Whether a row, as the transaction sees it, is what an entry says.
    boolean matches(Row row, long[] entry) {
        if (!row.exists()) {
            return false;
        }
        if (PlantedFault.INDEX_HIT_UNCHECKED.isPlanted()) {
            return true;
        }
        return isEntryOf(entry, row.read.key(), row.data, row.data, 0);
    }

    /// Writes the primary key that an entry ends with to an array that the next call overwrites.
    long[] primaryKey(long[] entry) {
        index.primaryKey(entry, primaryKey);
        return primaryKey;
    }

    /// Writes the entry for a row, as the transaction sees it.
    ///
    /// @return whether it has one
    boolean encode(Row row, long[] entry) {
        return index.encode(entry, row.read.key(), row.data, row.data, 0, scratch);
    }

    /// Writes the entry for a row of before the index.
    ///
    /// @throws org.namdb.mvcc.schema.KeyTooLongException if a value is too long for an entry
    void encodeFormer(Row row, long[] entry) {
        if (!encode(row, entry)) {
            index.requireFits(row.read.key(), row.data, scratch);
        }
    }

    private void addHit(long[] entry) {
        if ((hitCount + 1) * words > hits.length) {
            hits = java.util.Arrays.copyOf(hits, 2 * hits.length);
        }
        System.arraycopy(entry, 0, hits, hitCount++ * words, words);
    }

    /// Hands every entry that starts with the columns of `prefix` to the sink, as the index is now.
    void entriesNow(Key prefix, HashIndex.EntrySink sink) {
        HashIndex entries = hash;
        if (entries != null) {
            entries.lookup(prefix.words(), sink);
            return;
        }
        TreeCursor cursor = nowCursor;
        if (cursor == null) {
            cursor = ordered().cursor();
            nowCursor = cursor;
        }
        int words = index.layout().words();
        long[] greatest = new long[words];
        prefix.lowest(treeKey);
        prefix.highest(greatest);
        cursor.ascendFrom(treeKey);
        while (cursor.next()) {
            int order = 0;
            for (int word = 0; word < words; word++) {
                wanted[word] = cursor.word(word);
                order = order != 0 ? order : Long.compareUnsigned(wanted[word], greatest[word]);
            }
            if (order > 0) {
                return;
            }
            sink.accept(wanted);
        }
    }

    /// Whether an image of a record, with some columns changed, is what an entry says.
    boolean isEntryOf(long[] entry, long[] key, long image, long changes, long changed) {
        return index.encode(current, key, image, changes, changed, scratch)
                && areEqual(current, entry);
    }

    /// Whether a row has the columns that a hashed index is asked for.
    boolean isHit(Row row, long[] prefix) {
        HashIndex entries = hash;
        return encode(row, current) && entries != null && entries.isHit(current, prefix);
    }

    HashCursor matching(Transaction transaction, Key key, Projection projection) {
        requireHash(key);
        requireColumns(projection);
        for (int i = 0; i < lookups.size(); i++) {
            if (!lookups.get(i).isOpen()) {
                return lookups.get(i).open(key, projection);
            }
        }
        HashCursor cursor = new HashCursor(transaction, table, this);
        lookups.add(cursor);
        return cursor.open(key, projection);
    }

    void lookup(Transaction transaction, Key key, Projection projection, Rows found) {
        HashIndex entries = requireHash(key);
        requireColumns(projection);
        found.clear();
        hitCount = 0;
        entries.lookup(key.words(), hitSink);
        for (int hit = 0; hit < hitCount; hit++) {
            System.arraycopy(hits, hit * words, wanted, 0, words);
            found.addOnce(transaction.post(table, primaryKey(wanted), projection));
        }
        transaction.await();
        for (int i = 0; i < transaction.writes.count(); i++) {
            Row row = transaction.writes.row(i);
            if (isMoved(row)) {
                transaction.require(row, projection);
                if (isHit(row, key.words())) {
                    found.addOnce(row);
                }
            }
        }
        keepMatching(found, entries, key);
        transaction.checkAge();
    }

    RowCursor range(
            Transaction transaction, Key from, Key to, Projection projection, RowCursor.Mode mode) {
        requireColumns(projection);
        TreeClient client = ordered();
        for (int i = 0; i < cursors.size(); i++) {
            if (!cursors.get(i).isOpen()) {
                return cursors.get(i).open(transaction, from, to, projection, mode);
            }
        }
        RowCursor cursor = new RowCursor(table, this, client.cursor());
        cursors.add(cursor);
        return cursor.open(transaction, from, to, projection, mode);
    }

    /// Whether the transaction has given a row other columns in this index, or has inserted it.
    boolean isMoved(Row row) {
        return row.table() == table
                && (row.role == Row.Role.INSERT
                        || row.role == Row.Role.UPDATE && (row.dirty & index.columnMask()) != 0);
    }

    private HashIndex requireHash(Key key) {
        if (hash == null) {
            throw new IllegalArgumentException(
                    "index " + index + " is ordered: use ascending or descending");
        }
        if (key.columns() < index.columns()) {
            throw new IllegalArgumentException(
                    "a lookup in " + index + " needs all of its columns: " + key);
        }
        return hash;
    }

    private void keepMatching(Rows found, HashIndex entries, Key key) {
        int kept = 0;
        for (int i = 0; i < found.size(); i++) {
            Row row = found.row(i);
            if (row.exists()) {
                if (encode(row, wanted) && entries.isHit(wanted, key.words())) {
                    found.set(kept++, row);
                }
            }
        }
        found.truncate(kept);
    }

    private void requireColumns(Projection projection) {
        if ((index.columnMask() & ~projection.columns() & ~table.schema().keyMask()) != 0) {
            throw new IllegalArgumentException(
                    "a projection for index "
                            + index
                            + " must hold the columns "
                            + index.definition().columns());
        }
    }

    private long[] treeKey(long[] entry) {
        System.arraycopy(entry, 0, treeKey, 0, treeKey.length);
        return treeKey;
    }

    private TreeClient ordered() {
        if (tree == null) {
            throw new IllegalArgumentException(
                    "index " + index + " is hashed, and has no order: use lookup");
        }
        return tree;
    }
}

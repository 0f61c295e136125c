package org.namdb.compute.read;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitContext;
import org.namdb.compute.commit.IndexWriter;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.PlantedFault;
import org.namdb.mvcc.index.EntrySink;
import org.namdb.mvcc.index.EqualityIndex;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;

/// A session's access to one secondary index. An entry is only a hint: every hit is checked against
/// the record as the transaction sees it, so a record is found by the values it has in the
/// snapshot, and exactly once.
final class IndexAccess {
    private final ReadSet readSet;
    private final Table table;
    private final Index index;
    private final IndexWriter writer;
    private final @Nullable EqualityIndex hash;
    private final List<RowCursor> cursors = new ArrayList<>();
    private final List<HashCursor> lookups = new ArrayList<>();
    private final List<PostedLookup> posted = new ArrayList<>();
    private final byte[] scratch;
    private final int landingRows;
    private final int words;
    private final long[] current;

    IndexAccess(CommitContext context, ReadSet readSet, Table table, Index index) {
        this.readSet = readSet;
        this.table = table;
        this.index = index;
        this.writer = new IndexWriter(context, table, index);
        this.hash = writer.equality();
        this.scratch = new byte[index.scratchBytes()];
        this.landingRows = RowBatch.landingRows(context.queuePair(), table.records().layout());
        this.words = index.layout().words();
        this.current = new long[words];
    }

    /// The same session's way to keep the index up.
    IndexWriter writer() {
        return writer;
    }

    Index index() {
        return index;
    }

    /// Whether a row, as the transaction sees it, matches an entry.
    boolean matches(Row row, long[] entry) {
        if (!row.exists()) {
            return false;
        }
        if (PlantedFault.INDEX_HIT_UNCHECKED.isPlanted()) {
            return true;
        }
        return writer.isEntryOf(entry, row.read.key(), row.data, row.data, 0);
    }

    /// Writes the primary key that an entry ends with to an array that the next call overwrites.
    long[] primaryKey(long[] entry) {
        return writer.primaryKey(entry);
    }

    /// Writes the entry for a row, as the transaction sees it.
    ///
    /// @return whether it has one
    boolean encode(Row row, long[] entry) {
        return index.encode(entry, row.read.key(), row.data, row.data, 0, scratch);
    }

    /// The entry for a row of before the index; a new array.
    ///
    /// @throws org.namdb.mvcc.schema.KeyTooLongException if a value is too long for an entry
    long[] formerEntry(Row row) {
        long[] entry = new long[words];
        if (!encode(row, entry)) {
            index.requireFits(row.read.key(), row.data, scratch);
        }
        return entry;
    }

    /// Hands every entry that starts with the columns of `prefix` to the sink, as the index is now.
    void entriesNow(Key prefix, EntrySink sink) {
        readSet.settle();
        writer.entriesNow(prefix, sink);
    }

    /// Hands the entries of a range of an ordered index to the sink, as the index is now.
    ///
    /// @param most how many at the most
    /// @return how many there were
    int rangeNow(Key from, Key to, int most, EntrySink sink) {
        readSet.settle();
        return writer.rangeNow(from, to, most, sink);
    }

    /// Whether a row has the columns that a hashed index is searched for.
    boolean isHit(Row row, long[] prefix) {
        EqualityIndex entries = hash;
        return encode(row, current) && entries != null && entries.isHit(current, prefix);
    }

    HashCursor matching(Key key, Projection projection) {
        requireHash(key);
        requireColumns(projection);
        for (int i = 0; i < lookups.size(); i++) {
            if (!lookups.get(i).isOpen()) {
                return lookups.get(i).open(key, projection);
            }
        }
        HashCursor cursor = new HashCursor(readSet, table, this);
        lookups.add(cursor);
        return cursor.open(key, projection);
    }

    void postLookup(Key key, Projection projection, Rows found) {
        EqualityIndex entries = requireHash(key);
        requireColumns(projection);
        readSet.reads.postLookup(freeLookup(entries).prepare(key, projection, found));
    }

    private PostedLookup freeLookup(EqualityIndex entries) {
        for (int i = 0; i < posted.size(); i++) {
            if (posted.get(i).stage() == PostedLookup.Stage.DONE) {
                return posted.get(i);
            }
        }
        PostedLookup lookup = new PostedLookup(readSet, table, this, entries.lookup());
        posted.add(lookup);
        return lookup;
    }

    double share(Key from, Key to) {
        long[] least = new long[index.layout().words()];
        long[] greatest = new long[index.layout().words()];
        from.lowest(least);
        to.highest(greatest);
        return writer.ordered().share(least, greatest);
    }

    RowCursor range(Key from, Key to, Projection projection, RowCursor.Mode mode) {
        requireColumns(projection);
        OrderedIndex client = writer.ordered();
        for (int i = 0; i < cursors.size(); i++) {
            if (!cursors.get(i).isOpen()) {
                return cursors.get(i).open(readSet, from, to, projection, mode);
            }
        }
        RowCursor cursor = new RowCursor(table, this, client.cursor(), readSet.memory, landingRows);
        cursors.add(cursor);
        return cursor.open(readSet, from, to, projection, mode);
    }

    /// Whether the transaction has given a row other columns in this index, or has inserted it.
    boolean isMoved(Row row) {
        return row.table() == table
                && (row.role == Row.Role.INSERT
                        || row.role == Row.Role.UPDATE && (row.dirty & index.columnMask()) != 0);
    }

    /// Whether such a row may be a hit for `prefix`: it is one, or its indexed columns are still to
    /// be read.
    boolean mayBeMovedTo(Row row, long[] prefix) {
        return isMoved(row) && (!hasColumns(row) || isHit(row, prefix));
    }

    /// Whether a row's indexed columns are read.
    boolean hasColumns(Row row) {
        return (index.columnMask() & ~row.loaded) == 0;
    }

    private EqualityIndex requireHash(Key key) {
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

    private void requireColumns(Projection projection) {
        if ((index.columnMask() & ~projection.columns() & ~table.schema().keyMask()) != 0) {
            throw new IllegalArgumentException(
                    "a projection for index "
                            + index
                            + " must hold the columns "
                            + index.definition().columns());
        }
    }
}

package org.namdb.compute.read;

import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitContext;
import org.namdb.compute.commit.IndexWriter;
import org.namdb.compute.commit.IndexWriters;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.NumberMap;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.gc.IndexEntries;
import org.namdb.mvcc.index.EntryRemovals;
import org.namdb.mvcc.index.EntrySink;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.timestamp.snapshot.Snapshot;

/// A session's accesses to indexes, each made at its first use and kept as long as the index is the
/// same; and what its garbage collector needs of indexes.
public final class SessionIndexes implements IndexEntries, IndexWriters {
    private final IntFunction<@Nullable Table> tables;
    private final ReadSet readSet;
    private final CommitContext context;

    /// By the indexes' numbers.
    private final NumberMap<IndexAccess> accesses = new NumberMap<>();

    /// @param tables finds tables by their numbers
    /// @param readSet the session's
    public SessionIndexes(
            IntFunction<@Nullable Table> tables, CommitContext context, ReadSet readSet) {
        this.tables = tables;
        this.context = context;
        this.readSet = readSet;
    }

    /// Posts a lookup of records by equality of a hashed index's columns.
    ///
    /// @param key the index's columns
    /// @param projection what is read; holds the indexed columns
    /// @param found gets the rows, in no particular order
    public void postLookup(Index index, Table table, Key key, Projection projection, Rows found) {
        access(table, index).postLookup(key, projection, found);
    }

    /// The same for any number of records.
    public HashCursor matching(Index index, Table table, Key key, Projection projection) {
        try {
            return access(table, index).matching(key, projection);
        } catch (FabricException e) {
            throw readSet.lost(e);
        }
    }

    /// The records of a range of an ordered index.
    ///
    /// @param from the first columns of the least entry
    /// @param to the first columns of the greatest entry
    public RowCursor range(
            Index index,
            Table table,
            Key from,
            Key to,
            Projection projection,
            RowCursor.Mode mode) {
        return access(table, index).range(from, to, projection, mode);
    }

    /// The entries of a range of an ordered index as it is now, without their records.
    ///
    /// @param most how many at the most
    /// @param sink gets each of them; overwritten afterwards
    /// @return how many there were
    public int entries(Index index, Table table, Key from, Key to, int most, EntrySink sink) {
        try {
            return access(table, index).rangeNow(from, to, most, sink);
        } catch (FabricException e) {
            throw readSet.lost(e);
        }
    }

    /// About which share of an ordered index's entries lies in a range, from 0 to 1; NaN if that is
    /// not known.
    public double share(Index index, Table table, Key from, Key to) {
        return access(table, index).share(from, to);
    }

    /// The same range, with the first record posted.
    ///
    /// @param mode one whose rows are kept
    public RowCursor postRange(
            Index index,
            Table table,
            Key from,
            Key to,
            Projection projection,
            RowCursor.Mode mode) {
        readSet.checkCancelled(); // before there is a cursor that could not be closed
        return range(index, table, from, to, projection, mode).post();
    }

    /// Opens an index, if this process has not yet: the first to do so reads where its root is,
    /// which no commit should have to wait for.
    public void open(Index index, Table table) {
        IndexAccess _ = access(table, index);
    }

    /// The entry for a row of before the index; a new array.
    ///
    /// @throws org.namdb.mvcc.schema.KeyTooLongException if a value is too long for an entry
    public long[] formerEntry(Index index, Table table, Row row) {
        return access(table, index).formerEntry(row);
    }

    /// The entry that a row would have in an index; a new array.
    ///
    /// @param scratch as many bytes as [Index#scratchBytes]
    /// @return null if a value is too long for an entry
    public static long @Nullable [] entryOf(Index index, Row row, byte[] scratch) {
        long[] entry = new long[index.layout().words()];
        boolean fits = index.encode(entry, row.read.key(), row.data, row.data, 0, scratch);
        return fits ? entry : null;
    }

    /// Adds such entries.
    ///
    /// @param entries as many as [IndexWriter#insertAll] takes
    /// @param snapshot what the rows were read by
    public void insertFormer(Index index, Table table, List<long[]> entries, Snapshot snapshot) {
        access(table, index).writer().insertAll(entries, snapshot);
    }

    @Override
    public IndexWriter writer(Table table, Index index) {
        return access(table, index).writer();
    }

    /// The session's access to an index of a table.
    ///
    /// @throws IllegalStateException if the index was dropped
    private IndexAccess access(Table table, Index index) {
        int number = index.number();
        IndexAccess access = accesses.get(number);
        if (access == null || access.index() != index) {
            readSet.requireUsable(index);
            access = new IndexAccess(context, readSet, table, index);
            accesses.put(number, access);
        }
        return access;
    }

    /// Drops a dropped index; the memory that was held ready for it is freed.
    public void forget(Index index) {
        IndexAccess access = remove(index);
        if (access != null) {
            access.writer().discard();
        }
    }

    /// Lets go of an index that others will be opened in the place of; the memory that was held
    /// ready for it is left to them.
    public void release(Index index) {
        IndexAccess access = remove(index);
        if (access != null) {
            try {
                access.writer().close();
            } catch (FabricException e) {
                // Its connection is lost, and the nodes that it held with it.
            }
        }
    }

    private @Nullable IndexAccess remove(Index index) {
        context.splits().clear();
        return accesses.remove(index.number());
    }

    @Override
    public int hashed(int table) {
        Table of = tables.apply(table);
        int hashed = 0;
        if (of != null) {
            for (Index index : of.indexArray()) {
                hashed += index.isOrdered() ? 0 : 1;
            }
        }
        return hashed;
    }

    @Override
    public void removeAll(int table, long[] key, long payload, EntryRemovals together) {
        Table of = tables.apply(table);
        if (of != null) {
            for (Index index : of.indexArray()) {
                writer(of, index).removeEntryOf(key, payload, together);
            }
        }
    }

    @Override
    public boolean primaryKey(int table, int index, long[] entry, long[] key) {
        Table of = tables.apply(table);
        Index wanted = of == null ? null : of.indexByNumber(index);
        if (wanted != null) {
            wanted.primaryKey(entry, key);
        }
        return wanted != null;
    }

    @Override
    public void removeFormer(
            int table, int index, long[] entry, long[] key, long payload, EntryRemovals together) {
        Table of = tables.apply(table);
        Index wanted = of == null ? null : of.indexByNumber(index);
        if (of != null && wanted != null) {
            writer(of, wanted).removeFormer(entry, key, payload, together);
        }
    }
}

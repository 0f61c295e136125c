package org.namdb.compute;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitMeans;
import org.namdb.compute.commit.IndexWriter;
import org.namdb.compute.commit.IndexWriters;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.gc.IndexEntries;

/// A session's accesses to indexes, each made at its first use and kept as long as the index is
/// what it was; and what its garbage collector must know of indexes.
final class SessionIndexes implements IndexEntries, IndexWriters {
    private final NamDb db;
    private final CommitMeans means;

    /// By the indexes' numbers.
    private @Nullable IndexAccess[] accesses = new @Nullable IndexAccess[16];

    SessionIndexes(NamDb db, CommitMeans means) {
        this.db = db;
        this.means = means;
    }

    @Override
    public IndexWriter writer(Table table, Index index) {
        return access(table, index).writer();
    }

    /// The session's access to an index of a table.
    ///
    /// @throws IllegalStateException if the index was dropped
    IndexAccess access(Table table, Index index) {
        int number = index.number();
        if (number >= accesses.length) {
            accesses = Arrays.copyOf(accesses, Math.max(number + 1, 2 * accesses.length));
        }
        IndexAccess access = accesses[number];
        if (access == null || access.index() != index) {
            index.requireUsable();
            access = new IndexAccess(means, table, index);
            accesses[number] = access;
        }
        return access;
    }

    /// Forgets an index that is dropped; the memory that was held ready for it goes with it.
    void forget(Index index) {
        IndexAccess access = remove(index);
        if (access != null) {
            access.writer().discard();
        }
    }

    /// Lets go of an index that others will be opened in the place of; the memory that was held
    /// ready for it is left to them.
    void release(Index index) {
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
        int number = index.number();
        if (number >= accesses.length) {
            return null;
        }
        IndexAccess access = accesses[number];
        accesses[number] = null;
        return access;
    }

    @Override
    public void removeAll(int table, long[] key, long payload) {
        Table of = db.tableByNumber(table);
        if (of != null) {
            for (Index index : of.indexArray()) {
                writer(of, index).removeEntryOf(key, payload);
            }
        }
    }

    @Override
    public boolean primaryKey(int table, int index, long[] entry, long[] key) {
        Table of = db.tableByNumber(table);
        Index wanted = of == null ? null : of.indexByNumber(index);
        if (wanted != null) {
            wanted.primaryKey(entry, key);
        }
        return wanted != null;
    }

    @Override
    public void removeFormer(int table, int index, long[] entry, long[] key, long payload) {
        Table of = db.tableByNumber(table);
        Index wanted = of == null ? null : of.indexByNumber(index);
        if (of != null && wanted != null) {
            writer(of, wanted).removeFormer(entry, key, payload);
        }
    }
}

package org.namdb.compute;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.client.ThreadExtents;
import org.namdb.mvcc.gc.IndexEntries;
import org.namdb.mvcc.owner.Intents;

/// A session's accesses to indexes, each made at its first use and kept as long as the index is what it was; and what its garbage collector must know of indexes.
final class SessionIndexes implements IndexEntries {
    private final Session session;
    private final NamDb db;
    private final QueuePair queuePair;
    private final ThreadExtents data;
    private final Intents intents;

    /// By the indexes' numbers.
    private @Nullable IndexAccess[] accesses = new @Nullable IndexAccess[16];

    SessionIndexes(
            Session session, NamDb db, QueuePair queuePair, ThreadExtents data, Intents intents) {
        this.session = session;
        this.db = db;
        this.queuePair = queuePair;
        this.data = data;
        this.intents = intents;
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
            access =
                    new IndexAccess(
                            session, queuePair, data, session.latchOwner(), intents, table, index);
            accesses[number] = access;
        }
        return access;
    }

    /// Forgets an index that is dropped; the memory that was held ready for it goes with it.
    void forget(Index index) {
        IndexAccess access = remove(index);
        if (access != null) {
            access.discard();
        }
    }

    /// Lets go of an index that others will be opened in the place of; the memory that was held ready for it is left to them.
    void release(Index index) {
        IndexAccess access = remove(index);
        if (access != null) {
            try {
                access.close();
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
                access(of, index).removeEntryOf(key, payload);
            }
        }
    }

    @Override
    public void removeFormer(int table, int index, long[] entry, long[] key, long payload) {
        Table of = db.tableByNumber(table);
        Index wanted = of == null ? null : of.indexByNumber(index);
        if (of != null && wanted != null) {
            access(of, wanted).removeFormer(entry, key, payload);
        }
    }
}

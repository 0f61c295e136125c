package org.namdb.mvcc.gc;

import org.namdb.mvcc.index.EntryRemovals;

/// What a collector needs of a table's secondary indexes.
public interface IndexEntries {
    /// How many of a table's indexes write intents.
    int hashed(int table);

    /// Has the entries removed that point from a record's image to it: the record is dead.
    ///
    /// @param table the table's number
    /// @param key the key's words
    /// @param payload native address of the image; needed during the call only
    /// @param together gets the removals, which its owner has done
    void removeAll(int table, long[] key, long payload, EntryRemovals together);

    /// Takes the primary key that an entry ends with.
    ///
    /// @param index the index's number in the catalog
    /// @param key gets its words
    /// @return whether there is such an index
    boolean primaryKey(int table, int index, long[] entry, long[] key);

    /// Has an entry removed, unless it is what the record's current image wants.
    ///
    /// @param table the table's number
    /// @param index the index's number in the catalog
    /// @param entry the entry's words
    /// @param key the record's key
    /// @param payload native address of the record's current image, or 0 if it is deleted; needed
    ///     during the call only
    /// @param together gets the removal, which its owner has done
    void removeFormer(
            int table, int index, long[] entry, long[] key, long payload, EntryRemovals together);
}

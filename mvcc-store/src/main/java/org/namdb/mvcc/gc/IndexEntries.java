package org.namdb.mvcc.gc;

/// What a collector must know of a table's secondary indexes.
public interface IndexEntries {
    /// Removes the entries that point from a record's image to it: the record is dead.
    ///
    /// @param table the table's number
    /// @param key the key's words
    /// @param payload native address of the image
    void removeAll(int table, long[] key, long payload);

    /// Takes the primary key that an entry ends with.
    ///
    /// @param index the index's number in the catalog
    /// @param key gets its words
    /// @return whether there is such an index
    boolean primaryKey(int table, int index, long[] entry, long[] key);

    /// Removes an entry, unless it is what the record's current image wants.
    ///
    /// @param table the table's number
    /// @param index the index's number in the catalog
    /// @param entry the entry's words
    /// @param key the record's key
    /// @param payload native address of the record's current image, or 0 if it is deleted
    void removeFormer(int table, int index, long[] entry, long[] key, long payload);
}

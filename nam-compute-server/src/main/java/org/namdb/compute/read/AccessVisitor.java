package org.namdb.compute.read;

import org.namdb.compute.schema.Table;

/// Gets what a transaction has read, and what it was going to change. Keys are valid during the
/// call.
public interface AccessVisitor {
    /// A record was read.
    ///
    /// @param key its primary key, in words
    /// @param header that of the version that was read; 0 if the snapshot showed no record
    void read(Table table, long[] key, long header);

    /// A record was inserted or changed.
    void write(Table table, long[] key);

    /// A record was deleted.
    void delete(Table table, long[] key);
}

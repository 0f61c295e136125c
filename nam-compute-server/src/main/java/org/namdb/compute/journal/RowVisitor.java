package org.namdb.compute.journal;

/// Gets rows of a checkpoint.
@FunctionalInterface
public interface RowVisitor {
    /// A row.
    ///
    /// @param key its primary key; the same array each time
    /// @param payload the native address of its payload, valid during the call
    void row(TableWrites table, long[] key, long payload);
}

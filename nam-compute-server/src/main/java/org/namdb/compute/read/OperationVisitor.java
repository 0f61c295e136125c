package org.namdb.compute.read;

import org.namdb.compute.schema.Table;

/// Gets the operations of a [org.namdb.compute.TransactionAttempt]. A record is named by the words
/// of its primary key, which are valid during the call.
public interface OperationVisitor {
    /// A record was read.
    ///
    /// @param version the commit timestamp of the version that was read, as a word of
    ///     [org.namdb.timestamp.CommitTimestamp]; 0 if the snapshot showed no record
    void read(Table table, long[] key, long version);

    /// A record was inserted or changed: its new version is that of the attempt's commit timestamp.
    void write(Table table, long[] key);

    /// A record was deleted: from the attempt's commit timestamp on there is none.
    void delete(Table table, long[] key);
}

package org.namdb.mvcc.hash;

/// Where a bucket's records go when all of them are wanted.
public interface RecordSink {
    /// Provides the next object to read a record of `table` with this key into, prepared.
    RecordRead next(HashTable table, long[] key);

    /// How many were provided so far.
    int provided();

    /// Withdraws all that were provided beyond the first `count`: their bucket is read again.
    void rollBack(int count);
}

package org.namdb.mvcc.recovery;

import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.hash.HashTable;

/// Finds the bodies of records.
final class Bodies {
    private Bodies() {}

    /// The remote address of a record's body.
    ///
    /// @param offset how far it is behind the header; 0 if it is not in the bucket
    static long address(QueuePair queuePair, HashTable table, long headerAddress, long offset) {
        return offset != 0
                ? headerAddress + offset
                : queuePair.readWord(headerAddress + table.layout().bodyPointerOffset());
    }
}

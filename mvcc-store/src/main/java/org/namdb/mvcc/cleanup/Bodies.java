package org.namdb.mvcc.cleanup;

import org.namdb.fabric.LocalMemory;
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
                : word(queuePair, headerAddress + table.layout().bodyPointerOffset());
    }

    static long word(QueuePair queuePair, long address) {
        long mark = queuePair.landed();
        long view = queuePair.read(address, Long.BYTES);
        queuePair.await();
        long word = LocalMemory.longAcquire(view);
        queuePair.giveUpViews(mark);
        return word;
    }
}

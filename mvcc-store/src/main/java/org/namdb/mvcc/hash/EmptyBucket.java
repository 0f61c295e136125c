package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;

/// Local memory that the buckets of new overflow areas are written from: the directory of a bucket
/// in which nothing is. Belongs to one thread.
final class EmptyBucket {
    private final QueuePair queuePair;
    private long memory;
    private int bytes;

    /// The round trips when it was written from last: that goes on until the next one.
    private long roundTrips = -1;

    EmptyBucket(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /// Waits until it is not written from any more.
    void awaitUse() {
        if (roundTrips == queuePair.counters().roundTrips()) {
            queuePair.await();
        }
    }

    /// The native address of a directory that may be written from until the next await. Waits if it
    /// is still written from.
    ///
    /// @param overflow where the search goes on
    long prepare(HashTable table, long overflow) {
        awaitUse();
        roundTrips = queuePair.counters().roundTrips();
        if (table.directoryBytes > bytes) {
            memory = queuePair.localMemory(table.directoryBytes);
            bytes = table.directoryBytes;
        }
        LocalMemory.zero(memory, table.directoryBytes);
        LocalMemory.putLong(memory + BucketLayout.OVERFLOW_OFFSET, overflow);
        return memory;
    }
}

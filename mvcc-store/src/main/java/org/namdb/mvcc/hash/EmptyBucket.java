package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;

/// Local memory that new overflow areas are written from: the directory of a bucket in which
/// nothing is, several times, as each is written from until the next await. Belongs to one thread.
final class EmptyBucket {
    private static final int DIRECTORIES = 8;

    private final QueuePair queuePair;
    private long memory;
    private int bytes;

    /// How many are written from.
    private int used;

    /// The round trips when one was written from last: that goes on until the next one.
    private long roundTrips = -1;

    EmptyBucket(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /// Waits if all are written from.
    void awaitUse() {
        if (used == DIRECTORIES && roundTrips == queuePair.counters().roundTrips()) {
            queuePair.await();
        }
    }

    /// The native address of a directory that may be written from until the next await. Waits if
    /// all are written from.
    ///
    /// @param overflow where the search goes on
    long prepare(HashTable table, long overflow) {
        awaitUse();
        if (roundTrips != queuePair.counters().roundTrips()) {
            roundTrips = queuePair.counters().roundTrips();
            used = 0;
        }
        if (table.directoryBytes > bytes) {
            memory = queuePair.localMemory((long) DIRECTORIES * table.directoryBytes);
            bytes = table.directoryBytes;
        }
        long directory = memory + (long) used * bytes;
        used++;
        LocalMemory.zero(directory, table.directoryBytes);
        LocalMemory.putLong(directory + BucketLayout.OVERFLOW_OFFSET, overflow);
        return directory;
    }
}

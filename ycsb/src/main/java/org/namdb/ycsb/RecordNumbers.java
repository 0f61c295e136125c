package org.namdb.ycsb;

import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLong;

/// The numbers of the records that a run may read: those that were loaded, and those that it has
/// inserted, up to the first one whose insert has not committed. For all threads of a process.
final class RecordNumbers {
    private static final int RUN_SHIFT = 40;

    private final long loaded;
    private final long run;
    private final AtomicLong next;

    /// Which of its own records are committed, from the first one on.
    private final BitSet committed = new BitSet();

    private volatile long count;

    /// @param loaded how many records every run finds
    /// @param run the number of this run on the database, from 1: runs don't insert the same keys
    RecordNumbers(long loaded, long run) {
        this.loaded = loaded;
        this.run = run;
        this.next = new AtomicLong(loaded);
        this.count = loaded;
    }

    /// How many there are, numbered from 0.
    long count() {
        return count;
    }

    /// The number of a record that is going to be inserted.
    long claim() {
        return next.getAndIncrement();
    }

    /// It is committed.
    synchronized void committed(long number) {
        committed.set((int) (number - loaded));
        count = loaded + committed.nextClearBit((int) (count - loaded));
    }

    /// A record's key: no two have the same, and those that were inserted one after the other lie
    /// anywhere.
    long key(long number) {
        long bits = number < loaded ? number : run << RUN_SHIFT | number;
        bits = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ bits >>> 27) * 0x94D049BB133111EBL;
        return bits ^ bits >>> 31;
    }
}

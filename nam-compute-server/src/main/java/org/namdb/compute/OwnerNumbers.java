package org.namdb.compute;

import java.util.concurrent.atomic.AtomicInteger;
import org.namdb.compute.journal.DatabaseJournal;
import org.namdb.timestamp.SlotOwners;

/// Numbers for what holds slots of a compute server: each is given once. Safe for use by many
/// threads.
final class OwnerNumbers {
    private final int process;
    private final DatabaseJournal journal;
    private final AtomicInteger given = new AtomicInteger();

    OwnerNumbers(int process, DatabaseJournal journal) {
        this.process = process;
        this.journal = journal;
    }

    /// One that no other holder of this process has, nor one of another process that lives.
    long next() {
        return SlotOwners.of(process, given.incrementAndGet());
    }

    /// One above 0 that no other call ever gives, in whatever process, nor after a restart.
    long unique() {
        int generation = journal.generation(); // 0, or of this process alone, which is the only one
        return generation == 0 ? next() : SlotOwners.of(generation, given.incrementAndGet());
    }
}

package org.namdb.mvcc.index;

import org.namdb.timestamp.snapshot.Snapshot;

/// One thread's access to a set of entries. Entries are arrays of at least as many words as the
/// index's entries have; they are not kept.
public interface SecondaryIndex extends AutoCloseable {
    /// Adds an entry, if it is not there, and waits until that is done.
    ///
    /// @param snapshot what the thread's transaction reads by
    /// @return whether it was added
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it; nothing has changed
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException if what it has to latch stays latched;
    ///     nothing has changed
    boolean insert(long[] entry, Snapshot snapshot);

    /// An insert to be posted together with others. It belongs to this access, allocates memory of
    /// the queue pair permanently, and is reused.
    EntryChange insertion();

    /// Allocates the expected memory for so many more entries.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there is not; nothing has changed
    void ensureCapacity(int newEntries);

    /// Removes an entry, if it is there, and waits until that is done.
    void remove(long[] entry);

    /// A removal to be posted together with others, as an [#insertion] is.
    EntryChange removal();

    /// Frees memory that is held ready, as no session uses the index any more.
    void discard();

    /// Leaves memory that is held ready to the index's other users.
    @Override
    void close();
}

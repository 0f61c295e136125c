package org.namdb.mvcc.index;

import org.namdb.timestamp.snapshot.Snapshot;

/// An insert or a removal in progress; see [ChangeBatch], which drives several of them.
/// ```
/// prepare      local
/// post         the first verbs
/// advance      after each await: takes what they have brought, posts the next ones
/// finish       when no other one is in progress: does what could not be done concurrently
/// ```
public interface EntryChange {
    /// Starts over with an entry. What it has posted before was awaited.
    ///
    /// @param entry is copied
    /// @param snapshot what the thread's transaction reads by; must stay as it is
    void prepare(long[] entry, Snapshot snapshot);

    /// Of an insert that is prepared: the commit that adds it has claimed its record.
    default void setOfClaimed() {}

    /// About how many bytes its READs bring, all together.
    int landedBytes();

    /// Posts the first verbs. It latches nothing yet.
    ///
    /// @return whether it is in progress; else [#finish] does all of it
    boolean post();

    /// The same as [#post], before it is certain that the entry will be added, or that others don't
    /// change it: what this reads may lead to a latch that only the leaf as it was read can be
    /// taken by, and to nothing else.
    ///
    /// @return whether it is in progress; else it is [posted][#post] later
    default boolean postAhead() {
        return false;
    }

    /// Goes on after an await. It waits for no other session; when it returns that it is over, its
    /// latch is released, or that is posted.
    ///
    /// @return whether it is over: what is left of it is posted, or [#finish] does it
    boolean advance();

    /// After a failure, when what was posted was awaited: releases a latch that it may have taken.
    void abandon();

    /// Its batch is over, whatever its outcome.
    default void forget() {}

    /// Of an insert: whether it has added the entry already, without [#finish].
    default boolean isAdded() {
        return false;
    }

    /// Does what is left, and waits for it if it must. The last WRITEs may not be awaited.
    ///
    /// @return of an insert, whether the entry was added; else it was there
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it; nothing has changed
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException if what it has to latch stays latched;
    ///     nothing has changed
    boolean finish();
}

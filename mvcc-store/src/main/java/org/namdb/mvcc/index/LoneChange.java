package org.namdb.mvcc.index;

import org.namdb.timestamp.snapshot.Snapshot;

/// A change by a provider that can't run it beside others: all of it is left to the end.
public final class LoneChange implements EntryChange {
    /// What is done at the end.
    @FunctionalInterface
    public interface Work {
        /// Does it, and waits until it is done.
        ///
        /// @return of an insert, whether the entry was added; else it was there
        boolean run(long[] entry, Snapshot snapshot);
    }

    private final Work work;
    private final long[] entry;
    private Snapshot snapshot = Snapshot.EVERYTHING;

    /// @param words how many an entry has
    public LoneChange(int words, Work work) {
        this.work = work;
        this.entry = new long[words];
    }

    @Override
    public void prepare(long[] newEntry, Snapshot newSnapshot) {
        System.arraycopy(newEntry, 0, entry, 0, entry.length);
        snapshot = newSnapshot;
    }

    @Override
    public int landedBytes() {
        return 0;
    }

    @Override
    public boolean post() {
        return false;
    }

    @Override
    public boolean advance() {
        return true;
    }

    @Override
    public void abandon() {
        // Nothing is latched.
    }

    @Override
    public boolean finish() {
        return work.run(entry, snapshot);
    }
}

package org.namdb.mvcc.index;

import org.namdb.timestamp.snapshot.Snapshot;

/// An insertion by a provider that can't run it beside others: all of it is left to the end.
public final class LoneInsertion implements EntryInsertion {
    private final SecondaryIndex index;
    private final long[] entry;
    private Snapshot snapshot = Snapshot.EVERYTHING;

    /// @param words how many an entry has
    public LoneInsertion(SecondaryIndex index, int words) {
        this.index = index;
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
        return index.insert(entry, snapshot);
    }
}

package org.namdb.mvcc.coarse;

import org.namdb.mvcc.coarse.TreeRequest.Operation;
import org.namdb.mvcc.coarse.TreeRequest.Outcome;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.timestamp.snapshot.Snapshot;

/// A change of a [CoarseIndex] together with others. What a worker leaves is done alone in the end.
final class CoarseChange implements EntryChange, SharedRequests.Requester {
    private final CoarseIndex index;
    private final Operation what;
    private final long[] entry;
    private boolean isRequested;
    private Outcome outcome = Outcome.BUSY;

    CoarseChange(CoarseIndex index, Operation what, int keyWords) {
        this.index = index;
        this.what = what;
        this.entry = new long[keyWords];
    }

    @Override
    public void prepare(long[] newEntry, Snapshot snapshot) {
        System.arraycopy(newEntry, 0, entry, 0, entry.length);
        isRequested = false;
        outcome = Outcome.BUSY;
    }

    /// Its result, and more than its part of the reply's head.
    @Override
    public int landedBytes() {
        return TreeRequest.RESULT_BYTES + 2 * TreeRequest.REPLY_HEAD_BYTES;
    }

    @Override
    public boolean post() {
        isRequested = index.request(this, what, entry);
        return isRequested;
    }

    @Override
    public void landed(Outcome result, int entries, long first) {
        outcome = result;
    }

    @Override
    public boolean advance() {
        return true;
    }

    /// Nothing is latched.
    @Override
    public void abandon() {
        index.forget(this);
    }

    @Override
    public boolean isAdded() {
        return outcome == Outcome.YES;
    }

    @Override
    public boolean finish() {
        if (!isRequested) {
            isRequested = true;
            index.requestAlone(this, what, entry);
        }
        return index.finish(what, entry, outcome);
    }
}

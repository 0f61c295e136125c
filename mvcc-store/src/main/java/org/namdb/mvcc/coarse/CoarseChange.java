package org.namdb.mvcc.coarse;

import org.namdb.mvcc.coarse.TreeRequest.Operation;
import org.namdb.mvcc.coarse.TreeRequest.Outcome;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.timestamp.snapshot.Snapshot;

/// A change of a [CoarseIndex] beside others: those of one index share a request to each server.
/// One for which there is no place, or that a worker leaves, is done alone in the end.
final class CoarseChange implements EntryChange {
    /// In place of an index: it is not collected.
    private static final int ALONE = -1;

    private final CoarseIndex index;
    private final Operation what;
    private final long[] entry;
    private int collected = ALONE;
    private Outcome outcome = Outcome.BUSY;

    CoarseChange(CoarseIndex index, Operation what, int keyWords) {
        this.index = index;
        this.what = what;
        this.entry = new long[keyWords];
    }

    @Override
    public void prepare(long[] newEntry, Snapshot snapshot) {
        System.arraycopy(newEntry, 0, entry, 0, entry.length);
        collected = ALONE;
        outcome = Outcome.BUSY;
    }

    /// Its result, and more than its part of the reply's head.
    @Override
    public int landedBytes() {
        return TreeRequest.RESULT_BYTES + 2 * TreeRequest.REPLY_HEAD_BYTES;
    }

    @Override
    public boolean post() {
        outcome = Outcome.BUSY;
        collected = index.collect(what, entry);
        return collected != ALONE;
    }

    @Override
    public void postTogether() {
        if (collected != ALONE) {
            index.postCollected();
        }
    }

    @Override
    public boolean advance() {
        outcome = index.collected(collected);
        return true;
    }

    /// Nothing is latched.
    @Override
    public void abandon() {
        if (collected != ALONE) {
            index.forgetCollected();
            collected = ALONE;
        }
    }

    @Override
    public boolean isAdded() {
        return outcome == Outcome.YES;
    }

    @Override
    public boolean finish() {
        return collected == ALONE ? index.change(what, entry) : index.finish(what, entry, outcome);
    }
}

package org.namdb.mvcc.index;

import org.namdb.fabric.VerbForecast;

/// An index whose entries are in order, word by word as unsigned numbers: asked by ranges.
public interface OrderedIndex extends SecondaryIndex {
    /// A cursor of this access. It takes memory of the queue pair for good: keep it and use
    /// it again.
    OrderedCursor cursor();

    /// About which share of all entries lies between two, from 0 to 1, as far as this process knows
    /// the index: posts nothing.
    ///
    /// @return NaN if it does not know; so of an index that has few entries
    default double share(long[] from, long[] to) {
        return Double.NaN;
    }

    /// What operations are expected to post, as far as this access knows the index.
    ///
    /// @param into what is expected is added to this
    OrderedForecast forecast(VerbForecast into);
}

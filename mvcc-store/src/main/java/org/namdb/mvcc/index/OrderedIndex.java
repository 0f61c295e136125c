package org.namdb.mvcc.index;

import org.namdb.fabric.VerbForecast;

/// An index whose entries are in order, word by word as unsigned numbers: asked by ranges.
public interface OrderedIndex extends SecondaryIndex {
    /// A cursor of this access. It takes memory of the queue pair for good: keep it and use
    /// it again.
    OrderedCursor cursor();

    /// What operations are expected to post, as far as this access knows the index.
    ///
    /// @param into what is expected is added to this
    OrderedForecast forecast(VerbForecast into);
}

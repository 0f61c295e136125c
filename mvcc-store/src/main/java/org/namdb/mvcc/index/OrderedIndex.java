package org.namdb.mvcc.index;

import org.namdb.fabric.VerbForecast;

/// An index whose entries are in order, word by word as unsigned numbers: searched by ranges.
public interface OrderedIndex extends SecondaryIndex {
    /// A cursor of this access. It allocates memory of the queue pair permanently: keep and reuse
    /// it.
    OrderedCursor cursor();

    /// About which share of all entries lies between two, from 0 to 1, by what this process has
    /// cached of the index: posts nothing.
    ///
    /// @return NaN if unknown, as for an index that has few entries
    default double share(long[] from, long[] to) {
        return Double.NaN;
    }

    /// What operations are expected to post, by what this access has cached of the index.
    ///
    /// @param into what is expected is added to this
    OrderedForecast forecast(VerbForecast into);
}

package org.namdb.mvcc.index;

import org.namdb.fabric.VerbForecast;
import org.namdb.timestamp.snapshot.Snapshot;

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

    /// Whether many entries take fewer round trips by [#insertRun] than by [#insertion]s that are
    /// posted concurrently.
    default boolean takesRuns() {
        return false;
    }

    /// Adds the entries of a run that are not there. The last WRITEs may not be awaited.
    ///
    /// @param run is sorted; gets which ones are added
    /// @param snapshot what the thread's transaction reads by
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for all of them
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException if what is to be latched stays latched
    default void insertRun(EntryRun run, Snapshot snapshot) {
        for (int i = 0; i < run.count(); i++) {
            if (insert(run.entry(i), snapshot)) {
                run.setAdded(i);
            }
        }
    }

    /// What operations are expected to post, by what this access has cached of the index.
    ///
    /// @param into what is expected is added to this
    OrderedForecast forecast(VerbForecast into);
}

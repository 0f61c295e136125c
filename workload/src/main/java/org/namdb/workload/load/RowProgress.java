package org.namdb.workload.load;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/// The progress of a load, readable by other threads, which may stop it. A load is done in parts,
/// by several threads. For one load.
public class RowProgress {
    private final long expectedRows;
    private final LongAdder rows = new LongAdder();
    private final AtomicInteger partsLeft;
    private volatile boolean stopped;

    /// The progress of a load that has not begun.
    ///
    /// @param expectedRows about how many rows the load has
    /// @param parts how many parts are done when everything is loaded
    public RowProgress(long expectedRows, int parts) {
        this.expectedRows = expectedRows;
        this.partsLeft = new AtomicInteger(parts);
    }

    /// How many rows are committed.
    public long rows() {
        return rows.sum();
    }

    /// How much is loaded, 0 to 1.
    public double fraction() {
        return Math.min(1, (double) rows() / expectedRows);
    }

    /// Whether everything is loaded.
    public boolean isComplete() {
        return partsLeft.get() == 0;
    }

    /// Makes the load end early, with the database in part loaded.
    public void stop() {
        stopped = true;
    }

    /// Whether it is to end early.
    public boolean isStopped() {
        return stopped;
    }

    /// So many more rows are committed.
    public void addRows(int count) {
        rows.add(count);
    }

    /// One more part is loaded.
    public void finishPart() {
        partsLeft.decrementAndGet();
    }
}

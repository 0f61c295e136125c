package org.namdb.workload.driver;

import org.namdb.compute.Session;
import org.namdb.workload.RunOptions;
import org.namdb.workload.TransactionKind;
import org.namdb.workload.statistics.CostSource;
import org.namdb.workload.statistics.MeasuredWindow;

/// One thread's transactions, one after the other: [#next] draws one, [#run] runs it.
public interface Work extends AutoCloseable {
    /// Makes the work of each thread.
    @FunctionalInterface
    interface Factory {
        /// The work of one thread.
        ///
        /// @param session runs its transactions
        /// @param window what is measured
        /// @param startNanos when the thread begins, on the clock of [System#nanoTime]
        Work of(int thread, Session session, MeasuredWindow window, long startNanos);
    }

    /// When its transactions begin.
    Pacing pacing();

    /// Draws the next transaction, after its pacing has chosen when it begins.
    void next();

    /// The kind of the one that was drawn.
    TransactionKind kind();

    /// Whether its client has the answer already when it begins.
    default boolean isDeferred() {
        return false;
    }

    /// Runs it until it has its result.
    ///
    /// @return whether the result is the rollback that its input requested
    /// @throws org.namdb.compute.TransactionException if it had to be given up
    boolean run();

    /// It has its result.
    default void completed(long intendedStartNanos, long endNanos) {}

    /// What its transactions' cost is counted by.
    ///
    /// @param session that its factory was given
    default CostSource costs(Session session) {
        return CostSource.of(session);
    }

    /// The thread has ended.
    @Override
    default void close() {}

    /// The pacing of the options.
    static Pacing pacing(RunOptions options, int thread, long startNanos) {
        return options.rateTps().isPresent()
                ? new AtRate(startNanos, options.rateTps().getAsDouble(), thread, options.threads())
                : new AtOnce();
    }
}

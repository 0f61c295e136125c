package org.namdb.workload.driver;

import java.util.List;
import org.namdb.workload.TransactionKind;
import org.namdb.workload.statistics.RunEnd;
import org.namdb.workload.statistics.RunStatistics;

/// The results of a run.
///
/// @param end what ended it
/// @param statistics what the measured window had
/// @param completed transactions that reached their result, warm-up included, one number for each
///     kind
/// @param allocatedBytesPerTransaction how many bytes of heap the process allocated in the measured
///     window for each transaction
/// @param startNanos when it began, on the clock of [System#nanoTime]
public record RunMeasurement(
        RunEnd end,
        RunStatistics statistics,
        List<Long> completed,
        double allocatedBytesPerTransaction,
        long startNanos) {
    public RunMeasurement {
        completed = List.copyOf(completed);
    }

    /// Transactions of a kind that reached their result, warm-up included.
    public long completed(TransactionKind kind) {
        return completed.get(kind.index());
    }
}

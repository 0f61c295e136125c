package org.namdb.tpcc.driver;

import java.util.List;
import org.namdb.tpcc.statistics.DeliveryLog;
import org.namdb.tpcc.statistics.RunEnd;
import org.namdb.tpcc.statistics.RunStatistics;

/// What came out of a run.
///
/// @param end what ended it
/// @param statistics what the measured window had
/// @param newOrders NewOrders that reached their result, warm-up included
/// @param allocatedBytesPerTransaction how many bytes of heap the process allocated in the measured
///     window for each transaction
/// @param startNanos when it began, on the clock of [System#nanoTime]
/// @param deliveries what the deferred deliveries did, a log for each thread; none if nobody wants
///     to read them
public record RunMeasurement(
        RunEnd end,
        RunStatistics statistics,
        long newOrders,
        double allocatedBytesPerTransaction,
        long startNanos,
        List<DeliveryLog> deliveries) {
    public RunMeasurement {
        deliveries = List.copyOf(deliveries);
    }
}

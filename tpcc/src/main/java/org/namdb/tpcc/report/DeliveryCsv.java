package org.namdb.tpcc.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.statistics.DeliveryLog;
import org.namdb.workload.report.Figures;

/// The deferred deliveries of a run as CSV, a line of names first.
public final class DeliveryCsv {
    private static final double NANOS_PER_SECOND = 1e9;

    private DeliveryCsv() {}

    /// A line for each deferred delivery (clause 2.7.2.2): when it was queued and done, and which
    /// order of each district it delivered.
    ///
    /// @param runStartNanos when the run began, on the clock of the deliveries
    public static void write(Path file, List<DeliveryLog> logs, long runStartNanos)
            throws IOException {
        try (CsvWriter csv = CsvWriter.builder().build(file)) {
            List<String> header =
                    new ArrayList<>(
                            List.of("queuedSeconds", "doneSeconds", "warehouse", "carrier"));
            for (int district = 1; district <= Scale.DISTRICTS; district++) {
                header.add("order" + district);
            }
            csv.writeRecord(header);
            for (DeliveryLog log : logs) {
                for (int index = 0; index < log.entries(); index++) {
                    csv.writeRecord(deliveryRow(log.entry(index), runStartNanos));
                }
            }
        }
    }

    private static List<String> deliveryRow(DeliveryLog.Entry entry, long runStartNanos) {
        List<String> row = new ArrayList<>();
        row.add(seconds(entry.queuedNanos() - runStartNanos));
        row.add(seconds(entry.doneNanos() - runStartNanos));
        row.add(String.valueOf(entry.warehouse()));
        row.add(String.valueOf(entry.carrier()));
        entry.orders().forEach(order -> row.add(order == 0 ? "" : String.valueOf(order)));
        return row;
    }

    private static String seconds(long nanos) {
        return String.valueOf(Figures.rounded(nanos / NANOS_PER_SECOND, 6));
    }
}

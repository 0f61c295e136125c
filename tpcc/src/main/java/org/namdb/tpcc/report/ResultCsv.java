package org.namdb.tpcc.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.statistics.DeliveryLog;
import org.namdb.tpcc.statistics.LatencyHistogram;
import org.namdb.tpcc.statistics.RunStatistics;
import org.namdb.tpcc.statistics.TimelinePoint;

/// Results as CSV, a line of names first.
final class ResultCsv {
    private static final double NANOS_PER_SECOND = 1e9;

    private ResultCsv() {}

    /// A line for each second.
    static void writeTimeline(Path file, RunStatistics statistics) throws IOException {
        try (CsvWriter csv = CsvWriter.builder().build(file)) {
            List<String> header = new ArrayList<>(List.of("endSeconds", "lengthSeconds", "warmup"));
            TransactionType.all().forEach(type -> header.add(type.label()));
            header.addAll(
                    List.of("tps", "tpmC", "abortsPerSecond", "p99Micros", "oldVersionBytes"));
            csv.writeRecord(header);
            for (TimelinePoint point : statistics.timeline()) {
                csv.writeRecord(timelineRow(point));
            }
        }
    }

    private static List<String> timelineRow(TimelinePoint point) {
        List<String> row = new ArrayList<>();
        row.add(number(point.endSeconds(), 3));
        row.add(number(point.lengthSeconds(), 3));
        row.add(String.valueOf(point.warmup()));
        point.counts().forEach(count -> row.add(String.valueOf(count)));
        row.add(number(point.tps(), 1));
        row.add(number(point.tpmC(), 1));
        row.add(number(point.abortsPerSecond(), 1));
        row.add(number(point.p99Micros(), 1));
        row.add(String.valueOf(point.oldVersionBytes()));
        return row;
    }

    /// A line for each of a type's percentiles, ever closer together towards 100.
    static void writeLatencies(Path file, RunStatistics statistics) throws IOException {
        try (CsvWriter csv = CsvWriter.builder().build(file)) {
            csv.writeRecord("type", "percentile", "micros");
            for (TransactionType type : TransactionType.all()) {
                LatencyHistogram latency = statistics.type(type).latency();
                for (double percentile : Percentiles.upTo(latency.count())) {
                    csv.writeRecord(
                            type.label(),
                            number(percentile, 6),
                            number(latency.percentileMicros(percentile), 1));
                }
            }
        }
    }

    /// A line for each deferred delivery (clause 2.7.2.2): when it was queued and done, and which
    /// order of each district it delivered.
    static void writeDeliveries(Path file, List<DeliveryLog> logs, long runStartNanos)
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
        row.add(number((entry.queuedNanos() - runStartNanos) / NANOS_PER_SECOND, 6));
        row.add(number((entry.doneNanos() - runStartNanos) / NANOS_PER_SECOND, 6));
        row.add(String.valueOf(entry.warehouse()));
        row.add(String.valueOf(entry.carrier()));
        entry.orders().forEach(order -> row.add(order == 0 ? "" : String.valueOf(order)));
        return row;
    }

    private static String number(double number, int decimals) {
        return String.valueOf(Figures.rounded(number, decimals));
    }
}

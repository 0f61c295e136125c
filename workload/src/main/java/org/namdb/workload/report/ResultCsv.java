package org.namdb.workload.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.workload.Benchmark;
import org.namdb.workload.TransactionKind;
import org.namdb.workload.statistics.LatencyHistogram;
import org.namdb.workload.statistics.TimelinePoint;

/// Results as CSV, a line of names first.
final class ResultCsv {
    private ResultCsv() {}

    /// A line for each second.
    static void writeTimeline(Path file, RunResult result) throws IOException {
        try (CsvWriter csv = CsvWriter.builder().build(file)) {
            List<String> header = new ArrayList<>(List.of("endSeconds", "lengthSeconds", "warmup"));
            Benchmark.Measure measure = result.benchmark().measure();
            result.benchmark().kinds().forEach(kind -> header.add(kind.label()));
            header.add("tps");
            if (measure != null) {
                header.add(measure.name());
            }
            header.addAll(List.of("abortsPerSecond", "p99Micros", "oldVersionBytes"));
            csv.writeRecord(header);
            for (TimelinePoint point : result.statistics().timeline()) {
                csv.writeRecord(timelineRow(point, measure));
            }
        }
    }

    private static List<String> timelineRow(
            TimelinePoint point, Benchmark.@Nullable Measure measure) {
        List<String> row = new ArrayList<>();
        row.add(number(point.endSeconds(), 3));
        row.add(number(point.lengthSeconds(), 3));
        row.add(String.valueOf(point.warmup()));
        point.counts().forEach(count -> row.add(String.valueOf(count)));
        row.add(number(point.tps(), 1));
        if (measure != null) {
            row.add(number(point.of(measure), 1));
        }
        row.add(number(point.abortsPerSecond(), 1));
        row.add(number(point.p99Micros(), 1));
        row.add(String.valueOf(point.oldVersionBytes()));
        return row;
    }

    /// A line for each of a kind's percentiles, ever closer together towards 100.
    static void writeLatencies(Path file, RunResult result) throws IOException {
        try (CsvWriter csv = CsvWriter.builder().build(file)) {
            csv.writeRecord("type", "percentile", "micros");
            for (TransactionKind kind : result.benchmark().kinds()) {
                LatencyHistogram latency = result.statistics().type(kind).latency();
                for (double percentile : Percentiles.upTo(latency.count())) {
                    csv.writeRecord(
                            kind.label(),
                            number(percentile, 6),
                            number(latency.percentileMicros(percentile), 1));
                }
            }
        }
    }

    private static String number(double number, int decimals) {
        return String.valueOf(Figures.rounded(number, decimals));
    }
}

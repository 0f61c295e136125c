package org.namdb.workload.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.namdb.workload.Benchmark;
import org.namdb.workload.TransactionKind;
import org.namdb.workload.statistics.LatencyHistogram;
import org.namdb.workload.statistics.RunStatistics;
import org.namdb.workload.statistics.TimelinePoint;

/// The plots of a result.
final class ResultPlots {
    private static final int ALL_STYLE = 6;
    private static final int ABORTS_STYLE = 7;
    private static final int MAX_SPOTS = 200;
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final int BYTES_PER_MEBIBYTE = 1 << 20;

    private ResultPlots() {}

    /// Transactions a second over time.
    static String throughput(RunResult result) {
        List<TimelinePoint> points = full(result.statistics().timeline());
        if (points.isEmpty()) {
            return "<p>The run was too short for a plot.</p>\n";
        }
        double mostTps = points.stream().mapToDouble(TimelinePoint::tps).max().orElse(1);
        double endSeconds = points.getLast().endSeconds();
        LinePlot plot =
                new LinePlot(
                        Axis.upTo("seconds", endSeconds),
                        Axis.fromZero("transactions per second", mostTps));
        plot.shade(warmupSeconds(result), "warm-up")
                .line("all transactions/s", ALL_STYLE, line(points, TimelinePoint::tps, "/s"));
        Benchmark.Measure measure = result.benchmark().measure();
        if (measure != null) {
            TransactionKind kind = measure.kind();
            plot.line(
                    kind.label() + "/s",
                    style(kind),
                    line(
                            points,
                            point -> point.count(kind) / point.lengthSeconds(),
                            " " + measure.thing() + "/s"));
        }
        if (points.stream().anyMatch(point -> point.aborts() > 0)) {
            plot.line(
                    "aborts/s",
                    ABORTS_STYLE,
                    line(points, TimelinePoint::abortsPerSecond, " aborts/s"));
        }
        return plot.html();
    }

    /// How many old versions were kept.
    static String oldVersions(RunResult result) {
        List<TimelinePoint> points = full(result.statistics().timeline());
        if (points.isEmpty()) {
            return "";
        }
        ToDoubleFunction<TimelinePoint> mebibytes =
                point -> (double) point.oldVersionBytes() / BYTES_PER_MEBIBYTE;
        LinePlot plot =
                new LinePlot(
                        Axis.upTo("seconds", points.getLast().endSeconds()),
                        Axis.fromZero(
                                "MiB",
                                points.stream().mapToDouble(mebibytes).reduce(1, Math::max)));
        return plot.shade(warmupSeconds(result), "warm-up")
                .line("MiB of old versions", ALL_STYLE, line(points, mebibytes, " MiB"))
                .html();
    }

    /// Latencies by percentile, a line for each kind.
    static String latencies(RunResult result) {
        RunStatistics statistics = result.statistics();
        long count = statistics.total().count();
        if (count == 0) {
            return "<p>No transaction reached its result.</p>\n";
        }
        double least = statistics.total().latency().percentileMicros(0);
        double most = statistics.total().latency().maxMicros();
        LinePlot plot =
                new LinePlot(
                        Axis.percentiles("percentile", count),
                        Axis.logMicros("latency", least, most));
        for (TransactionKind kind : result.benchmark().kinds()) {
            plot.line(kind.label(), style(kind), line(statistics.type(kind).latency()));
        }
        return plot.html();
    }

    private static int style(TransactionKind kind) {
        return kind.index() + 1;
    }

    private static double warmupSeconds(RunResult result) {
        return result.options().warmup().toMillis() / MILLIS_PER_SECOND;
    }

    /// Without a last point that is too short to be meaningful.
    private static List<TimelinePoint> full(List<TimelinePoint> timeline) {
        return timeline.stream().filter(point -> point.lengthSeconds() > 0.5).toList();
    }

    private static List<LinePlot.Point> line(
            List<TimelinePoint> timeline, ToDoubleFunction<TimelinePoint> value, String unit) {
        boolean spots = timeline.size() <= MAX_SPOTS;
        List<LinePlot.Point> points = new ArrayList<>();
        for (TimelinePoint point : timeline) {
            double y = value.applyAsDouble(point);
            String text =
                    "%s s: %s%s"
                            .formatted(
                                    Figures.measure(point.endSeconds()), Figures.measure(y), unit);
            points.add(new LinePlot.Point(point.endSeconds(), y, spots ? text : ""));
        }
        return points;
    }

    private static List<LinePlot.Point> line(LatencyHistogram latency) {
        List<LinePlot.Point> points = new ArrayList<>();
        for (double percentile : Percentiles.upTo(latency.count())) {
            double micros = latency.percentileMicros(percentile);
            double place = Math.min(percentile, 100 * (1 - 1.0 / latency.count()));
            String text = Axis.percentText(percentile) + ": " + Axis.microsText(micros);
            points.add(new LinePlot.Point(place, micros, text));
        }
        return points;
    }
}

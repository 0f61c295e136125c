package org.namdb.workload.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.namdb.compute.commit.AbortCause;
import org.namdb.workload.TransactionKind;
import org.namdb.workload.statistics.AbortCounts;
import org.namdb.workload.statistics.LatencyHistogram;
import org.namdb.workload.statistics.RunStatistics;
import org.namdb.workload.statistics.TypeStatistics;

/// The tables that console and page have in common.
final class ResultGrids {
    private static final String TOTAL = "all";

    private ResultGrids() {}

    /// Counts and latencies by kind.
    static Grid transactions(RunResult result) {
        RunStatistics statistics = result.statistics();
        List<String> header =
                List.of(
                        "transaction",
                        "count",
                        "per s",
                        "retries",
                        "p50 µs",
                        "p95 µs",
                        "p99 µs",
                        "p99.9 µs",
                        "max µs");
        List<List<String>> rows = new ArrayList<>();
        for (TransactionKind kind : result.benchmark().kinds()) {
            rows.add(transactionRow(kind.label(), statistics.type(kind), statistics));
        }
        rows.add(transactionRow(TOTAL, statistics.total(), statistics));
        return new Grid(header, rows);
    }

    private static List<String> transactionRow(
            String label, TypeStatistics type, RunStatistics all) {
        LatencyHistogram latency = type.latency();
        return List.of(
                label,
                Figures.count(type.count()),
                Figures.measure(all.perSecond(type)),
                Figures.count(type.retries()),
                Figures.measure(latency.percentileMicros(50)),
                Figures.measure(latency.percentileMicros(95)),
                Figures.measure(latency.percentileMicros(99)),
                Figures.measure(latency.percentileMicros(99.9)),
                Figures.measure(latency.maxMicros()));
    }

    /// What a transaction costs in verbs, and why attempts were aborted, by kind; causes that
    /// didn't occur are left out.
    static Grid verbsAndAborts(RunResult result) {
        RunStatistics statistics = result.statistics();
        List<String> header =
                new ArrayList<>(
                        List.of("transaction", "verbs", "bytes", "round trips", "rolled back"));
        List<AbortCause> causes =
                AbortCounts.CAUSES.stream()
                        .filter(cause -> statistics.total().aborts().of(cause) > 0)
                        .toList();
        causes.forEach(cause -> header.add(cause.toString()));
        if (causes.size() != 1) {
            header.add("aborts");
        }
        header.add("given up");
        List<List<String>> rows = new ArrayList<>();
        for (TransactionKind kind : result.benchmark().kinds()) {
            rows.add(verbRow(kind.label(), statistics.type(kind), causes));
        }
        rows.add(verbRow(TOTAL, statistics.total(), causes));
        return new Grid(header, rows);
    }

    private static List<String> verbRow(
            String label, TypeStatistics type, List<AbortCause> causes) {
        List<String> row =
                new ArrayList<>(
                        List.of(
                                label,
                                Figures.measure(type.verbsPerTransaction()),
                                Figures.measure(type.bytesPerTransaction()),
                                Figures.measure(type.roundTripsPerTransaction()),
                                Figures.count(type.rolledBack())));
        causes.forEach(cause -> row.add(Figures.count(type.aborts().of(cause))));
        if (causes.size() != 1) {
            row.add(Figures.count(type.aborts().sum()));
        }
        row.add(Figures.count(type.givenUp()));
        return row;
    }

    /// Names and values.
    static Grid facts(String name, Map<String, Object> facts) {
        List<List<String>> rows = new ArrayList<>();
        facts.forEach((key, value) -> rows.add(List.of(key, String.valueOf(value))));
        return new Grid(List.of(name, "value"), rows);
    }
}

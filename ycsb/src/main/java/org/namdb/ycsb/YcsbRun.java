package org.namdb.ycsb;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.history.HistoryFile;
import org.namdb.workload.Benchmark;
import org.namdb.workload.driver.BenchmarkRun;
import org.namdb.workload.driver.Work;
import org.namdb.workload.report.CheckedCondition;
import org.namdb.workload.report.Figures;
import org.namdb.workload.report.OwnCounts;
import org.namdb.workload.report.ResultFiles;
import org.namdb.workload.report.RunConsole;

/// The whole of `nam ycsb`.
public final class YcsbRun extends BenchmarkRun<YcsbTables> {
    private final YcsbOptions options;
    private final List<ReadChecks> checks = new ArrayList<>();

    /// A run that hasn't begun.
    ///
    /// @param files where the results are written to, or null
    /// @param history where the history is written to, or null; closed when the run has ended
    /// @param opener opens the database; attached to others if and only if the options choose a
    ///     cluster. Null for a database in this process
    public YcsbRun(
            YcsbOptions options,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history,
            @Nullable Opener opener) {
        super(
                benchmark(options),
                options,
                new YcsbPopulation(options),
                console,
                files,
                history,
                opener);
        this.options = options;
    }

    static Benchmark benchmark(YcsbOptions options) {
        return new Benchmark(
                "YCSB",
                options.workload().kinds(),
                null,
                "record",
                "transaction",
                "all three consistency conditions");
    }

    @Override
    protected Work.Factory work(NamDb db, YcsbTables tables) {
        try (Session session = db.session()) {
            return work(options, tables.nextRun(session), tables, checks);
        }
    }

    /// What each thread runs.
    ///
    /// @param run the run's [number][YcsbTables#nextRun]
    /// @param checks gets those of each thread
    static Work.Factory work(
            YcsbOptions options, long run, YcsbTables tables, List<ReadChecks> checks) {
        RecordNumbers numbers = new RecordNumbers(options.records(), run);
        Requests requests = options.requests();
        Zipfian ranks =
                requests.kind() == Requests.Kind.UNIFORM
                        ? null
                        : new Zipfian(options.records(), requests.theta());
        // Processes and runs that share a database draw from streams of their own.
        SplittableRandom seeds = new SplittableRandom(options.seed() ^ RecordChooser.hash(run - 1));
        return (thread, session, window, startNanos) -> {
            ReadChecks own = new ReadChecks(tables);
            checks.add(own);
            return new YcsbWork(
                    session,
                    tables,
                    options,
                    numbers,
                    new RecordChooser(requests, ranks == null ? null : ranks.copy(), seeds.split()),
                    seeds.split(),
                    Work.pacing(options, thread, startNanos),
                    own);
        };
    }

    private ReadChecks.Totals totals() {
        ReadChecks.Totals sum = new ReadChecks.Totals();
        checks.forEach(each -> sum.add(each.totals()));
        return sum;
    }

    @Override
    protected OwnCounts counts() {
        if (!options.workload().has(Operation.SCAN)) {
            return OwnCounts.NONE;
        }
        ReadChecks.Totals totals = totals();
        Map<String, Long> fields = new LinkedHashMap<>();
        fields.put("scans", totals.scans());
        fields.put("recordsScanned", totals.scanned());
        double mean = totals.scans() == 0 ? 0 : (double) totals.scanned() / totals.scans();
        return new OwnCounts(
                fields,
                Map.of(
                        "scans",
                        "%s records read by %s scans, %s each"
                                .formatted(
                                        Figures.count(totals.scanned()),
                                        Figures.count(totals.scans()),
                                        Figures.measure(mean))));
    }

    /// Of what the transactions have read, warm-up included.
    @Override
    protected List<CheckedCondition> check(
            Session session, YcsbTables tables, DoubleConsumer progress) {
        ReadChecks.Totals totals = totals();
        return List.of(
                new CheckedCondition(
                        "found",
                        "each record that is asked for is there",
                        totals.missing(),
                        List.of()),
                new CheckedCondition(
                        "content", "each field belongs to its record", totals.foreign(), List.of()),
                new CheckedCondition(
                        "order",
                        "a scan begins at its first key and goes up",
                        totals.disordered(),
                        List.of()));
    }
}

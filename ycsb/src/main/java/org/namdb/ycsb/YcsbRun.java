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
///
/// @param <S> where its records are
public class YcsbRun<S extends YcsbStore> extends BenchmarkRun<S> {
    private final YcsbOptions options;
    private final YcsbLoad<S> population;
    private final List<ReadChecks> checks = new ArrayList<>();

    /// A run that hasn't begun.
    ///
    /// @param files where the results are written to, or null
    /// @param history where the history is written to, or null; closed when the run has ended
    /// @param opener opens the database; attached to others if and only if the options choose a
    ///     cluster. Null for a database in this process
    public static YcsbRun<?> of(
            YcsbOptions options,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history,
            @Nullable Opener opener) {
        return switch (options.store()) {
            case ROWS -> of(new YcsbPopulation(options), options, console, files, history, opener);
            case LINES ->
                    of(new YcsbLinePopulation(options), options, console, files, history, opener);
            case PAGES ->
                    of(new YcsbPagePopulation(options), options, console, files, history, opener);
        };
    }

    private static <S extends YcsbStore> YcsbRun<S> of(
            YcsbLoad<S> population,
            YcsbOptions options,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history,
            @Nullable Opener opener) {
        return new YcsbRun<>(population, options, console, files, history, opener);
    }

    /// A run on one of the stores.
    YcsbRun(
            YcsbLoad<S> population,
            YcsbOptions options,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history,
            @Nullable Opener opener) {
        super(benchmark(options), options, population, console, files, history, opener);
        this.options = options;
        this.population = population;
    }

    @Override
    public Status run() {
        try (population) {
            return super.run();
        }
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
    protected Work.Factory work(NamDb db, S tables) {
        try (Session session = db.session()) {
            return work(options, tables.nextRun(session), tables, checks);
        }
    }

    /// What each thread runs.
    ///
    /// @param run the run's [number][YcsbTables#nextRun]
    /// @param checks gets those of each thread
    static Work.Factory work(
            YcsbOptions options, long run, YcsbStore tables, List<ReadChecks> checks) {
        RecordNumbers numbers = new RecordNumbers(options.records(), run);
        Requests requests = options.requests();
        Zipfian ranks =
                requests.kind() == Requests.Kind.UNIFORM
                        ? null
                        : new Zipfian(options.records(), requests.theta());
        // Processes and runs that share a database draw from streams of their own.
        SplittableRandom seeds = new SplittableRandom(options.seed() ^ RecordChooser.hash(run - 1));
        return (thread, session, window, startNanos) -> {
            ReadChecks own = new ReadChecks();
            checks.add(own);
            OperationDraw draw =
                    new OperationDraw(
                            options,
                            numbers,
                            new RecordChooser(
                                    requests, ranks == null ? null : ranks.copy(), seeds.split()),
                            seeds.split());
            return tables.work(
                    session, options, draw, Work.pacing(options, thread, startNanos), own);
        };
    }

    private ReadChecks.Totals totals() {
        ReadChecks.Totals sum = new ReadChecks.Totals();
        checks.forEach(each -> sum.add(each.totals()));
        return sum;
    }

    @Override
    protected OwnCounts counts() {
        ReadChecks.Totals totals = totals();
        if (options.store() == YcsbOptions.Store.LINES) {
            return new OwnCounts(
                    Map.of("messages", totals.messages()),
                    Map.of(
                            "messages",
                            "%s to other compute servers, for lines that these had"
                                    .formatted(Figures.count(totals.messages()))));
        }
        if (options.store() == YcsbOptions.Store.PAGES) {
            return new OwnCounts(
                    Map.of("diskReads", totals.diskReads()),
                    Map.of(
                            "disk reads",
                            "%s pages that were not in memory"
                                    .formatted(Figures.count(totals.diskReads()))));
        }
        if (!options.workload().has(Operation.SCAN)) {
            return OwnCounts.NONE;
        }
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
    protected List<CheckedCondition> check(Session session, S tables, DoubleConsumer progress) {
        ReadChecks.Totals totals = totals();
        return List.of(
                new CheckedCondition(
                        "found", "each record that is read is there", totals.missing(), List.of()),
                new CheckedCondition(
                        "content", "each field belongs to its record", totals.foreign(), List.of()),
                new CheckedCondition(
                        "order",
                        "a scan begins at its first key and goes up",
                        totals.disordered(),
                        List.of()));
    }
}

package org.namdb.tpcc.driver;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.engine.ConcurrencyControl;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.lines.LineCheck;
import org.namdb.tpcc.lines.LinePopulation;
import org.namdb.tpcc.lines.LineTransactions;
import org.namdb.tpcc.lines.TpccLines;
import org.namdb.tpcc.report.DeliveryCsv;
import org.namdb.tpcc.statistics.DeliveryLog;
import org.namdb.workload.driver.BenchmarkRun;
import org.namdb.workload.driver.RunMeasurement;
import org.namdb.workload.driver.Work;
import org.namdb.workload.report.CheckedCondition;
import org.namdb.workload.report.Figures;
import org.namdb.workload.report.OwnCounts;
import org.namdb.workload.report.ResultFiles;
import org.namdb.workload.report.RunConsole;

/// The whole of `nam tpcc --engine`: TPC-C on cached lines.
public final class TpccLineRun extends BenchmarkRun<TpccLines> {
    private static final int PROCESS_SHIFT = 24;

    private final TpccOptions options;
    private final ConcurrencyControl control;
    private final List<DeliveryLog> deliveries = new CopyOnWriteArrayList<>();
    private final List<LineTransactions> transactions = new CopyOnWriteArrayList<>();

    /// A run that hasn't begun.
    ///
    /// @param options with an engine
    /// @param files where the results are written to, or null
    /// @param opener opens the database; attached to others if and only if the options choose a
    ///     cluster. Null for a database in this process
    public TpccLineRun(
            TpccOptions options,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable Opener opener) {
        super(TpccRun.TPCC, options, new LinePopulation(options), console, files, null, opener);
        this.options = options;
        this.control = Objects.requireNonNull(options.engine(), "engine");
    }

    @Override
    protected Work.Factory work(NamDb db, TpccLines lines) {
        return Terminals.of(
                options,
                db.process(),
                _ -> {
                    long seed = options.seed() + ((long) db.process() << PROCESS_SHIFT);
                    LineTransactions own =
                            new LineTransactions(lines, control, seed + transactions.size());
                    transactions.add(own);
                    return own;
                },
                deliveries);
    }

    @Override
    protected OwnCounts counts() {
        long messages = transactions.stream().mapToLong(each -> each.lines().messages()).sum();
        return TpccRun.counts(
                deliveries,
                Map.of("messages", messages),
                Map.of(
                        "messages",
                        "%s to other compute servers, for lines that these had"
                                .formatted(Figures.count(messages))));
    }

    @Override
    protected List<CheckedCondition> check(
            Session session, TpccLines lines, DoubleConsumer progress) {
        return LineCheck.run(lines, options.scale(), progress).stream()
                .map(ConditionResult::reported)
                .toList();
    }

    @Override
    protected void writeOwn(ResultFiles files, RunMeasurement measurement) throws IOException {
        DeliveryCsv.write(files.file("deliveries.csv"), deliveries, measurement.startNanos());
    }
}

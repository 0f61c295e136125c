package org.namdb.tpcc.driver;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.history.HistoryFile;
import org.namdb.compute.schema.Table;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.check.ConsistencyCheck;
import org.namdb.tpcc.load.TpccPopulation;
import org.namdb.tpcc.report.DeliveryCsv;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.tpcc.statistics.DeliveryLog;
import org.namdb.workload.Benchmark;
import org.namdb.workload.driver.BenchmarkRun;
import org.namdb.workload.driver.RunMeasurement;
import org.namdb.workload.driver.Work;
import org.namdb.workload.report.CheckedCondition;
import org.namdb.workload.report.Figures;
import org.namdb.workload.report.OwnCounts;
import org.namdb.workload.report.ResultFiles;
import org.namdb.workload.report.RunConsole;

/// The whole of `nam tpcc`.
public final class TpccRun extends BenchmarkRun<TpccSchema> {
    /// TPC-C in reports.
    public static final Benchmark TPCC =
            new Benchmark(
                    "TPC-C",
                    TransactionType.all(),
                    new Benchmark.Measure(
                            TransactionType.NEW_ORDER,
                            "tpmC",
                            "new orders/min (tpmC)",
                            "new orders",
                            60),
                    "warehouse",
                    TransactionType.NEW_ORDER.label(),
                    "all twelve consistency conditions");

    private final TpccOptions options;
    private final List<DeliveryLog> deliveries = new ArrayList<>();

    /// A run that hasn't begun, on a database in this process.
    ///
    /// @param files where the results are written to, or null
    /// @param history where the history is written to, or null; closed when the run has ended
    public TpccRun(
            TpccOptions options,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history) {
        this(options, console, files, history, null);
    }

    /// The same on any database.
    ///
    /// @param opener opens it; attached to others if and only if the options choose a cluster. Null
    ///     for a database in this process
    public TpccRun(
            TpccOptions options,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history,
            @Nullable Opener opener) {
        super(TPCC, options, new TpccPopulation(options), console, files, history, opener);
        this.options = options;
    }

    @Override
    protected Work.Factory work(NamDb db, TpccSchema schema) {
        return Terminals.of(
                options, db.process(), session -> new RowTransactions(session, schema), deliveries);
    }

    /// Rows of NEW-ORDER are deleted when the order is delivered.
    @Override
    protected Set<Table> unrecorded(TpccSchema schema) {
        return Set.of(schema.newOrders.table);
    }

    @Override
    protected OwnCounts counts() {
        return counts(deliveries, Map.of(), Map.of());
    }

    /// What was delivered, and something else.
    ///
    /// @param fields names and numbers
    /// @param lines a line of the console for each
    static OwnCounts counts(
            List<DeliveryLog> deliveries, Map<String, Long> fields, Map<String, String> lines) {
        long delivered = deliveries.stream().mapToLong(DeliveryLog::ordersDelivered).sum();
        long skipped = deliveries.stream().mapToLong(DeliveryLog::districtsSkipped).sum();
        Map<String, Long> allFields = new LinkedHashMap<>();
        allFields.put("ordersDelivered", delivered);
        allFields.put("districtsSkipped", skipped);
        allFields.putAll(fields);
        Map<String, String> allLines = new LinkedHashMap<>();
        allLines.put(
                "deliveries",
                "%s orders delivered, %s districts had none"
                        .formatted(Figures.count(delivered), Figures.count(skipped)));
        allLines.putAll(lines);
        return new OwnCounts(allFields, allLines);
    }

    @Override
    protected List<CheckedCondition> check(
            Session session, TpccSchema schema, DoubleConsumer progress) {
        return new ConsistencyCheck(schema, options.scale())
                .run(session, progress).stream().map(ConditionResult::reported).toList();
    }

    @Override
    protected void writeOwn(ResultFiles files, RunMeasurement measurement) throws IOException {
        DeliveryCsv.write(files.file("deliveries.csv"), deliveries, measurement.startNanos());
    }
}

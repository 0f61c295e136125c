package org.namdb.tpcc.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.compute.schema.Index;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.check.ConsistencyCheck;
import org.namdb.tpcc.load.LoadProgress;
import org.namdb.tpcc.load.LoadedDatabase;
import org.namdb.tpcc.load.Loader;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.tpcc.statistics.DeliveryLog;
import org.namdb.workload.driver.MeasuredRun;
import org.namdb.workload.driver.RunDatabase;
import org.namdb.workload.driver.RunMeasurement;
import org.namdb.workload.driver.RunObserver;
import org.namdb.workload.driver.StopSignal;

/// A small database on which terminals run.
final class RunFixture implements AutoCloseable {
    final TpccOptions options;
    final NamDb db;
    final TpccSchema schema;
    final StopSignal stop = new StopSignal();
    final List<DeliveryLog> deliveries = new ArrayList<>();

    RunFixture(TpccOptions options) {
        this(
                options,
                NamDb.embedded(RunDatabase.embedded(options, RecoveryProgress.UNSEEN)),
                IndexDefinition.FINE);
    }

    /// @param db an empty database
    /// @param distribution of the ordered indexes, and behind a blank, how it is partitioned
    RunFixture(TpccOptions options, NamDb db, String distribution) {
        this.options = options;
        this.db = db;
        TpccSchema created = TpccSchema.create(db, options.scale(), options.versions());
        boolean isFine = distribution.equals(IndexDefinition.FINE);
        boolean isByRange = distribution.contains(" "); // then the ranges come from the rows
        TpccSchema loaded = isFine || isByRange ? created : distributed(distribution);
        LoadProgress progress = new LoadProgress(options.scale());
        Loader loader = new Loader(db, loaded, options.scale(), options.seed(), LoadedDatabase.NOW);
        assertThat(loader.load(1, progress)).isTrue();
        schema = isByRange ? distributed(distribution) : loaded;
    }

    private TpccSchema distributed(String distribution) {
        String[] words = distribution.split(" ", -1);
        for (String table : List.of("orders", "new_order")) {
            for (Index index : db.table(table).indexes()) {
                if (index.isOrdered()) {
                    db.dropIndex(index.name());
                    IndexDefinition definition =
                            index.definition().property(IndexDefinition.DISTRIBUTION, words[0]);
                    if (words.length > 1) {
                        definition = definition.property(IndexDefinition.PARTITION, words[1]);
                    }
                    Index _ = db.createIndex(definition);
                }
            }
        }
        return TpccSchema.open(db, options.scale());
    }

    /// Two small warehouses in little memory, unless `more` has other options.
    static TpccOptions options(String more) {
        return TpccOptions.of(2, 24L << 30, "--warehouses 2 --population 1 --memory 128m " + more);
    }

    RunMeasurement run() {
        return run(RunObserver.NONE);
    }

    RunMeasurement run(RunObserver observer) {
        return measured(observer).run();
    }

    MeasuredRun measured(RunObserver observer) {
        return new MeasuredRun(
                db,
                TpccRun.TPCC,
                options,
                Terminals.of(
                        options,
                        db.process(),
                        session -> new RowTransactions(session, schema),
                        deliveries),
                stop,
                observer);
    }

    long ordersDelivered() {
        return deliveries.stream().mapToLong(DeliveryLog::ordersDelivered).sum();
    }

    long districtsSkipped() {
        return deliveries.stream().mapToLong(DeliveryLog::districtsSkipped).sum();
    }

    void assertConsistent() {
        try (Session session = db.session()) {
            List<ConditionResult> results =
                    new ConsistencyCheck(schema, options.scale()).run(session, share -> {});
            assertThat(results).hasSize(12).allMatch(ConditionResult::holds);
        }
    }

    @Override
    public void close() {
        db.close();
    }
}

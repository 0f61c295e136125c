package org.namdb.simulation;

import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.schema.Table;
import org.namdb.tpcc.ItemSkew;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.check.ConsistencyCheck;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.load.LoadProgress;
import org.namdb.tpcc.load.Loader;
import org.namdb.tpcc.schema.TpccSchema;

/// A small TPC-C: one warehouse with a hundredth of the standard's rows, where all transactions
/// meet. The standard's twelve conditions hold in every snapshot.
///
/// @param cached whether the table that is only read, and one that each Payment changes, are cached
record TpccWorkload(int clients, int versions, boolean cached) implements Workload {
    private static final Scale SCALE = new Scale(1, 1);
    private static final long SEED = 1;

    /// What a memory server needs for it.
    static final long SERVER_BYTES = 64L << 20;

    /// The twelve conditions are checked in one transaction.
    static final long MIN_MAX_TRANSACTION_NANOS = 100_000_000;

    @Override
    public String name() {
        return "tpcc";
    }

    @Override
    public void create(NamDb db) {
        TpccSchema schema = TpccSchema.create(db, SCALE, versions);
        Loader loader = new Loader(db, schema, SCALE, SEED, Instant.EPOCH);
        if (!loader.load(1, new LoadProgress(SCALE))) {
            throw new IllegalStateException("TPC-C's tables are not loaded");
        }
        for (String name : cached ? List.of("item", "warehouse") : List.<String>of()) {
            Table _ =
                    db.redefine(name, db.table(name).definition().copy(name).cached(true).build());
        }
    }

    @Override
    public Runnable client(ComputeServer server, SplittableRandom random, int transactions) {
        TpccClient client = new TpccClient(server, random);
        return () -> client.run(transactions);
    }

    @Override
    public void audit(NamDb db, SplittableRandom random) {
        try (Session session = db.session()) {
            audit(session, schema(db));
        }
    }

    /// Checks the twelve conditions.
    ///
    /// @throws IllegalStateException if one does not hold
    static void audit(Session session, TpccSchema schema) {
        List<ConditionResult> broken =
                new ConsistencyCheck(schema, SCALE)
                        .run(session, done -> {}).stream()
                                .filter(result -> !result.holds())
                                .toList();
        if (!broken.isEmpty()) {
            throw new IllegalStateException("TPC-C: " + broken);
        }
    }

    static TpccSchema schema(NamDb db) {
        return TpccSchema.open(db, SCALE);
    }

    static InputSource inputs(SplittableRandom random) {
        NuRandConstants constants = NuRandConstants.of(SEED);
        return new InputSource(
                SCALE,
                ItemChooser.of(new ItemSkew.Standard(), SCALE.items(), constants),
                constants,
                OptionalInt.empty(),
                TpccRandom.stream(random.nextLong(), 0));
    }
}

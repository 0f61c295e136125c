package org.namdb.tpcc.procedure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.fabric.VerbCounters;
import org.namdb.tpcc.ItemSkew;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.StockLevelInput;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.load.LoadProgress;
import org.namdb.tpcc.load.Loader;
import org.namdb.tpcc.schema.TpccSchema;

/// What a StockLevel costs on the fabric: all that it needs of one kind is read together, however
/// many orders and items there are.
class StockLevelCostTest {
    private static final long SEED = 42;
    private static final int RUNS = 30;

    /// The district, the lines of twenty orders, and the stocks of their items: each in home
    /// buckets, or in overflow areas, which take a round trip more for each level.
    @Test
    void threeKindsOfRows() {
        Scale scale = new Scale(1, 10);
        try (NamDb db = NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(1L << 30))) {
            TpccSchema schema = TpccSchema.create(db, scale, 2);
            new Loader(db, schema, scale, SEED, Instant.EPOCH).load(1, new LoadProgress(scale));
            NuRandConstants constants = NuRandConstants.of(SEED);
            InputSource inputs =
                    new InputSource(
                            scale,
                            ItemChooser.of(new ItemSkew.Standard(), scale.items(), constants),
                            constants,
                            OptionalInt.empty(),
                            TpccRandom.stream(SEED, 1));
            StockLevel procedure = new StockLevel(schema);
            StockLevelInput input = new StockLevelInput();
            long most = 0;
            int lowInAll = 0;
            try (Session session = db.session()) {
                VerbCounters counters = session.counters();
                for (int i = 0; i < RUNS; i++) {
                    inputs.fill(input, 1, 1 + i % Scale.DISTRICTS);
                    long[] body = new long[1];
                    int low =
                            session.transact(tx -> {
                                long before = counters.roundTrips();
                                int found = procedure.run(tx, input);
                                body[0] = counters.roundTrips() - before;
                                return found;
                            });
                    lowInAll += low;
                    most = Math.max(most, body[0]);
                }
            }
            assertThat(lowInAll).isPositive();
            assertThat(most).as("round trips before the commit").isBetween(3L, 10L);
        }
    }
}

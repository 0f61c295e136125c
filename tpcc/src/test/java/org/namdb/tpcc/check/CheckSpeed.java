package org.namdb.tpcc.check;

import java.time.Instant;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.load.LoadProgress;
import org.namdb.tpcc.load.Loader;
import org.namdb.tpcc.schema.TpccSchema;

/// Measures how fast a loaded database is checked: `CheckSpeed warehouses rounds`.
final class CheckSpeed {
    private CheckSpeed() {}

    public static void main(String[] arguments) {
        Scale scale = new Scale(Integer.parseInt(arguments[0]), 100);
        long bytes = scale.estimatedBytes() * 2;
        try (NamDb db = NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(bytes))) {
            TpccSchema schema = TpccSchema.create(db, scale, 4);
            LoadProgress progress = new LoadProgress(scale);
            new Loader(db, schema, scale, 1, Instant.now()).load(2, progress);
            try (Session session = db.session()) {
                for (int round = 0; round < Integer.parseInt(arguments[1]); round++) {
                    long start = System.nanoTime();
                    var results = new ConsistencyCheck(schema, scale).run(session, done -> {});
                    double seconds = (System.nanoTime() - start) / 1e9;
                    boolean holds = results.stream().allMatch(ConditionResult::holds);
                    System.out.printf(
                            "%s in %.2f s, %.2f million rows/s%n",
                            holds ? "all conditions hold" : "FAILED " + results,
                            seconds,
                            (progress.rows() - 200_000) / seconds / 1e6);
                }
            }
        }
    }
}

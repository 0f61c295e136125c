package org.namdb.tpcc.load;

import java.time.Instant;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.schema.TpccSchema;

/// Measures how fast a database is loaded: `LoadSpeed warehouses threads rounds`.
final class LoadSpeed {
    private LoadSpeed() {}

    public static void main(String[] arguments) {
        Scale scale = new Scale(Integer.parseInt(arguments[0]), 100);
        int threads = Integer.parseInt(arguments[1]);
        for (int round = 0; round < Integer.parseInt(arguments[2]); round++) {
            long bytes = scale.estimatedBytes() * 3 / 2;
            try (NamDb db = NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(bytes))) {
                TpccSchema schema = TpccSchema.create(db, scale, 4);
                LoadProgress progress = new LoadProgress(scale);
                long start = System.nanoTime();
                new Loader(db, schema, scale, 1, Instant.now()).load(threads, progress);
                double seconds = (System.nanoTime() - start) / 1e9;
                long used = db.usage().stream().mapToLong(u -> u.usedBytes()).sum();
                System.out.printf(
                        "%d rows in %.2f s, %.2f warehouses/s, %.0f MB per warehouse%n",
                        progress.rows(),
                        seconds,
                        scale.warehouses() / seconds,
                        used / 1e6 / scale.warehouses());
            }
        }
    }
}

package org.namdb.compute;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.SplittableRandom;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.VerbCounters;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// Measures what a table of two integers costs that grows to a number of rows, and one that was
/// made for them: `GrowthSpeed rows rowsOfATransaction`. One session; times are those of its thread
/// on a processor.
final class GrowthSpeed {
    private static final int LOOKUPS = 20_000;

    /// Header, key and payload.
    private static final int OWN_BYTES = 32;

    private GrowthSpeed() {}

    public static void main(String[] arguments) {
        int rows = Integer.parseInt(arguments[0]);
        int together = Integer.parseInt(arguments[1]);
        load(Math.min(rows, 1_000_000), together, false); // until the code is compiled
        load(rows, together, false);
        load(rows, together, true);
    }

    private static void load(int rows, int together, boolean isHinted) {
        EmbeddedOptions options = EmbeddedOptions.DEFAULT.withMemoryBytes((1L << 28) + 90L * rows);
        try (NamDb db = NamDb.embedded(options);
                Session session = db.session()) {
            TableDefinition.Builder definition =
                    TableDefinition.named("t")
                            .column("id", ColumnType.INT64)
                            .column("v", ColumnType.INT64)
                            .primaryKey("id");
            long empty = used(db);
            Table table =
                    db.createTable(
                            isHinted ? definition.expectedRows(rows).build() : definition.build());
            Column value = table.column("v");
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long start = threads.getCurrentThreadCpuTime();
            long roundTrips = session.counters().roundTrips();
            for (int from = 0; from < rows; from += together) {
                int first = from;
                session.transact(tx -> {
                    for (int id = first; id < Math.min(first + together, rows); id++) {
                        tx.insert(table, table.newKey().set(id)).setInt64(value, id);
                    }
                    return true;
                });
            }
            double seconds = (threads.getCurrentThreadCpuTime() - start) / 1e9;
            roundTrips = session.counters().roundTrips() - roundTrips;
            double bytes = (double) (used(db) - empty) / rows;
            System.out.printf(
                    "%s %,d rows, %,d a transaction: %,.0f rows/s, %.2f round trips a row, %.1f bytes a row, %.2f of its own%n",
                    isHinted ? "made for" : "grown to",
                    rows,
                    together,
                    rows / seconds,
                    (double) roundTrips / rows,
                    bytes,
                    bytes / OWN_BYTES);
            lookUp(session, table, rows);
        }
    }

    private static void lookUp(Session session, Table table, int rows) {
        SplittableRandom random = new SplittableRandom(1);
        VerbCounters counters = session.counters();
        session.transact(tx -> { // what the process caches of the directory is read once
            for (int i = 0; i < LOOKUPS; i++) {
                Row _ = tx.read(table, table.newKey().set(random.nextInt(rows)));
            }
            return true;
        });
        long reads = counters.reads();
        long roundTrips = counters.roundTrips();
        session.transact(tx -> {
            for (int i = 0; i < LOOKUPS; i++) {
                Row row = tx.read(table, table.newKey().set(random.nextInt(rows)));
                if (row == null) {
                    throw new AssertionError("a row is missing");
                }
            }
            return true;
        });
        System.out.printf(
                "    a lookup: %.3f READs, %.3f batches%n",
                (double) (counters.reads() - reads) / LOOKUPS,
                (double) (counters.roundTrips() - roundTrips) / LOOKUPS);
    }

    private static long used(NamDb db) {
        return db.usage().stream().mapToLong(usage -> usage.usedBytes()).sum();
    }
}

package org.namdb.cli;

import java.nio.file.Path;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// A program that uses a cluster: it adds one to a row repeatedly, and reports what it has
/// committed. Tests start it as a process of its own, and end it.
final class ClusterClient {
    private ClusterClient() {}

    public static void main(String[] arguments) {
        try (NamDb db = NamDb.connect(Path.of(arguments[0]));
                Session session = db.session()) {
            System.out.println("compute server " + db.process());
            for (long left = Long.parseLong(arguments[1]); left > 0; left--) {
                System.out.println(count(session, db.table("counters")));
            }
        }
    }

    static Table counters(NamDb db) {
        return db.createTable(
                TableDefinition.named("counters")
                        .column("id", ColumnType.INT32)
                        .column("count", ColumnType.INT64)
                        .primaryKey("id")
                        .expectedRows(100)
                        .build());
    }

    /// Adds one to 20 rows, which always hold the same.
    static long count(Session session, Table table) {
        return session.transact(tx -> {
            long value = 0;
            for (int id = 0; id < 20; id++) {
                Row row = tx.read(table, table.newKey().set(id));
                if (row == null) {
                    row = tx.insert(table, table.newKey().set(id));
                }
                long next = row.int64(table.column("count")) + 1;
                if (id > 0 && next != value) {
                    throw new IllegalStateException(
                            "row %d has %d, not %d".formatted(id, next, value));
                }
                value = next;
                row.setInt64(table.column("count"), value);
            }
            return value;
        });
    }
}

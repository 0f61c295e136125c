package org.namdb.simulation;

import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// A compute server that repeatedly makes an index and drops it, while a second one changes the
/// indexed values, and looks every value up in the index, if there is one, that it has read by its
/// key. Snapshots may be older than what was committed.
final class IndexMeeting extends SchemaMeeting {
    /// So many that filling the index takes a while.
    private static final int ROWS = 300;

    private static final int CHECKS = 24;
    private static final int ROUNDS = 10;

    /// The options of this seed allow for stale snapshots.
    private static final long OPTIONS_SEED = 14;

    private long values = ROWS;

    private IndexMeeting(long seed) {
        super(seed, ROUNDS);
    }

    /// Has them meet.
    static Result of(long seed) {
        return new IndexMeeting(seed).meet(OPTIONS_SEED);
    }

    @Override
    void load(NamDb db) {
        Table table =
                db.createTable(
                        TableDefinition.named("t")
                                .column("id", ColumnType.INT64)
                                .column("value", ColumnType.INT64)
                                .primaryKey("id")
                                .versions(2)
                                .expectedRows(ROWS)
                                .build());
        db.transact(transaction -> {
            for (int id = 0; id < ROWS; id++) {
                transaction
                        .insert(table, table.newKey().set(id))
                        .setInt64(table.column("value"), id);
            }
            return true;
        });
    }

    @Override
    void define(NamDb db, int round) {
        pause(db, 200_000);
        check(db); // by a session whose snapshot is used again
        pause(db, 20_000);
        db.createIndex(
                round % 2 == 0
                        ? IndexDefinition.hash("by_value", "t", "value")
                        : IndexDefinition.ordered("by_value", "t", "value"));
        check(db);
        pause(db, 200_000);
        check(db);
        db.dropIndex("by_value");
    }

    private void check(NamDb db) {
        Table table = db.table("t");
        db.transact(transaction -> {
            for (int i = 0; i < CHECKS; i++) {
                check(transaction, table, random.nextInt(ROWS));
            }
            return true;
        });
    }

    @Override
    void use(Session session, Table table) {
        long id = random.nextInt(ROWS);
        session.transact(transaction -> {
            Row row = transaction.read(table, table.newKey().set(id));
            row.setInt64(table.column("value"), values++);
            return true;
        });
        session.transact(transaction -> {
            check(transaction, table, id);
            return true;
        });
    }

    private void check(Transaction transaction, Table table, long id) {
        long value = transaction.read(table, table.newKey().set(id)).int64(table.column("value"));
        for (Index index : table.indexes()) {
            boolean isThere =
                    index.definition().kind() == IndexDefinition.Kind.HASH
                            ? isFound(transaction, table, index, value)
                            : isInRange(transaction, table, index, value);
            if (!isThere) {
                wrong("value %d of row %d is not in the index".formatted(value, id));
            }
        }
    }

    private static boolean isFound(Transaction transaction, Table table, Index index, long value) {
        Rows found = new Rows(); // the other one may be looking, too
        transaction.lookup(index, table, index.newKey().set(value), table.schema().all(), found);
        return found.size() == 1;
    }

    private static boolean isInRange(
            Transaction transaction, Table table, Index index, long value) {
        return transaction
                        .ascending(
                                index,
                                table,
                                index.newKey().set(value),
                                index.newKey().set(value),
                                table.schema().all())
                        .next()
                != null;
    }
}

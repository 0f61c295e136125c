package org.namdb.simulation;

import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// A compute server that repeatedly drops a table and makes another one in its memory, while a
/// second one changes rows of whatever table it finds. All rows of a table have the table's own
/// mark.
final class DdlMeeting extends SchemaMeeting {
    private static final int ROWS = 24;
    private static final int ROUNDS = 12;
    private static final int MARK_SHIFT = 32;
    private static final long OPTIONS_SEED = 1;

    private DdlMeeting(long seed) {
        super(seed, ROUNDS);
    }

    /// Has them meet.
    static Result of(long seed) {
        return new DdlMeeting(seed).meet(OPTIONS_SEED);
    }

    @Override
    void load(NamDb db) {
        // The changing compute server makes the first table as all others.
    }

    @Override
    void define(NamDb db, int round) {
        if (round > 0) {
            if (random.nextBoolean()) {
                db.dropTable("t");
            } else {
                db.truncate("t");
                db.dropTable("t");
            }
        }
        fill(db, create(db, round + 1));
        pause(db, 200_000);
        check(db, db.table("t"));
    }

    @Override
    void use(Session session, Table table) {
        session.transact(transaction -> {
            for (int i = 0; i < 4; i++) {
                long id = random.nextInt(ROWS);
                Row row = transaction.read(table, table.newKey().set(id));
                if (row != null) {
                    requireMark(table, row);
                    row.setInt64(table.column("value"), row.int64(table.column("value")) + 1);
                }
            }
            return true;
        });
    }

    private void requireMark(Table table, Row row) {
        long found = row.int64(table.column("value")) >>> MARK_SHIFT;
        if (found != mark(table)) {
            wrong("a row of table %d in table %d".formatted(found, mark(table)));
        }
    }

    private void check(NamDb db, Table table) {
        db.transact(transaction -> {
            int rows = 0;
            TableScan scan = transaction.scan(table, table.schema().all());
            for (Row row = scan.next(); row != null; row = scan.next()) {
                requireMark(table, row);
                rows++;
            }
            if (rows != ROWS) {
                wrong("%d rows of %d in table %d".formatted(rows, ROWS, mark(table)));
            }
            return true;
        });
    }

    private static Table create(NamDb db, long mark) {
        return db.createTable(
                TableDefinition.named("t")
                        .column("id", ColumnType.INT64)
                        .column("value", ColumnType.INT64)
                        .primaryKey("id")
                        .property("mark", String.valueOf(mark))
                        .inlined(mark % 3 != 0)
                        .versions(2)
                        .expectedRows(ROWS)
                        .build());
    }

    private static long mark(Table table) {
        return Long.parseLong(table.definition().properties().get("mark"));
    }

    private static void fill(NamDb db, Table table) {
        db.transact(transaction -> {
            for (int id = 0; id < ROWS; id++) {
                transaction
                        .insert(table, table.newKey().set(id))
                        .setInt64(table.column("value"), mark(table) << MARK_SHIFT);
            }
            return true;
        });
    }
}

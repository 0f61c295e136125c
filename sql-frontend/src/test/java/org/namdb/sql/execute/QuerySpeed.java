package org.namdb.sql.execute;

import java.util.Locale;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.plan.QueryPlan;
import org.namdb.sql.plan.TupleCursor;

/// Measures queries on one core; to be run by hand: the join of a million order lines with a hundred thousand items by their key, grouped, and reads of one row by its
/// key.
final class QuerySpeed {
    private static final int LINES = 1_000_000;
    private static final int ITEMS = 100_000;
    private static final int ROUNDS = 5;
    private static final int POINT_READS = 1_000_000;
    private static final int BATCH = 1_000;

    private QuerySpeed() {}

    public static void main(String[] arguments) {
        try (QueryFixture db = new QueryFixture(2L << 30)) {
            db.create(
                    "CREATE TABLE item (id bigint PRIMARY KEY, kind integer, price decimal(8,2), name varchar(20)) WITH (expected_rows = 100000)");
            db.create(
                    "CREATE TABLE line (id bigint PRIMARY KEY, item bigint, quantity integer) WITH (expected_rows = 1000000)");
            fill(db);
            run(db, "scan", "SELECT count(*) FROM line");
            run(db, "scan with filter", "SELECT count(*) FROM line WHERE quantity > 5");
            run(db, "group", "SELECT item, sum(quantity) FROM line GROUP BY item");
            run(
                    db,
                    "join",
                    "SELECT i.kind, count(*), sum(l.quantity) FROM line l JOIN item i ON l.item = i.id GROUP BY i.kind");
            run(
                    db,
                    "join with price",
                    "SELECT i.kind, sum(l.quantity * i.price) FROM line l JOIN item i ON l.item = i.id GROUP BY i.kind");
            pointReads(db);
        }
    }

    private static void fill(QueryFixture db) {
        for (int from = 0; from < LINES; from += BATCH) {
            int start = from;
            db.session()
                    .transact(tx -> {
                        for (int i = start; i < start + BATCH; i++) {
                            db.insert(tx, "line", i, i * 7919L % ITEMS, i % 10);
                            if (i < ITEMS) {
                                db.insert(tx, "item", i, i % 100, "1.25", "item " + i);
                            }
                        }
                        return true;
                    });
        }
    }

    private static void run(QueryFixture db, String name, String sql) {
        QueryPlan plan = db.plan(sql);
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            long rows = db.session().transact(tx -> count(db.execution(tx), plan));
            double seconds = (System.nanoTime() - start) / 1e9;
            say(
                    String.format(
                            Locale.ROOT, "%s: %d rows, %.0f lines/s", name, rows, LINES / seconds));
        }
        Explain.lines(plan, false).forEach(QuerySpeed::say);
    }

    private static long count(Execution execution, QueryPlan plan) {
        long rows = 0;
        try (TupleCursor tuples = execution.open(plan)) {
            for (@Nullable Object[] tuple = tuples.next(); tuple != null; tuple = tuples.next()) {
                rows++;
            }
        }
        return rows;
    }

    private static void pointReads(QueryFixture db) {
        QueryPlan plan = db.plan("SELECT kind, price, name FROM item WHERE id = $1");
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            long rows = 0;
            for (int from = 0; from < POINT_READS; from += BATCH) {
                int first = from;
                rows +=
                        db.session()
                                .transact(tx -> {
                                    long found = 0;
                                    for (long i = first; i < first + BATCH; i++) {
                                        found += count(db.execution(tx, i * 31 % ITEMS), plan);
                                    }
                                    return found;
                                });
            }
            double nanos = (double) (System.nanoTime() - start) / POINT_READS;
            say(String.format(Locale.ROOT, "point read: %d rows, %.0f ns each", rows, nanos));
        }
    }

    private static void say(String text) {
        Logger.getLogger(QuerySpeed.class.getName()).info(text);
    }
}

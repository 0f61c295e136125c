package org.namdb.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.schema.TpccSchema;

/// Audits a TPC-C database repeatedly while others change it, each time in one snapshot: a
/// warehouse's sum is that of its districts, and a district's newest order is there with all of its
/// lines, and none after it. A transaction that is half installed, or half undone, violates one of
/// these.
final class SnapshotLook implements AutoCloseable {
    private final NamDb db;
    private final TpccSchema schema;
    private final Thread thread;
    private final AtomicLong checks = new AtomicLong();
    private volatile boolean isOver;
    private volatile @Nullable String failure;
    private volatile long slowestNanos;

    SnapshotLook(NamDb db) {
        this.db = db;
        this.schema = TpccSchema.open(db, TpccTerminals.SCALE);
        this.thread = Thread.ofPlatform().daemon().start(this::run);
    }

    private void run() {
        try (Session session = db.session()) {
            while (!isOver) {
                long begun = System.nanoTime();
                for (int warehouse = 1;
                        warehouse <= TpccTerminals.SCALE.warehouses();
                        warehouse++) {
                    int each = warehouse;
                    String wrong = session.transact(tx -> check(tx, each));
                    if (wrong != null) {
                        failure = wrong;
                        return;
                    }
                }
                slowestNanos = Math.max(slowestNanos, System.nanoTime() - begun);
                checks.incrementAndGet();
                Thread.sleep(5);
            }
        } catch (RuntimeException | Error | InterruptedException e) {
            failure = e.toString();
        }
    }

    private @Nullable String check(Transaction tx, int warehouse) {
        Row sums =
                tx.post(
                        schema.warehouses.table,
                        schema.warehouses.table.newKey().set(warehouse),
                        schema.warehouses.table.schema().all());
        List<Row> districts = new ArrayList<>();
        for (int district = 1; district <= Scale.DISTRICTS; district++) {
            districts.add(
                    tx.post(
                            schema.districts.table,
                            schema.districts.table.newKey().set(warehouse, district),
                            schema.districts.table.schema().all()));
        }
        tx.await();
        long sum = 0;
        for (Row district : districts) {
            sum += district.int64(schema.districts.ytd);
        }
        if (sum != sums.int64(schema.warehouses.ytd)) {
            return "W_YTD of warehouse %d is %d, and its districts' is %d"
                    .formatted(warehouse, sums.int64(schema.warehouses.ytd), sum);
        }
        for (int district = 1; district <= Scale.DISTRICTS; district++) {
            long next = districts.get(district - 1).int64(schema.districts.nextOrder);
            String wrong = checkNewest(tx, warehouse, district, next);
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    private @Nullable String checkNewest(Transaction tx, int warehouse, int district, long next) {
        var orders = schema.orders.table;
        Row newest = tx.read(orders, orders.newKey().set(warehouse, district, next - 1));
        Row none = tx.read(orders, orders.newKey().set(warehouse, district, next));
        String where = "district %d of warehouse %d".formatted(district, warehouse);
        if (newest == null || none != null) {
            return "D_NEXT_O_ID of %s is %d: the order before it is there: %b, and that one: %b"
                    .formatted(where, next, newest != null, none != null);
        }
        long lines = newest.int64(schema.orders.lineCount);
        var table = schema.orderLines.table;
        for (long line = 1; line <= lines + 1; line++) {
            Row row = tx.read(table, table.newKey().set(warehouse, district, next - 1, line));
            if ((row != null) != (line <= lines)) {
                return "order %d of %s has %d lines; line %d is there: %b"
                        .formatted(next - 1, where, lines, line, row != null);
            }
        }
        return null;
    }

    /// What was seen that must not be; null if nothing was.
    @Nullable String failure() {
        return failure;
    }

    long checks() {
        return checks.get();
    }

    long slowestMicros() {
        return slowestNanos / 1_000;
    }

    @Override
    public void close() {
        isOver = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

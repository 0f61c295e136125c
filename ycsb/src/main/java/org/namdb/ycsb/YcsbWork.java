package org.namdb.ycsb;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.Session;
import org.namdb.compute.StoredProcedure;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.mvcc.index.EntrySink;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.workload.driver.Pacing;
import org.namdb.workload.driver.Work;

/// One thread's operations: draws one, and runs it as a transaction. Draws, keys and procedures are
/// reused.
final class YcsbWork implements Work {
    private static final EntrySink IGNORED = entry -> {};

    private final Session session;
    private final YcsbTables tables;
    private final YcsbOptions options;
    private final OperationDraw draw;
    private final Pacing pacing;
    private final ReadChecks checks;
    private final Key key;
    private final Key from;
    private final Key to;
    private final StoredProcedure<YcsbWork, Integer> procedure = YcsbWork::run;

    YcsbWork(
            Session session,
            YcsbTables tables,
            YcsbOptions options,
            OperationDraw draw,
            Pacing pacing,
            ReadChecks checks) {
        this.session = session;
        this.tables = tables;
        this.options = options;
        this.draw = draw;
        this.pacing = pacing;
        this.checks = checks;
        this.key = tables.table.newKey();
        this.from = tables.byKey.newKey();
        this.to = tables.byKey.newKey();
    }

    @Override
    public Pacing pacing() {
        return pacing;
    }

    @Override
    public void next() {
        draw.next();
    }

    @Override
    public Workload.Kind kind() {
        return draw.kind();
    }

    @Override
    public boolean run() {
        checks.begin();
        int _ = session.call(procedure, this);
        checks.committed();
        draw.committed();
        return false;
    }

    /// The key of the record that was drawn.
    long keyValue() {
        return draw.keyValue();
    }

    /// How many records a scan is to read.
    int scanRecords() {
        return draw.scanRecords();
    }

    private static Integer run(Transaction tx, YcsbWork work) {
        work.checks.begin(); // it may be run again
        switch (work.draw.operation()) {
            case READ -> work.read(tx);
            case UPDATE -> work.update(tx);
            case INSERT -> work.insert(tx);
            case SCAN -> work.scan(tx);
            case READ_MODIFY_WRITE -> work.readModifyWrite(tx);
        }
        return 0;
    }

    private void read(Transaction tx) {
        if (options.readsEntries()) {
            from.set(draw.keyValue());
            if (tx.entries(tables.byKey, tables.table, from, from, 1, IGNORED) == 0) {
                checks.missing();
            }
            return;
        }
        check(options.workload().isOfTree() ? lookUp(tx) : readByKey(tx), draw.keyValue());
    }

    private @Nullable Row readByKey(Transaction tx) {
        return tx.read(tables.table, key.set(draw.keyValue()), tables.all);
    }

    private @Nullable Row lookUp(Transaction tx) {
        from.set(draw.keyValue());
        RowCursor rows = tx.ascending(tables.byKey, tables.table, from, from, tables.all);
        Row row = rows.next();
        rows.close();
        return row;
    }

    /// Only the field is read, and with it the record's header, which the commit compares.
    private void update(Transaction tx) {
        write(tx.read(tables.table, key.set(draw.keyValue()), tables.each.get(draw.field())));
    }

    private void readModifyWrite(Transaction tx) {
        Row row = readByKey(tx);
        check(row, draw.keyValue());
        write(row);
    }

    private void write(@Nullable Row row) {
        if (row == null) {
            checks.missing();
        } else {
            row.setBytes(tables.fields.get(draw.field()), draw.value(), 0, draw.value().length);
        }
    }

    /// A row was read, or should have been: checks one of its fields.
    private void check(@Nullable Row row, long key) {
        if (row == null) {
            checks.missing();
            return;
        }
        Column column = tables.fields.get(draw.field());
        boolean isOwn = row.length(column) >= FieldText.MIN_BYTES;
        for (int i = 0; i < FieldText.MIN_BYTES && isOwn; i++) {
            isOwn = row.byteAt(column, i) == FieldText.digit(key, i);
        }
        checks.found(isOwn);
    }

    private void insert(Transaction tx) {
        Row row = tx.insert(tables.table, key.set(draw.keyValue()));
        for (int i = 0; i < options.fields(); i++) {
            byte[] bytes = draw.nextField();
            row.setBytes(tables.fields.get(i), bytes, 0, bytes.length);
        }
    }

    private void scan(Transaction tx) {
        from.set(draw.keyValue());
        to.set(Long.MAX_VALUE);
        if (options.readsEntries()) {
            int entries =
                    tx.entries(tables.byKey, tables.table, from, to, draw.scanRecords(), IGNORED);
            checks.inOrder(entries > 0);
            checks.scanned(entries);
            return;
        }
        RowCursor rows =
                tx.streamAscending(tables.byKey, tables.table, from, to, tables.all)
                        .expecting(draw.scanRecords());
        long last = draw.keyValue();
        int read = 0;
        while (read < draw.scanRecords()) {
            Row row = rows.next();
            if (row == null) {
                break;
            }
            long found = row.int64(tables.key);
            // The first record is there, and so is the scan's start.
            checks.inOrder(read == 0 ? found == draw.keyValue() : found > last);
            check(row, found);
            last = found;
            read++;
        }
        rows.close();
        checks.scanned(read);
    }
}

package org.namdb.ycsb;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Session;
import org.namdb.compute.StoredProcedure;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.mvcc.index.EntrySink;
import org.namdb.mvcc.schema.Key;
import org.namdb.workload.driver.Pacing;
import org.namdb.workload.driver.Work;

/// One thread's operations: draws one, and runs it as a transaction. Draws, keys and procedures are
/// reused.
final class YcsbWork implements Work {
    private static final long NONE = -1;
    private static final EntrySink IGNORED = entry -> {};

    private final Session session;
    private final YcsbTables tables;
    private final YcsbOptions options;
    private final RecordNumbers numbers;
    private final RecordChooser chooser;
    private final SplittableRandom random;
    private final Pacing pacing;
    private final FieldText text;
    private final ReadChecks checks;
    private final Key key;
    private final Key from;
    private final Key to;
    private final StoredProcedure<YcsbWork, Integer> procedure = YcsbWork::run;
    private Workload.Kind kind;
    private long keyValue;
    private long inserting = NONE;
    private int scanRecords;
    private int field;
    private byte[] value = new byte[0];

    /// @param numbers shared by all threads
    /// @param chooser its own
    /// @param random its own
    YcsbWork(
            Session session,
            YcsbTables tables,
            YcsbOptions options,
            RecordNumbers numbers,
            RecordChooser chooser,
            SplittableRandom random,
            Pacing pacing,
            ReadChecks checks) {
        this.session = session;
        this.tables = tables;
        this.options = options;
        this.numbers = numbers;
        this.chooser = chooser;
        this.random = random;
        this.pacing = pacing;
        this.checks = checks;
        this.text = new FieldText(options.fieldBytes(), random.split());
        this.key = tables.table.newKey();
        this.from = tables.byKey.newKey();
        this.to = tables.byKey.newKey();
        this.kind = options.workload().kinds().getFirst();
    }

    @Override
    public Pacing pacing() {
        return pacing;
    }

    @Override
    public void next() {
        kind = options.workload().at(random.nextInt(100));
        if (kind.operation() == Operation.INSERT) {
            if (inserting == NONE) {
                inserting = numbers.claim();
            }
            keyValue = numbers.key(inserting);
            return;
        }
        keyValue = numbers.key(chooser.next(numbers.count()));
        field = random.nextInt(options.fields());
        switch (kind.operation()) {
            case SCAN ->
                    scanRecords =
                            options.workload().isOfTree()
                                    ? options.rangeRecords()
                                    : random.nextInt(options.maxScan()) + 1;
            case UPDATE, READ_MODIFY_WRITE -> value = text.next(keyValue);
            case READ, INSERT -> {}
        }
    }

    @Override
    public Workload.Kind kind() {
        return kind;
    }

    @Override
    public boolean run() {
        checks.begin();
        int _ = session.call(procedure, this);
        checks.committed();
        if (kind.operation() == Operation.INSERT) {
            numbers.committed(inserting);
            inserting = NONE;
        }
        return false;
    }

    /// The key of the record that was drawn.
    long keyValue() {
        return keyValue;
    }

    /// How many records a scan is to read.
    int scanRecords() {
        return scanRecords;
    }

    private static Integer run(Transaction tx, YcsbWork work) {
        work.checks.begin(); // it may be run again
        switch (work.kind.operation()) {
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
            from.set(keyValue);
            if (tx.entries(tables.byKey, tables.table, from, from, 1, IGNORED) == 0) {
                checks.missing();
            }
            return;
        }
        checks.found(options.workload().isOfTree() ? lookUp(tx) : readByKey(tx), keyValue, field);
    }

    private @Nullable Row readByKey(Transaction tx) {
        return tx.read(tables.table, key.set(keyValue), tables.all);
    }

    private @Nullable Row lookUp(Transaction tx) {
        from.set(keyValue);
        RowCursor rows = tx.ascending(tables.byKey, tables.table, from, from, tables.all);
        Row row = rows.next();
        rows.close();
        return row;
    }

    /// Only the field is read, and with it the record's header, which the commit compares.
    private void update(Transaction tx) {
        write(tx.read(tables.table, key.set(keyValue), tables.each.get(field)));
    }

    private void readModifyWrite(Transaction tx) {
        Row row = readByKey(tx);
        checks.found(row, keyValue, field);
        write(row);
    }

    private void write(@Nullable Row row) {
        if (row == null) {
            checks.missing();
        } else {
            row.setBytes(tables.fields.get(field), value, 0, value.length);
        }
    }

    private void insert(Transaction tx) {
        Row row = tx.insert(tables.table, key.set(keyValue));
        for (int i = 0; i < options.fields(); i++) {
            byte[] bytes = text.next(keyValue);
            row.setBytes(tables.fields.get(i), bytes, 0, bytes.length);
        }
    }

    private void scan(Transaction tx) {
        from.set(keyValue);
        to.set(Long.MAX_VALUE);
        if (options.readsEntries()) {
            int entries = tx.entries(tables.byKey, tables.table, from, to, scanRecords, IGNORED);
            checks.inOrder(entries > 0);
            checks.scanned(entries);
            return;
        }
        RowCursor rows =
                tx.streamAscending(tables.byKey, tables.table, from, to, tables.all)
                        .expecting(scanRecords);
        long last = keyValue;
        int read = 0;
        while (read < scanRecords) {
            Row row = rows.next();
            if (row == null) {
                break;
            }
            long found = row.int64(tables.key);
            // The first record is there, and so is the scan's start.
            checks.inOrder(read == 0 ? found == keyValue : found > last);
            checks.found(row, found, field);
            last = found;
            read++;
        }
        rows.close();
        checks.scanned(read);
    }
}

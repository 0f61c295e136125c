package org.namdb.compute.read;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.PackedChanges;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Projection;

/// The rows of a transaction, found by their keys. The objects serve one transaction of a session
/// after the other.
final class KnownRows {
    private final ReadSet readSet;
    private final LocalChunks memory;
    private final TransactionBudget budget;
    final PackedRows packed;
    private RowCache cache = new RowCache();
    private Row[] rows = new Row[64];

    /// Those of the transaction before: one that was kept stays refused during this one.
    private Row[] formerRows = new Row[64];

    private int rowCount;

    KnownRows(ReadSet readSet, LocalChunks memory, TransactionBudget budget) {
        this.readSet = readSet;
        this.memory = memory;
        this.budget = budget;
        this.packed = new PackedRows(this, readSet, memory);
    }

    /// A transaction begins.
    void start() {
        Row[] next = formerRows;
        formerRows = rows;
        rows = next;
        rowCount = 0;
        cache.clear();
    }

    /// Starts over in small tables.
    void shrink() {
        rows = new Row[64];
        rowCount = 0;
        cache = new RowCache();
    }

    /// How many there are that are not packed.
    int size() {
        return rowCount;
    }

    /// The row that the transaction has for this key, if any.
    @Nullable Row find(Table table, long[] key) {
        Row row = cache.find(table, key);
        if (row == null && packed.count() > 0) {
            int entry = packed.find(table, key);
            return entry == PackedChanges.NONE ? null : unpack(entry);
        }
        return row;
    }

    /// The same, as a view that is valid until the next call.
    @Nullable Row peek(Table table, long[] key) {
        Row row = cache.find(table, key);
        if (row == null && packed.count() > 0) {
            int entry = packed.find(table, key);
            return entry == PackedChanges.NONE ? null : packed.peek(entry);
        }
        return row;
    }

    /// A row that was only a view, as one to keep.
    Row kept(Row row) {
        return packed.isView(row) ? unpack(row.packed) : row;
    }

    /// Row `number`, from 0.
    Row row(int number) {
        return rows[number];
    }

    private Row unpack(int entry) {
        Row row = nextRow(packed.entries.table(entry));
        packed.unpack(entry, row);
        readSet.changes.unpacked(row);
        rowCount++;
        cache.add(row);
        return row;
    }

    /// A row that is not yet read, from now on found by its key.
    Row add(Table table, long[] key, Projection projection) {
        readSet.requireUsable(table);
        Row row = nextRow(table);
        long image = memory.allocate(table.records().layout().bodyBytes());
        rowCount++;
        row.start(table, key, projection, image);
        cache.add(row);
        return row;
    }

    /// The next row.
    private Row nextRow(Table table) {
        budget.takeRow(rowCount);
        if (rowCount == rows.length) {
            rows = Arrays.copyOf(rows, 2 * rowCount);
        }
        Row row = rows[rowCount];
        if (row == null) {
            row = new Row(readSet, table);
            rows[rowCount] = row;
        }
        row.number = rowCount;
        return row;
    }

    /// Packs the rows that the transaction has changed into native memory, a tenth of what they
    /// take otherwise, and drops those that it has only read, unless something else than the caller
    /// holds them. No reads are in flight.
    void pack() {
        ChangedRows changes = readSet.changes;
        changes.pack();
        int kept = 0;
        cache.clear();
        for (int i = 0; i < rowCount; i++) {
            Row row = rows[i];
            if (changes.keeps(row)) {
                rows[i] = rows[kept];
                rows[kept] = row;
                row.number = kept++;
                changes.moved(row);
                cache.add(row);
            } else {
                changes.leave(row);
            }
        }
        rowCount = kept;
        changes.packed();
    }
}

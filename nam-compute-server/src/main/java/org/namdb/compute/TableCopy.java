package org.namdb.compute;

import java.util.List;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Key;

/// Copies all rows of a table to another one, while no other session writes: some rows in each
/// transaction.
final class TableCopy {
    private static final int ROWS_PER_COMMIT = 256;

    private final NamDb db;
    private final RowMapping mapping;

    TableCopy(NamDb db, RowMapping mapping) {
        this.db = db;
        this.mapping = mapping;
    }

    /// @param beside the tables that are filled with the one
    void copy(Table from, Table to, List<Table> beside) {
        mapping.begin(beside);
        try (Session reader = db.reservedSession();
                Session writer = db.reservedSession()) {
            reader.transact(reading -> {
                TableScan scan = reading.scan(from, from.schema().all());
                while (copySome(scan, writer, to)) {
                    // The remaining rows stay.
                }
                return true;
            });
        }
    }

    /// Returns whether there may be more.
    private boolean copySome(TableScan scan, Session writer, Table to) {
        boolean[] isTried = {false};
        return writer.transact(writing -> {
            if (isTried[0]) {
                throw new IllegalStateException("rows are copied while no other session writes");
            }
            isTried[0] = true;
            Key key = to.newKey();
            for (int count = 0; count < ROWS_PER_COMMIT; count++) {
                Row source = scan.next();
                if (source == null) {
                    return false;
                }
                mapping.key(source, key.clear());
                mapping.columns(source, writing.insert(to, key));
                mapping.others(writing);
            }
            return true;
        });
    }
}

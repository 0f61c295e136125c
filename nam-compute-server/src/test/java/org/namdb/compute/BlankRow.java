package org.namdb.compute;

import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;

/// Inserts rows of which the test does not care what is in them.
final class BlankRow {
    private static final byte[] NO_BYTES = {};

    private BlankRow() {}

    /// Inserts a row whose columns are NULL, or where they can't be, 0 or empty.
    static Row insert(Transaction tx, Table table, Key key) {
        Row row = tx.insert(table, key);
        for (Column column : table.schema().payloadColumns()) {
            if (!column.nullable() && column.type().isSized()) {
                row.setBytes(column, NO_BYTES, 0, 0);
            } else if (!column.nullable()) {
                row.setInt64(column, 0);
            }
        }
        return row;
    }
}

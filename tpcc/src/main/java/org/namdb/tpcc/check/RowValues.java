package org.namdb.tpcc.check;

import org.namdb.mvcc.schema.Column;

/// A row that is checked. Valid until the next one.
public interface RowValues {
    /// The value of a number.
    long int64(Column column);

    /// Whether a column is NULL.
    boolean isNull(Column column);
}

package org.namdb.tpcc.check;

import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;

/// Where the rows are that are checked.
@FunctionalInterface
public interface RowSource {
    /// Gives every row of a table to `each`.
    ///
    /// @param progress gets periodically how much is done, 0 to 1
    /// @param columns what is read of them, in addition to their keys
    void scan(Table table, Consumer<RowValues> each, DoubleConsumer progress, Column... columns);
}

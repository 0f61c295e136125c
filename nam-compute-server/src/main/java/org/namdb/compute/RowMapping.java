package org.namdb.compute;

import java.util.List;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Key;

/// How a row of a table becomes one of the table that replaces it.
public interface RowMapping {
    /// Called before the first row.
    ///
    /// @param beside the tables that [#others] fills, as the replacement lists them; empty
    default void begin(List<Table> beside) {}

    /// Fills the new row's primary key.
    ///
    /// @param source the old row, with all of its columns
    /// @param key empty
    void key(Row source, Key key);

    /// Sets the new row's columns; those that are not set are NULL where they may be, else zero.
    ///
    /// @param source the old row, with all of its columns
    /// @param target the new row
    void columns(Row source, Row target);

    /// Writes rows of other tables that go with the new one, in the same transaction.
    ///
    /// @param transaction the one that inserts the new row
    default void others(Transaction transaction) {}
}

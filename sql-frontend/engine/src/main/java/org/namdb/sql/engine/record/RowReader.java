package org.namdb.sql.engine.record;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.language.type.SqlType;

/// Turns rows of a table into tuples. Immutable, and shared by all threads; a scratch array belongs
/// to one.
public final class RowReader {
    private final ColumnReader[] columns;
    private final int scratchBytes;

    /// @param columns those that a tuple holds, in their order
    public RowReader(List<SqlColumn> columns) {
        this(
                columns.stream().map(SqlColumn::stored).toList(),
                columns.stream().map(SqlColumn::type).toList());
    }

    /// @param stored those that a tuple holds, in their order
    /// @param types of the values
    public RowReader(List<Column> stored, List<SqlType> types) {
        columns = new ColumnReader[stored.size()];
        int longest = 0;
        for (int i = 0; i < columns.length; i++) {
            ColumnType type = stored.get(i).type();
            columns[i] = ColumnReader.of(stored.get(i), types.get(i));
            longest = Math.max(longest, type.isSized() ? type.length() : 0);
        }
        scratchBytes = longest;
    }

    /// How many bytes a scratch array must have.
    public int scratchBytes() {
        return scratchBytes;
    }

    /// The values of a row.
    ///
    /// @param scratch at least [#scratchBytes] bytes
    public @Nullable Object[] read(Row row, byte[] scratch) {
        @Nullable Object[] tuple = new @Nullable Object[columns.length];
        read(row, tuple, 0, scratch);
        return tuple;
    }

    /// The same, for few rows.
    public @Nullable Object[] read(Row row) {
        return read(row, new byte[scratchBytes]);
    }

    /// Writes the values of a row to a tuple, from place `from` on.
    public void read(Row row, @Nullable Object[] tuple, int from, byte[] scratch) {
        for (int i = 0; i < columns.length; i++) {
            tuple[from + i] = columns[i].read(row, scratch);
        }
    }
}

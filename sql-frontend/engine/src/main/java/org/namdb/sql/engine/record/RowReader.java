package org.namdb.sql.engine.record;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.language.type.SqlType;

/// Turns rows of a table into tuples. Immutable, and shared by all threads; a scratch array belongs
/// to one. In place of a long value a tuple has a [LongValue], until it is [completed][#complete].
public final class RowReader {
    private final ColumnReader[] columns;
    private final int scratchBytes;

    /// The places of columns that may have long values.
    private final int[] longPlaces;

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
        longPlaces =
                IntStream.range(0, columns.length)
                        .filter(i -> ColumnReader.isLong(stored.get(i), types.get(i)))
                        .toArray();
    }

    private RowReader(RowReader all, int[] longPlaces) {
        this.columns = all.columns;
        this.scratchBytes = all.scratchBytes;
        this.longPlaces = longPlaces;
    }

    /// One that leaves long values unread where they are not needed.
    ///
    /// @param isNeeded whether the column at a place is
    public RowReader needing(IntPredicate isNeeded) {
        return new RowReader(this, IntStream.of(longPlaces).filter(isNeeded).toArray());
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

    /// The places of columns that may have long values.
    public int[] longPlaces() {
        return longPlaces.clone();
    }

    /// Whether a tuple has a long value that is not read yet.
    public boolean isIncomplete(@Nullable Object[] tuple) {
        for (int place : longPlaces) {
            if (tuple[place] instanceof LongValue) {
                return true;
            }
        }
        return false;
    }

    /// Reads the long values of a tuple, as the transaction sees them.
    ///
    /// @param chunks where the table has them; null if it has none
    /// @return the tuple
    public @Nullable Object[] complete(
            Transaction transaction, @Nullable Table chunks, @Nullable Object[] tuple) {
        for (int place : longPlaces) {
            if (chunks != null && tuple[place] instanceof LongValue value) {
                byte[] bytes = LongValues.bytes(transaction, chunks, value);
                tuple[place] = columns[place].whole(bytes, bytes.length);
            }
        }
        return tuple;
    }

    /// Writes the values of a row to a tuple, from place `from` on.
    public void read(Row row, @Nullable Object[] tuple, int from, byte[] scratch) {
        for (int i = 0; i < columns.length; i++) {
            tuple[from + i] = columns[i].read(row, scratch);
        }
    }
}

package org.namdb.sql.engine.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.StoredTypes;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The long values of a table: reads, writes and deletes their chunks, which are rows of a hidden
/// table. Used by one statement; writes are collected until [#flush], which has a transaction.
public final class LongValues {
    private static final String NUMBER = "value";
    private static final String CHUNK = "chunk";
    private static final String DATA = "data";

    /// How many chunks are read at a time to be deleted.
    private static final int DELETED_AT_A_TIME = 512;

    private final @Nullable Table chunks;
    private final LongSupplier numbers;
    private final List<Column> columns = new ArrayList<>();
    private final List<Pending> written = new ArrayList<>();
    private final List<LongValue> freed = new ArrayList<>();

    /// A value whose chunks are not written yet.
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Pending(LongValue value, byte[] bytes) {}

    /// @param chunks the hidden table; null if the table has none, and no long values
    /// @param columns those of the table that may have long values
    /// @param numbers gives numbers for new values
    private LongValues(@Nullable Table chunks, List<Column> columns, LongSupplier numbers) {
        this.chunks = chunks;
        this.numbers = numbers;
        this.columns.addAll(columns);
    }

    /// Those of a table.
    ///
    /// @param numbers gives numbers for new values, which no other value has
    public static LongValues of(SqlTable table, LongSupplier numbers) {
        Table chunks = table.longValues();
        List<Column> columns = chunks == null ? List.of() : columns(table.columns());
        return new LongValues(chunks, columns, numbers);
    }

    /// Those of a table that is being made.
    ///
    /// @param chunks its hidden table; null if it has none
    public static LongValues of(@Nullable Table chunks, LongSupplier numbers) {
        return new LongValues(chunks, List.of(), numbers);
    }

    private static List<Column> columns(List<SqlColumn> columns) {
        return columns.stream()
                .filter(c -> StoredTypes.isLong(c.type()) && !c.stored().inKey())
                .map(SqlColumn::stored)
                .toList();
    }

    /// The definition of a hidden table for chunks.
    public static TableDefinition definition(String name) {
        return TableDefinition.named(name)
                .column(NUMBER, ColumnType.INT64)
                .column(CHUNK, ColumnType.INT32)
                .column(DATA, ColumnType.bytes(LongValue.CHUNK_BYTES))
                .primaryKey(NUMBER, CHUNK)
                .build();
    }

    /// All bytes of a value, as the transaction sees it.
    static byte[] bytes(Transaction transaction, Table chunks, LongValue value) {
        byte[] bytes = new byte[value.length()];
        System.arraycopy(value.stored(), 0, bytes, 0, LongValue.INLINE_BYTES);
        Column data = chunks.column(DATA);
        RowBatch batch = transaction.batch(chunks, chunks.schema().all());
        int count = value.chunks();
        for (int from = 0; from < count; from += RowBatch.CAPACITY) {
            int to = Math.min(count, from + RowBatch.CAPACITY);
            for (int chunk = from; chunk < to; chunk++) {
                int _ = batch.add(chunks.newKey().add(value.number()).add(chunk));
            }
            batch.read();
            for (int chunk = from; chunk < to; chunk++) {
                Row row = batch.row(chunk - from);
                int at = LongValue.INLINE_BYTES + chunk * LongValue.CHUNK_BYTES;
                int expected = Math.min(LongValue.CHUNK_BYTES, bytes.length - at);
                if (!row.exists() || row.length(data) != expected) {
                    batch.close();
                    throw new SqlException(
                            SqlState.INTERNAL_ERROR,
                            "missing chunk number %d for long value %d in %s"
                                    .formatted(chunk, value.number(), chunks.name()));
                }
                row.copyBytes(data, bytes, at);
            }
        }
        batch.close();
        return bytes;
    }

    /// Whether a table has a place for long values.
    public boolean isUsed() {
        return chunks != null;
    }

    /// Writes the value of a column that is not in the key; what is too long for the record is kept
    /// until [#flush].
    ///
    /// @throws SqlException as [RowWriter#write]
    public void write(Row row, SqlColumn column, @Nullable Object value) {
        write(row, column.stored(), StoredTypes.isLong(column.type()), value);
    }

    /// The same of a column of a table that is being made.
    ///
    /// @param mayBeLong whether the column may have long values
    public void write(Row row, Column stored, boolean mayBeLong, @Nullable Object value) {
        boolean isLong =
                mayBeLong && chunks != null && RowWriter.mayExceed(value, LongValue.INLINE_BYTES);
        byte[] bytes = isLong ? RowWriter.bytes(Objects.requireNonNull(value)) : null;
        if (bytes == null || bytes.length <= LongValue.INLINE_BYTES) {
            RowWriter.write(row, stored, value);
            return;
        }
        if (bytes.length > LongValue.MAX_BYTES) {
            throw RowWriter.tooLong(stored, bytes.length, LongValue.MAX_BYTES);
        }
        LongValue reference = LongValue.of(numbers.getAsLong(), bytes);
        RowWriter.write(row, stored, reference);
        written.add(new Pending(reference, bytes));
    }

    /// The long value that a row has now in a column is about to be replaced.
    public void replaced(Row row, SqlColumn column) {
        if (chunks != null && columns.contains(column.stored())) {
            free(row, column.stored());
        }
    }

    /// The row is about to be deleted, and its long values with it.
    public void deleted(Row row) {
        if (chunks != null) {
            columns.forEach(column -> free(row, column));
        }
    }

    /// The row is about to be deleted, and another takes its place.
    ///
    /// @param tuple of the other one; it keeps the long values that were not read
    public void moved(Row row, @Nullable Object[] tuple) {
        if (chunks != null) {
            for (Column column : columns) {
                if (!(tuple[column.index()] instanceof LongValue)) {
                    free(row, column);
                }
            }
        }
    }

    /// A value is not used any more.
    public void free(LongValue value) {
        freed.add(value);
    }

    private void free(Row row, Column column) {
        if (!row.isNull(column) && row.length(column) == StoredTypes.TEXT_BYTES) {
            byte[] bytes = new byte[StoredTypes.TEXT_BYTES];
            row.copyBytes(column, bytes, 0);
            LongValue value = LongValue.read(bytes, bytes.length);
            if (value != null) {
                freed.add(value);
            }
        }
    }

    /// Writes the chunks of values that were written, and deletes those of values that were
    /// replaced or deleted.
    public void flush(Transaction transaction) {
        Table table = chunks;
        if (table == null || written.isEmpty() && freed.isEmpty()) {
            return;
        }
        Column data = table.column(DATA);
        for (Pending pending : written) {
            for (int chunk = 0; chunk < pending.value.chunks(); chunk++) {
                int at = LongValue.INLINE_BYTES + chunk * LongValue.CHUNK_BYTES;
                int length = Math.min(LongValue.CHUNK_BYTES, pending.bytes.length - at);
                Row _ =
                        transaction
                                .insert(
                                        table,
                                        table.newKey().add(pending.value.number()).add(chunk))
                                .setBytes(data, pending.bytes, at, length);
            }
        }
        written.clear();
        Projection nothing = table.schema().nothing();
        List<Row> rows = new ArrayList<>();
        for (LongValue value : freed) {
            for (int chunk = 0; chunk < value.chunks(); chunk++) {
                rows.add(
                        transaction.post(
                                table, table.newKey().add(value.number()).add(chunk), nothing));
                if (rows.size() == DELETED_AT_A_TIME) {
                    delete(transaction, rows);
                }
            }
        }
        freed.clear();
        delete(transaction, rows);
    }

    private static void delete(Transaction transaction, List<Row> rows) {
        transaction.await();
        for (Row row : rows) {
            if (row.exists()) {
                transaction.delete(row);
            }
        }
        rows.clear();
    }
}

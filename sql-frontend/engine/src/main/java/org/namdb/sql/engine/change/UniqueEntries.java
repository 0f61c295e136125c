package org.namdb.sql.engine.change;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.record.RowReader;
import org.namdb.sql.engine.record.RowWriter;
import org.namdb.sql.language.type.SqlType;

/// The entries of one unique index: rows of its hidden table, whose key are the indexed columns and
/// whose payload is the primary key of the row.
public final class UniqueEntries {
    private final SqlTable table;
    private final SqlIndex index;
    private final Table entries;
    private final Key key;
    private final Projection all;

    /// @param index a unique index of the table
    public UniqueEntries(SqlTable table, SqlIndex index) {
        this.table = table;
        this.index = index;
        this.entries =
                Objects.requireNonNull(index.uniqueTable(), "the table of a unique index is gone");
        this.key = entries.newKey();
        this.all = entries.schema().all();
    }

    SqlIndex index() {
        return index;
    }

    /// Whether a row has an entry: none of the columns is NULL.
    static boolean isWhole(List<Integer> columns, @Nullable Object[] tuple) {
        for (int column : columns) {
            if (tuple[column] == null) {
                return false;
            }
        }
        return true;
    }

    /// Posts the read of the entry with a tuple's values.
    ///
    /// @return null if there is none for such a row
    public @Nullable Row post(Transaction transaction, @Nullable Object[] tuple) {
        if (!isWhole(index.columns(), tuple)) {
            return null;
        }
        fillKey(tuple);
        return transaction.post(entries, key, all);
    }

    /// Adds the entry of a row.
    public void insert(Transaction transaction, @Nullable Object[] tuple) {
        fillKey(tuple);
        Row row = transaction.insert(entries, key);
        int next = 0;
        for (Column column : entries.schema().columns()) {
            if (!column.inKey()) {
                RowWriter.write(row, column, tuple[table.primaryKey().get(next++)]);
            }
        }
    }

    /// The primary key of the row that an entry is for, as a tuple that is empty but for it.
    @Nullable Object[] keyOf(Row entry) {
        List<SqlType> types =
                table.primaryKey().stream().map(c -> table.columns().get(c).type()).toList();
        List<Column> stored = List.of(entries.schema().payloadColumns());
        @Nullable Object[] primaryKey = new RowReader(stored, types).read(entry);
        @Nullable Object[] tuple = new @Nullable Object[table.columns().size()];
        for (int i = 0; i < primaryKey.length; i++) {
            tuple[table.primaryKey().get(i)] = primaryKey[i];
        }
        return tuple;
    }

    private void fillKey(@Nullable Object[] tuple) {
        key.clear();
        for (int column : index.columns()) {
            RowWriter.add(key, index.name(), Objects.requireNonNull(tuple[column]));
        }
    }
}

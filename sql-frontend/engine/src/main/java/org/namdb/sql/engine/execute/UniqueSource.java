package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.AccessPath;
import org.namdb.sql.engine.plan.TableShape;

/// Rows by the keys of a unique index: its table gives their primary keys.
final class UniqueSource implements RowSource {
    private final KeySource rows;

    UniqueSource(
            Transaction transaction,
            TableShape shape,
            AccessPath.ByUnique path,
            EvaluationFrame frame) {
        Table unique = Objects.requireNonNull(path.index().uniqueTable());
        List<Key> keys = KeyList.of(unique.newKey(), path.keys(), frame);
        KeySource entries = new KeySource(transaction, unique, unique.schema().all(), keys);
        UniqueEntry entry = new UniqueEntry(unique);
        Table table = shape.table().stored();
        List<Key> found = new ArrayList<>();
        for (Row row = entries.next(); row != null; row = entries.next()) {
            Key key = table.newKey();
            entry.primaryKey(row, key);
            found.add(key);
        }
        entries.close();
        rows = new KeySource(transaction, table, shape.projection(), found);
    }

    @Override
    public @Nullable Row next() {
        return rows.next();
    }

    @Override
    public void close() {
        rows.close();
    }

    /// Reads the primary keys in the table of a unique index.
    static final class UniqueEntry {
        private final Column[] columns;
        private final byte[] scratch;

        UniqueEntry(Table unique) {
            columns = unique.schema().payloadColumns();
            int longest = 0;
            for (Column column : columns) {
                longest = Math.max(longest, column.type().length());
            }
            scratch = new byte[longest];
        }

        /// Fills an empty primary key with what a row of the unique index's table holds.
        void primaryKey(Row row, Key key) {
            key.clear();
            for (Column column : columns) {
                if (column.type().isSized()) {
                    key.add(scratch, 0, row.copyBytes(column, scratch, 0));
                } else if (column.type().isFloating()) {
                    key.add(row.float64(column));
                } else if (column.type().isIntegral()) {
                    key.add(row.int64(column));
                } else {
                    key.addUuid(row.uuidHigh(column), row.uuidLow(column));
                }
            }
        }
    }
}

package org.namdb.sql.engine.execute;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;

/// Rows by whole primary keys, as many as a batch holds by one round trip.
final class KeySource implements RowSource {
    private final RowBatch batch;
    private final List<Key> keys;
    private int nextKey;
    private int at;

    KeySource(Transaction transaction, Table table, Projection projection, List<Key> keys) {
        this.batch = transaction.batch(table, projection);
        this.keys = keys;
    }

    @Override
    public @Nullable Row next() {
        while (true) {
            while (at < batch.size()) {
                Row row = batch.row(at++);
                if (row.exists()) {
                    return row;
                }
            }
            if (nextKey == keys.size()) {
                return null;
            }
            int end = Math.min(keys.size(), nextKey + RowBatch.CAPACITY);
            while (nextKey < end) {
                int _ = batch.add(keys.get(nextKey++));
            }
            batch.read();
            at = 0;
        }
    }

    @Override
    public void close() {
        batch.close();
    }
}

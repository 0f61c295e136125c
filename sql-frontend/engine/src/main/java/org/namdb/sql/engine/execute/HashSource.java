package org.namdb.sql.engine.execute;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.HashCursor;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Index;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.AccessPath;
import org.namdb.sql.engine.plan.TableShape;

/// Rows by all columns of a hashed index.
final class HashSource implements RowSource {
    private final Transaction transaction;
    private final TableShape shape;
    private final Index index;
    private final List<Key> keys;
    private int nextKey;
    private @Nullable HashCursor current;

    HashSource(
            Transaction transaction,
            TableShape shape,
            AccessPath.ByHash path,
            EvaluationFrame frame) {
        this.transaction = transaction;
        this.shape = shape;
        this.index = Objects.requireNonNull(path.index().index());
        this.keys = KeyList.of(index.newKey(), path.keys(), frame);
    }

    @Override
    public @Nullable Row next() {
        while (true) {
            HashCursor cursor = current;
            Row row = cursor == null ? null : cursor.next();
            if (row != null) {
                return row;
            }
            close();
            if (nextKey == keys.size()) {
                return null;
            }
            current =
                    transaction.matching(
                            index, shape.table().stored(), keys.get(nextKey++), shape.projection());
        }
    }

    @Override
    public void close() {
        if (current != null) {
            current.close();
            current = null;
        }
    }
}

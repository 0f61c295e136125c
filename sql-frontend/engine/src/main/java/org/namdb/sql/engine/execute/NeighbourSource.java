package org.namdb.sql.engine.execute;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.AccessPath;
import org.namdb.sql.engine.plan.TableShape;

/// Rows by the first columns of the primary key, which lie together: one round trip.
final class NeighbourSource implements RowSource {
    private final Rows rows = new Rows();
    private int at;

    NeighbourSource(
            Transaction transaction,
            TableShape shape,
            AccessPath.ByNeighbours path,
            EvaluationFrame frame) {
        Table table = shape.table().stored();
        Key key = table.newKey();
        if (KeyList.fill(key, path.prefix(), frame)) {
            transaction.neighbours(table, key, shape.projection(), rows);
        }
    }

    @Override
    public @Nullable Row next() {
        return at == rows.size() ? null : rows.row(at++);
    }

    @Override
    public void close() {
        rows.clear();
    }
}

package org.namdb.sql.engine.execute;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.record.KeyWriter;

/// Puts the records that tuples come from in the transaction's write set, as SELECT .. FOR UPDATE
/// requires: so of two transactions that do so, one gets a conflict.
final class LockRowsCursor implements TupleCursor {
    private final Transaction transaction;
    private final List<PlanNode.LockedKey> keys;
    private final TupleCursor input;
    private final Queue<@Nullable Object[]> locked = new ArrayDeque<>();

    LockRowsCursor(Execution execution, PlanNode.LockRows node, @Nullable EvaluationFrame outer) {
        transaction = execution.transaction();
        keys = node.keys();
        input = execution.open(node.input(), outer);
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        if (locked.isEmpty()) {
            fill();
        }
        return locked.poll();
    }

    private void fill() {
        List<Row> rows = new ArrayList<>();
        while (locked.size() < RowBatch.CAPACITY) {
            @Nullable Object[] tuple = input.next();
            if (tuple == null) {
                break;
            }
            locked.add(tuple);
            keys.forEach(key -> post(key, tuple, rows));
        }
        transaction.await();
        for (Row row : rows) {
            if (row.exists()) {
                transaction.lock(row);
            }
        }
    }

    /// A tuple of an outer join may be without a record of the table.
    private void post(PlanNode.LockedKey key, @Nullable Object[] tuple, List<Row> rows) {
        Table table = key.table().stored();
        Key wanted = table.newKey();
        for (int place : key.places()) {
            if (!KeyWriter.add(wanted, tuple[place])) {
                return;
            }
        }
        rows.add(transaction.post(table, wanted, table.schema().all()));
    }

    @Override
    public void close() {
        input.close();
    }
}

package org.namdb.sql.engine.execute;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.read.Row;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.record.RowReader;

/// Joins tuples with rows by an access path that may find many of them for each.
final class RangeJoinCursor extends JoinCursor {
    private final PlanNode.IndexJoin node;
    private final TupleCursor outer;
    private final RowReader reader;
    private final byte[] scratch;
    private @Nullable RowSource rows;

    RangeJoinCursor(
            Execution execution, PlanNode.IndexJoin node, @Nullable EvaluationFrame outerFrame) {
        super(
                execution,
                outerFrame,
                node.kind(),
                node.condition(),
                node.outer().fields().size(),
                node.shape().fields().size());
        this.node = node;
        reader = node.shape().reader();
        scratch = execution.scratch(reader.scratchBytes());
        outer = execution.open(node.outer(), outerFrame);
    }

    @Override
    @Nullable Object @Nullable [] nextLeft() {
        closeRows();
        @Nullable Object[] tuple = outer.next();
        if (tuple != null) {
            rows =
                    RowSource.open(
                            execution.transaction(), node.shape(), node.path(), frame.on(tuple));
        }
        return tuple;
    }

    @Override
    @Nullable Object @Nullable [] nextRight() {
        Row row = rows == null ? null : rows.next();
        return row == null
                ? null
                : reader.complete(
                        execution.transaction(),
                        node.shape().table().longValues(),
                        reader.read(row, scratch));
    }

    private void closeRows() {
        if (rows != null) {
            rows.close();
            rows = null;
        }
    }

    @Override
    public void close() {
        closeRows();
        outer.close();
    }
}

package org.namdb.sql.engine.execute;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.StatementProgress;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.record.RowReader;

/// Rows of a table, by one access path.
final class TableReadCursor implements TupleCursor {
    private final Execution execution;
    private final RowReader reader;
    private final byte[] scratch;
    private final @Nullable Scalar filter;
    private final EvaluationFrame frame;
    private final RowSource rows;
    private final StatementProgress progress;
    private final @Nullable Table chunks;
    private final boolean hasLong;

    /// Whether the filter needs long values.
    private final boolean isLongFiltered;

    TableReadCursor(Execution execution, PlanNode.TableRead node, @Nullable EvaluationFrame outer) {
        this.execution = execution;
        reader = node.shape().reader();
        progress = execution.progress();
        scratch = execution.scratch(reader.scratchBytes());
        filter = node.filter();
        chunks = node.shape().table().longValues();
        hasLong = chunks != null && reader.longPlaces().length > 0;
        isLongFiltered = hasLong && filter != null && readsLong(filter);
        frame = execution.emptyFrame(outer);
        rows = RowSource.open(execution.transaction(), node.shape(), node.path(), frame);
    }

    private boolean readsLong(Scalar part) {
        if (part instanceof ColumnScalar column) {
            for (int place : reader.longPlaces()) {
                if (column.index() == place) {
                    return true;
                }
            }
        }
        return part.operands().stream().anyMatch(this::readsLong);
    }

    private void complete(@Nullable Object[] tuple) {
        @Nullable Object[] _ = reader.complete(execution.transaction(), chunks, tuple);
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        for (Row row = rows.next(); row != null; row = rows.next()) {
            progress.read();
            @Nullable Object[] tuple = reader.read(row, scratch);
            boolean isIncomplete = hasLong && reader.isIncomplete(tuple);
            if (isIncomplete && isLongFiltered) {
                complete(tuple);
            }
            if (filter == null || Boolean.TRUE.equals(filter.evaluate(frame.on(tuple)))) {
                if (isIncomplete) {
                    complete(tuple);
                }
                return tuple;
            }
            execution.tick();
        }
        return null;
    }

    @Override
    public void expect(int tuples) {
        rows.expect(tuples);
    }

    @Override
    public void close() {
        rows.close();
    }
}

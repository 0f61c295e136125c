package org.namdb.sql.engine.execute;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;

/// The tuples for which a condition is true.
final class FilterCursor implements TupleCursor {
    private final Execution execution;
    private final TupleCursor input;
    private final Scalar condition;
    private final EvaluationFrame frame;

    FilterCursor(Execution execution, PlanNode.Filter node, @Nullable EvaluationFrame outer) {
        this.execution = execution;
        condition = node.condition();
        frame = execution.emptyFrame(outer);
        input = execution.open(node.input(), outer);
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        for (@Nullable Object[] tuple = input.next(); tuple != null; tuple = input.next()) {
            if (Boolean.TRUE.equals(condition.evaluate(frame.on(tuple)))) {
                return tuple;
            }
            execution.tick();
        }
        return null;
    }

    @Override
    public void close() {
        input.close();
    }
}

package org.namdb.sql.engine.execute;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;

/// Values made of each tuple.
final class ProjectCursor implements TupleCursor {
    private final TupleCursor input;
    private final Scalar[] values;
    private final EvaluationFrame frame;

    ProjectCursor(Execution execution, PlanNode.Project node, @Nullable EvaluationFrame outer) {
        values = node.values().toArray(new Scalar[0]);
        frame = execution.emptyFrame(outer);
        input = execution.open(node.input(), outer);
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        @Nullable Object[] tuple = input.next();
        if (tuple == null) {
            return null;
        }
        frame.on(tuple);
        @Nullable Object[] result = new @Nullable Object[values.length];
        for (int i = 0; i < values.length; i++) {
            result[i] = values[i].evaluate(frame);
        }
        return result;
    }

    @Override
    public void expect(int tuples) {
        input.expect(tuples);
    }

    @Override
    public void close() {
        input.close();
    }
}

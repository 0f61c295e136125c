package org.namdb.sql.engine.execute;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;

/// Tuples that are written out.
final class ValuesCursor implements TupleCursor {
    private final List<List<Scalar>> tuples;
    private final EvaluationFrame frame;
    private int at;

    ValuesCursor(Execution execution, PlanNode.Values node, @Nullable EvaluationFrame outer) {
        tuples = node.tuples();
        frame = execution.emptyFrame(outer);
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        if (at == tuples.size()) {
            return null;
        }
        List<Scalar> values = tuples.get(at++);
        @Nullable Object[] tuple = new @Nullable Object[values.size()];
        for (int i = 0; i < tuple.length; i++) {
            tuple[i] = values.get(i).evaluate(frame);
        }
        return tuple;
    }

    @Override
    public void close() {
        at = tuples.size();
    }
}

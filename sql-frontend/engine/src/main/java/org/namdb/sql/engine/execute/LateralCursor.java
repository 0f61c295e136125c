package org.namdb.sql.engine.execute;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;

/// Joins each left tuple with those of a plan that is run for it.
final class LateralCursor extends JoinCursor {
    private final PlanNode.Lateral node;
    private final TupleCursor outer;
    private @Nullable TupleCursor inner;

    LateralCursor(
            Execution execution, PlanNode.Lateral node, @Nullable EvaluationFrame outerFrame) {
        super(
                execution,
                outerFrame,
                node.kind(),
                node.condition(),
                node.outer().fields().size(),
                node.inner().fields().size());
        this.node = node;
        this.outer = execution.open(node.outer(), outerFrame);
    }

    @Override
    @Nullable Object @Nullable [] nextLeft() {
        closeInner();
        @Nullable Object[] tuple = outer.next();
        if (tuple != null) {
            @Nullable Object[] arguments = new @Nullable Object[node.arguments().size()];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = node.arguments().get(i).evaluate(frame.on(tuple));
            }
            inner = execution.open(node.inner(), execution.frame().on(arguments));
        }
        return tuple;
    }

    @Override
    @Nullable Object @Nullable [] nextRight() {
        return inner == null ? null : inner.next();
    }

    private void closeInner() {
        if (inner != null) {
            inner.close();
            inner = null;
        }
    }

    @Override
    public void close() {
        closeInner();
        outer.close();
    }
}

package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.JoinKind;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;

/// Joins by looking at all pairs; the second input is kept in memory.
final class NestedLoopCursor extends JoinCursor {
    private final PlanNode.NestedLoop node;
    private final @Nullable Frame outerFrame;
    private final TupleCursor outer;
    private @Nullable List<@Nullable Object[]> inner;
    private boolean[] hasPartner = {};
    private long memory;
    private int at;
    private int unmatchedAt;

    NestedLoopCursor(Execution execution, PlanNode.NestedLoop node, @Nullable Frame outerFrame) {
        super(
                execution,
                outerFrame,
                node.kind(),
                node.condition(),
                node.outer().fields().size(),
                node.inner().fields().size());
        this.node = node;
        this.outerFrame = outerFrame;
        outer = execution.open(node.outer(), outerFrame);
    }

    @Override
    @Nullable Object @Nullable [] nextLeft() {
        if (inner == null) {
            inner = kept();
            hasPartner = new boolean[inner.size()];
        }
        at = 0;
        return outer.next();
    }

    @Override
    @Nullable Object @Nullable [] nextRight() {
        return inner == null || at == inner.size() ? null : inner.get(at++);
    }

    @Override
    void matched() {
        hasPartner[at - 1] = true;
    }

    @Override
    @Nullable Object @Nullable [] nextUnmatchedRight() {
        if (node.kind() != JoinKind.FULL || inner == null) {
            return null;
        }
        while (unmatchedAt < inner.size()) {
            int number = unmatchedAt++;
            if (!hasPartner[number]) {
                return inner.get(number);
            }
        }
        return null;
    }

    private List<@Nullable Object[]> kept() {
        List<@Nullable Object[]> kept = new ArrayList<>();
        try (TupleCursor tuples = execution.open(node.inner(), outerFrame)) {
            for (@Nullable Object[] tuple = tuples.next(); tuple != null; tuple = tuples.next()) {
                execution.tick();
                memory += execution.memory().take(tuple);
                kept.add(tuple);
            }
        }
        return kept;
    }

    @Override
    public void close() {
        outer.close();
        inner = null;
        execution.memory().release(memory);
        memory = 0;
    }
}

package org.namdb.sql.engine.execute;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.JoinKind;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.TupleList;
import org.namdb.sql.engine.spill.WorkMemory;

/// Joins by comparing all pairs; the second input is kept.
final class NestedLoopCursor extends JoinCursor {
    private final PlanNode.NestedLoop node;
    private final @Nullable EvaluationFrame outerFrame;
    private final TupleCursor outer;
    private final WorkMemory memory;
    private final BitSet hasPartner = new BitSet();
    private @Nullable TupleList inner;
    private @Nullable TupleCursor candidates;

    /// How many of the candidates were given.
    private int given;

    private boolean isAtUnmatched;

    NestedLoopCursor(
            Execution execution, PlanNode.NestedLoop node, @Nullable EvaluationFrame outerFrame) {
        super(
                execution,
                outerFrame,
                node.kind(),
                node.condition(),
                node.outer().fields().size(),
                node.inner().fields().size());
        this.node = node;
        this.outerFrame = outerFrame;
        memory = execution.memory(node);
        outer = execution.open(node.outer(), outerFrame);
    }

    @Override
    @Nullable Object @Nullable [] nextLeft() {
        TupleList kept = inner;
        if (kept == null) {
            kept = kept();
            inner = kept;
        }
        @Nullable Object[] tuple = outer.next();
        if (tuple != null) {
            restart(kept);
        }
        return tuple;
    }

    @Override
    @Nullable Object @Nullable [] nextRight() {
        given++;
        return candidates == null ? null : candidates.next();
    }

    @Override
    void matched() {
        if (node.kind() == JoinKind.FULL) {
            hasPartner.set(given - 1);
        }
    }

    @Override
    @Nullable Object @Nullable [] nextUnmatchedRight() {
        TupleList kept = inner;
        if (node.kind() != JoinKind.FULL || kept == null) {
            return null;
        }
        if (!isAtUnmatched) {
            isAtUnmatched = true;
            restart(kept);
        }
        while (true) {
            @Nullable Object[] tuple = nextRight();
            if (tuple == null || !hasPartner.get(given - 1)) {
                return tuple;
            }
        }
    }

    private void restart(TupleList kept) {
        candidates = kept.read();
        given = 0;
    }

    private TupleList kept() {
        TupleList kept = new TupleList(memory);
        try (TupleCursor tuples = execution.open(node.inner(), outerFrame)) {
            for (@Nullable Object[] tuple = tuples.next(); tuple != null; tuple = tuples.next()) {
                execution.tick();
                kept.add(tuple);
            }
        }
        return kept;
    }

    @Override
    public void close() {
        outer.close();
        inner = null;
        candidates = null;
        memory.close();
    }
}

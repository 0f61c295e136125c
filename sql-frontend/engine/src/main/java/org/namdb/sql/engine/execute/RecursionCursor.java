package org.namdb.sql.engine.execute;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.TupleList;
import org.namdb.sql.engine.spill.WorkMemory;

/// WITH RECURSIVE: gives each tuple when it is made, and keeps it for the next step. Without ALL,
/// all different tuples are kept to the end, and must fit into work_mem.
final class RecursionCursor implements TupleCursor {
    private final Execution execution;
    private final PlanNode.Recursion node;
    private final @Nullable EvaluationFrame outer;
    private final HashKey key;
    private final WorkMemory knownMemory;
    private final Set<HashKey.Several> known = new HashSet<>();

    /// The step's tuples.
    private @Nullable TupleCursor input;

    /// What the step goes on from.
    private Step current;

    /// What the next one will go on from.
    private Step next;

    private static final class Step {
        private final WorkMemory memory;
        private final TupleList tuples;
        private boolean isEmpty = true;

        Step(WorkMemory memory) {
            this.memory = memory;
            this.tuples = new TupleList(memory);
        }
    }

    RecursionCursor(Execution execution, PlanNode.Recursion node, @Nullable EvaluationFrame outer) {
        this.execution = execution;
        this.node = node;
        this.outer = outer;
        key = TupleKeys.of(node.fields());
        knownMemory = execution.memory(node);
        current = newStep();
        next = newStep();
        input = execution.open(node.base(), outer);
    }

    private Step newStep() {
        return new Step(execution.memory(node));
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        while (true) {
            TupleCursor from = input;
            if (from == null) {
                return null;
            }
            for (@Nullable Object[] tuple = from.next(); tuple != null; tuple = from.next()) {
                execution.tick();
                if (isNew(tuple)) {
                    next.tuples.add(tuple);
                    next.isEmpty = false;
                    return tuple;
                }
            }
            from.close();
            input = nextStep();
        }
    }

    private boolean isNew(@Nullable Object[] tuple) {
        if (node.isAll()) {
            return true;
        }
        if (!known.add(key.withNulls(tuple))) {
            return false;
        }
        knownMemory.take(tuple);
        return true;
    }

    private @Nullable TupleCursor nextStep() {
        current.memory.close();
        current = next;
        next = newStep();
        if (current.isEmpty) {
            return null;
        }
        execution.setWorkTable(node.recursion(), current.tuples);
        return execution.open(node.step(), outer);
    }

    @Override
    public void close() {
        TupleCursor from = input;
        input = null;
        if (from != null) {
            from.close();
        }
        known.clear();
        knownMemory.close();
        current.memory.close();
        next.memory.close();
    }
}

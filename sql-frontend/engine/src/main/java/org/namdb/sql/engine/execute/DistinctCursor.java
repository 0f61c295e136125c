package org.namdb.sql.engine.execute;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.WorkMemory;

/// Each different tuple once; in the order of the first of each, as long as they fit into memory.
final class DistinctCursor implements TupleCursor {
    private final Execution execution;
    private final WorkMemory memory;
    private final DistinctTuples distinct;
    private @Nullable TupleCursor input;

    DistinctCursor(Execution execution, PlanNode.Distinct node, @Nullable EvaluationFrame outer) {
        this.execution = execution;
        memory = execution.memory(node);
        distinct = new DistinctTuples(TupleKeys.of(node.fields()), memory);
        input = execution.open(node.input(), outer);
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
                if (distinct.isNew(tuple)) {
                    return tuple;
                }
            }
            from.close();
            input = distinct.nextPartition();
        }
    }

    @Override
    public void close() {
        TupleCursor from = input;
        input = null;
        if (from != null) {
            from.close();
        }
        distinct.clear();
        memory.close();
    }
}

package org.namdb.sql.engine.execute;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;

/// Each different tuple once, in the order of the first of each.
final class DistinctCursor implements TupleCursor {
    private final Execution execution;
    private final TupleCursor input;
    private final HashKey key;
    private final Set<HashKey.Several> known = new HashSet<>();
    private long memory;

    DistinctCursor(Execution execution, PlanNode.Distinct node, @Nullable Frame outer) {
        this.execution = execution;
        key = TupleKeys.of(node.fields());
        input = execution.open(node.input(), outer);
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        for (@Nullable Object[] tuple = input.next(); tuple != null; tuple = input.next()) {
            execution.tick();
            if (known.add(key.withNulls(tuple))) {
                memory += execution.memory().take(tuple);
                return tuple;
            }
        }
        return null;
    }

    @Override
    public void close() {
        input.close();
        known.clear();
        execution.memory().release(memory);
        memory = 0;
    }
}

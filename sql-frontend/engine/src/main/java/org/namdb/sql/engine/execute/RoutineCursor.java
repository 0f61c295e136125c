package org.namdb.sql.engine.execute;

import java.util.Collections;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.RoutineRows;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.TupleCursor;

/// The rows of a function that users have made. It is run when the first one is read.
final class RoutineCursor implements TupleCursor {
    private final Execution execution;
    private final RoutineRows function;
    private final @Nullable EvaluationFrame outer;
    private @Nullable Iterator<@Nullable Object[]> rows;

    RoutineCursor(Execution execution, RoutineRows function, @Nullable EvaluationFrame outer) {
        this.execution = execution;
        this.function = function;
        this.outer = outer;
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        Iterator<@Nullable Object[]> left = rows;
        if (left == null) {
            left = run();
            rows = left;
        }
        if (!left.hasNext()) {
            return null;
        }
        execution.progress().read();
        return left.next();
    }

    private Iterator<@Nullable Object[]> run() {
        EvaluationFrame frame = execution.emptyFrame(outer);
        @Nullable Object[] values = new @Nullable Object[function.arguments().size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = function.arguments().get(i).evaluate(frame);
            if (values[i] == null && function.routine().isStrict()) {
                return Collections.emptyIterator();
            }
        }
        return execution.session().rows(function.name(), values).iterator();
    }

    @Override
    public void close() {
        rows = Collections.emptyIterator();
    }
}

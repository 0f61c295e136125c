package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.RowFunction;
import org.namdb.sql.engine.bind.RowsFrom;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.TupleCursor;

/// The rows of several functions side by side.
final class RowsFromCursor implements TupleCursor {
    private final List<TupleCursor> cursors = new ArrayList<>();
    private final List<RowFunction> functions;

    RowsFromCursor(Execution execution, RowsFrom function, @Nullable EvaluationFrame outer) {
        functions = function.functions();
        for (RowFunction each : functions) {
            cursors.add(Cursors.rows(execution, each, outer));
        }
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        List<@Nullable Object> tuple = new ArrayList<>();
        boolean isDone = true;
        for (int i = 0; i < cursors.size(); i++) {
            @Nullable Object[] part = cursors.get(i).next();
            isDone &= part == null;
            for (int column = 0; column < functions.get(i).columns(); column++) {
                tuple.add(part == null ? null : part[column]);
            }
        }
        return isDone ? null : tuple.toArray();
    }

    @Override
    public void close() {
        cursors.forEach(TupleCursor::close);
    }
}

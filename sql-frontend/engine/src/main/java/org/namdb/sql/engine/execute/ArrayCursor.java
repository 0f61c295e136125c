package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.ArrayRows;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.language.type.SqlArray;

/// The elements of arrays; NULL has none.
final class ArrayCursor implements TupleCursor {
    private final Execution execution;
    private final List<List<@Nullable Object>> columns = new ArrayList<>();
    private int count;
    private int given;

    ArrayCursor(Execution execution, ArrayRows function, @Nullable EvaluationFrame outer) {
        this.execution = execution;
        EvaluationFrame frame = execution.emptyFrame(outer);
        for (Scalar array : function.arrays()) {
            SqlArray value = (SqlArray) array.evaluate(frame);
            columns.add(value == null ? List.of() : value.values());
            count = Math.max(count, columns.getLast().size());
        }
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        if (given == count) {
            return null;
        }
        execution.tick();
        execution.progress().read();
        @Nullable Object[] tuple = new @Nullable Object[columns.size() + 1];
        for (int i = 0; i < columns.size(); i++) {
            List<@Nullable Object> column = columns.get(i);
            tuple[i] = given < column.size() ? column.get(given) : null;
        }
        given++;
        tuple[columns.size()] = (long) given;
        return tuple;
    }

    @Override
    public void close() {
        given = count;
    }
}

package org.namdb.sql.change;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.ast.Query;
import org.namdb.sql.bind.BindContext;
import org.namdb.sql.bind.Returning;
import org.namdb.sql.bind.Scope;
import org.namdb.sql.expression.Frame;
import org.namdb.sql.expression.Scalar;
import org.namdb.sql.plan.OutputColumn;
import org.namdb.sql.plan.Planner;

/// What RETURNING gives of each row.
///
/// @param columns the columns; empty without RETURNING
/// @param values their values
record ReturningList(List<OutputColumn> columns, List<Scalar> values) {
    static ReturningList plan(
            List<Query.Item> items, Scope scope, BindContext context, Planner planner) {
        List<OutputColumn> columns = new ArrayList<>();
        List<Scalar> values = new ArrayList<>();
        for (Returning item : Returning.bind(items, scope, context)) {
            Scalar value = planner.scalar(item.value());
            columns.add(new OutputColumn(item.name(), value.type()));
            values.add(value);
        }
        return new ReturningList(List.copyOf(columns), List.copyOf(values));
    }

    /// Adds what is given of some tuples.
    void evaluate(Frame frame, List<@Nullable Object[]> tuples, List<@Nullable Object[]> returned) {
        if (values.isEmpty()) {
            return;
        }
        for (@Nullable Object[] tuple : tuples) {
            frame.on(tuple);
            @Nullable Object[] result = new @Nullable Object[values.size()];
            for (int i = 0; i < result.length; i++) {
                result[i] = values.get(i).evaluate(frame);
            }
            returned.add(result);
        }
    }
}

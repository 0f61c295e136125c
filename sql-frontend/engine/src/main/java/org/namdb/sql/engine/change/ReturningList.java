package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.bind.Returning;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.change.ChangePlan.ChangeResult;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.OutputColumn;
import org.namdb.sql.engine.plan.PlanScalars;
import org.namdb.sql.engine.plan.Planner;
import org.namdb.sql.language.ast.Query;

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

    /// Whether it has subqueries. They see the database as it is before the statement, so it must
    /// be evaluated before anything is written.
    boolean hasSubquery() {
        return PlanScalars.haveSubquery(values);
    }

    /// Adds what is given of some tuples.
    void evaluate(
            EvaluationFrame frame,
            List<@Nullable Object[]> tuples,
            List<@Nullable Object[]> returned) {
        if (values.isEmpty()) {
            return;
        }
        for (@Nullable Object[] tuple : tuples) {
            returned.add(evaluate(frame, tuple));
        }
    }

    /// What is given of a tuple.
    @Nullable Object[] evaluate(EvaluationFrame frame, @Nullable Object[] tuple) {
        frame.on(tuple);
        @Nullable Object[] result = new @Nullable Object[values.size()];
        for (int i = 0; i < result.length; i++) {
            result[i] = values.get(i).evaluate(frame);
        }
        return result;
    }

    /// Does a change, and evaluates this. The errors of the change take precedence, unless this has
    /// to be evaluated before.
    ///
    /// @param change gives the number of rows
    ChangeResult around(
            LongSupplier change, EvaluationFrame frame, List<@Nullable Object[]> tuples) {
        List<@Nullable Object[]> returned = new ArrayList<>();
        boolean isFirst = hasSubquery();
        if (isFirst) {
            evaluate(frame, tuples, returned);
        }
        long count = change.getAsLong();
        if (!isFirst) {
            evaluate(frame, tuples, returned);
        }
        return new ChangeResult(count, returned);
    }
}

package org.namdb.sql;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.change.ChangeContext;
import org.namdb.sql.change.ChangePlan;
import org.namdb.sql.execute.Execution;
import org.namdb.sql.expression.Frame;
import org.namdb.sql.plan.QueryPlan;
import org.namdb.sql.plan.TupleCursor;

/// One run of a change.
///
/// @param context the transaction
/// @param execution what its expressions and queries run in
record ChangeRun(ChangeContext context, Execution execution) implements ChangePlan.Run {
    @Override
    public Frame frame() {
        return execution.frame();
    }

    @Override
    public TupleCursor open(QueryPlan plan) {
        return execution.open(plan);
    }

    @Override
    public void keep(@Nullable Object[] tuple) {
        execution.keep(tuple);
    }
}

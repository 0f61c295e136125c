package org.namdb.sql.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.change.ChangeContext;
import org.namdb.sql.engine.change.ChangePlan;
import org.namdb.sql.engine.execute.Execution;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.WorkMemory;

/// One run of a change.
///
/// @param context the transaction
/// @param execution what its expressions and queries run in
record ChangeRun(ChangeContext context, Execution execution) implements ChangePlan.Run {
    @Override
    public EvaluationFrame frame() {
        return execution.frame();
    }

    @Override
    public TupleCursor open(QueryPlan plan) {
        return execution.open(plan);
    }

    @Override
    public TupleCursor openCollected(QueryPlan plan) {
        return execution.openCollected(plan);
    }

    @Override
    public WorkMemory memory(QueryPlan plan) {
        return execution.memory(plan.root());
    }

    @Override
    public void setReturned(int change, List<@Nullable Object[]> rows) {
        execution.setReturned(change, rows);
    }

    @Override
    public void keep(@Nullable Object[] tuple) {
        execution.keep(tuple);
    }
}

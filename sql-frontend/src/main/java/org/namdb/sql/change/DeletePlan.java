package org.namdb.sql.change;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.ast.Statement.Delete;
import org.namdb.sql.bind.BindContext;
import org.namdb.sql.catalog.SqlTable;
import org.namdb.sql.plan.OutputColumn;
import org.namdb.sql.plan.PlanForecast;
import org.namdb.sql.plan.PlanNode;
import org.namdb.sql.plan.QueryPlan;
import org.namdb.sql.plan.TargetRows;

/// DELETE: collects the rows, then deletes them.
public final class DeletePlan implements ChangePlan {
    private final SqlTable table;
    private final TargetRows target;
    private final boolean isJoin;
    private final ReturningList returning;

    private DeletePlan(SqlTable table, TargetRows target, boolean isJoin, ReturningList returning) {
        this.table = table;
        this.target = target;
        this.isJoin = isJoin;
        this.returning = returning;
    }

    /// Plans one.
    ///
    /// @throws org.namdb.sql.error.SqlException with a position, if the statement has no meaning
    public static DeletePlan plan(
            Delete delete, BindContext context, ConstraintSource constraints) {
        ChangePlanner planner = new ChangePlanner(context, constraints);
        SqlTable table = context.table(delete.table());
        String alias = ChangePlanner.alias(table, delete.alias());
        TargetRows target =
                planner.planner().targetRows(table, alias, delete.using(), delete.where());
        ReturningList returning =
                ReturningList.plan(delete.returning(), target.scope(), context, planner.planner());
        return new DeletePlan(table, target, !delete.using().isEmpty(), returning);
    }

    @Override
    public List<OutputColumn> columns() {
        return returning.columns();
    }

    @Override
    public QueryPlan source() {
        return target.plan();
    }

    @Override
    public double expectedRows() {
        return Math.max(1, target.plan().root().rows());
    }

    @Override
    public void forecast(ChangeForecast forecast) {
        PlanNode source = target.plan().root();
        forecast.delete(table, PlanForecast.onlyKey(source), expectedRows());
    }

    @Override
    public ChangeResult run(Run run) {
        List<@Nullable Object[]> tuples = ChangePlan.collect(run, target.plan());
        if (isJoin) {
            tuples = UpdatePlan.firstOfEachRow(table, tuples);
        }
        StatementChanges changes = new StatementChanges(run.context(), run.frame());
        long count = changes.writer(table).delete(tuples);
        changes.finish();
        List<@Nullable Object[]> returned = new ArrayList<>();
        returning.evaluate(run.frame(), tuples, returned);
        return new ChangeResult(count, returned);
    }
}

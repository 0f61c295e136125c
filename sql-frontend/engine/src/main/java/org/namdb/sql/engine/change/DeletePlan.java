package org.namdb.sql.engine.change;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.plan.OutputColumn;
import org.namdb.sql.engine.plan.PlanForecast;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TargetRows;
import org.namdb.sql.language.ast.Statement.Delete;

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
    /// @throws org.namdb.sql.language.error.SqlException with a position, if the statement has
    ///     no meaning
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
        List<@Nullable Object[]> all = ChangePlan.collect(run, target.plan());
        List<@Nullable Object[]> tuples = isJoin ? UpdatePlan.firstOfEachRow(table, all) : all;
        StatementChanges changes = new StatementChanges(run.context(), run.frame());
        return returning.around(
                () -> {
                    long count = changes.writer(table).delete(tuples);
                    changes.finish();
                    return count;
                },
                run.frame(),
                tuples);
    }
}

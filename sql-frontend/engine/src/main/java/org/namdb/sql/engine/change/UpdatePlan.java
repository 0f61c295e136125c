package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.plan.OutputColumn;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.language.ast.Statement.Update;

/// UPDATE: collects the rows, then changes them. A change of a primary key deletes the row and
/// inserts another.
public final class UpdatePlan implements ChangePlan {
    private final ChangeTarget target;
    private final ChangePlanner.Sets sets;
    private final ReturningList returning;

    private UpdatePlan(ChangeTarget target, ChangePlanner.Sets sets, ReturningList returning) {
        this.target = target;
        this.sets = sets;
        this.returning = returning;
    }

    /// Plans one.
    ///
    /// @throws org.namdb.sql.language.error.SqlException with a position, if the statement has
    ///     no meaning
    public static UpdatePlan plan(
            Update update, BindContext context, ConstraintSource constraints) {
        ChangePlanner planner = new ChangePlanner(context, constraints);
        ChangeTarget target =
                ChangeTarget.plan(
                        planner, update.table(), update.alias(), update.from(), update.where());
        ChangePlanner.Sets sets = planner.sets(update.sets(), target.scope(), target.table());
        ReturningList returning =
                ReturningList.plan(update.returning(), target.scope(), context, planner.planner());
        return new UpdatePlan(target, sets, returning);
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
        return target.expectedRows();
    }

    @Override
    public void forecast(ChangeForecast forecast) {
        forecast.update(target.table(), target.onlyKey(), expectedRows(), sets.columns());
    }

    @Override
    public ChangeResult run(Run run) {
        List<@Nullable Object[]> tuples = target.collect(run);
        Frame frame = run.frame();
        int width = target.table().columns().size();
        List<@Nullable Object[]> olds = new ArrayList<>(tuples.size());
        List<@Nullable Object[]> news = new ArrayList<>(tuples.size());
        List<@Nullable Object[]> changed = new ArrayList<>(tuples.size());
        for (@Nullable Object[] tuple : tuples) {
            @Nullable Object[] all = sets.apply(tuple, frame.on(tuple), tuple.length);
            changed.add(all);
            olds.add(tuple.length == width ? tuple : Arrays.copyOf(tuple, width));
            news.add(all.length == width ? all : Arrays.copyOf(all, width));
        }
        StatementChanges changes = new StatementChanges(run.context(), run.frame());
        return returning.around(
                () -> {
                    changes.writer(target.table()).update(olds, news);
                    changes.finish();
                    return olds.size();
                },
                frame,
                changed);
    }
}

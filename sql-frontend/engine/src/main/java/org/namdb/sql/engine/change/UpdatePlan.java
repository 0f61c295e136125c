package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.plan.OutputColumn;
import org.namdb.sql.engine.plan.PlanForecast;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TargetRows;
import org.namdb.sql.language.ast.Statement.Update;

/// UPDATE: collects the rows, then changes them. A change of a primary key deletes the row and
/// inserts another.
public final class UpdatePlan implements ChangePlan {
    private final SqlTable table;
    private final TargetRows target;
    private final ChangePlanner.Sets sets;
    private final boolean isJoin;
    private final ReturningList returning;

    private UpdatePlan(
            SqlTable table,
            TargetRows target,
            ChangePlanner.Sets sets,
            boolean isJoin,
            ReturningList returning) {
        this.table = table;
        this.target = target;
        this.sets = sets;
        this.isJoin = isJoin;
        this.returning = returning;
    }

    /// Plans one.
    ///
    /// @throws org.namdb.sql.language.error.SqlException with a position, if the statement has
    ///     no meaning
    public static UpdatePlan plan(
            Update update, BindContext context, ConstraintSource constraints) {
        ChangePlanner planner = new ChangePlanner(context, constraints);
        SqlTable table = context.table(update.table());
        String alias = ChangePlanner.alias(table, update.alias());
        TargetRows target =
                planner.planner().targetRows(table, alias, update.from(), update.where());
        ChangePlanner.Sets sets = planner.sets(update.sets(), target.scope(), table);
        ReturningList returning =
                ReturningList.plan(update.returning(), target.scope(), context, planner.planner());
        return new UpdatePlan(table, target, sets, !update.from().isEmpty(), returning);
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
        forecast.update(table, PlanForecast.onlyKey(source), expectedRows(), sets.columns());
    }

    @Override
    public ChangeResult run(Run run) {
        List<@Nullable Object[]> tuples = ChangePlan.collect(run, target.plan());
        if (isJoin) {
            tuples = firstOfEachRow(table, tuples);
        }
        Frame frame = run.frame();
        int width = table.columns().size();
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
                    changes.writer(table).update(olds, news);
                    changes.finish();
                    return olds.size();
                },
                frame,
                changed);
    }

    /// Leaves out the tuples of a row that has come before.
    static List<@Nullable Object[]> firstOfEachRow(
            SqlTable table, List<@Nullable Object[]> tuples) {
        Set<List<@Nullable Object>> seen = new HashSet<>();
        List<@Nullable Object[]> first = new ArrayList<>();
        for (@Nullable Object[] tuple : tuples) {
            List<@Nullable Object> key = new ArrayList<>();
            for (int column : table.primaryKey()) {
                key.add(tuple[column]);
            }
            if (seen.add(key)) {
                first.add(tuple);
            }
        }
        return first;
    }
}

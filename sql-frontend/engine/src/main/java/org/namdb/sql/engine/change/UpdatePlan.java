package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.OutputColumn;
import org.namdb.sql.engine.plan.PlanForecast;
import org.namdb.sql.engine.plan.PlanScalars;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.engine.spill.TupleList;
import org.namdb.sql.engine.spill.WorkMemory;
import org.namdb.sql.language.ast.Statement.Update;

/// UPDATE: changes the rows as they are read, or collects them first, if one that is read later, or
/// the uniqueness of a key, may depend on one that was changed. A change of a primary key deletes
/// the row and inserts another.
public final class UpdatePlan implements ChangePlan {
    private final ChangeTarget target;
    private final ChangePlanner.Sets sets;
    private final ReturningList returning;
    private final boolean setsKeys;
    private final boolean isStreamed;
    private final PlanForecast.@Nullable PointRead onlyRow;

    private UpdatePlan(ChangeTarget target, ChangePlanner.Sets sets, ReturningList returning) {
        this.target = target;
        this.sets = sets;
        this.returning = returning;
        this.setsKeys = setsKeys(sets, target.table());
        this.isStreamed = target.isStreamed(sets.values(), sets.columns()) && !setsKeys;
        this.onlyRow = PlanForecast.stableRead(target.plan().root());
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
                        planner,
                        update.table(),
                        update.alias(),
                        update.from(),
                        update.where(),
                        Privilege.UPDATE);
        ChangePlanner.Sets sets = planner.sets(update.sets(), target.scope(), target.table());
        if (PlanScalars.readFirst(sets.values(), target.table().columns().size())
                || !update.returning().isEmpty()) {
            context.need(target.table(), Privilege.SELECT);
        }
        ReturningList returning =
                ReturningList.plan(update.returning(), target.scope(), context, planner.planner());
        UpdatePlan plan = new UpdatePlan(target, sets, returning);
        boolean isKept = plan.isStreamed || target.onlyKey() != null && !plan.setsKeys;
        if (update.returning().isEmpty() && isKept) { // others may be spilled, and so are whole
            List<Scalar> needing = new ArrayList<>(sets.needed());
            constraints
                    .of(target.table())
                    .checks()
                    .forEach(check -> needing.add(check.condition()));
            return new UpdatePlan(target.needing(needing), sets, returning);
        }
        return plan;
    }

    SqlTable table() {
        return target.table();
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
    public PlanForecast.@Nullable PointRead onlyRow() {
        return onlyRow;
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
        StatementChanges changes = new StatementChanges(run.context(), run.frame());
        EvaluationFrame frame = run.frame();
        if (columns().isEmpty()) {
            long count =
                    isStreamed
                            ? target.stream(
                                    run, tuples -> update(tuples, changed(tuples, frame), changes))
                            : updateCollected(run, changes);
            changes.finish();
            return new ChangeResult(count, List.of());
        }
        List<@Nullable Object[]> tuples = target.collect(run);
        List<@Nullable Object[]> changed = changed(tuples, frame);
        return returning.around(
                () -> {
                    long count = update(tuples, changed, changes);
                    changes.finish();
                    return count;
                },
                frame,
                changed);
    }

    /// Whether the primary key or one of a unique index may change.
    private static boolean setsKeys(ChangePlanner.Sets sets, SqlTable table) {
        return !Collections.disjoint(sets.columns(), table.primaryKey())
                || table.indexes().stream()
                        .anyMatch(index ->
                                index.isUnique()
                                        && !Collections.disjoint(sets.columns(), index.columns()));
    }

    /// Changes the rows when all of them, and what becomes of them, are known.
    private long updateCollected(Run run, StatementChanges changes) {
        EvaluationFrame frame = run.frame();
        int width = target.table().columns().size();
        TableWriter writer = changes.writer(target.table());
        try (WorkMemory memory = run.memory(target.plan())) {
            TupleList pairs = new TupleList(memory);
            target.forEachRow(
                    run,
                    tuple -> {
                        @Nullable Object[] changed = sets.apply(tuple, frame.on(tuple), width);
                        @Nullable Object[] pair = Arrays.copyOf(tuple, 2 * width);
                        System.arraycopy(changed, 0, pair, width, width);
                        pairs.add(pair);
                    });
            if (setsKeys) {
                writer.updateTogether(pairs);
                return pairs.count();
            }
            return ChangeTarget.inBatches(
                    pairs.read(),
                    batch -> {
                        writer.update(TableWriter.olds(batch), TableWriter.news(batch));
                        return batch.size();
                    });
        }
    }

    /// The tuples with the values that are set.
    private List<@Nullable Object[]> changed(
            List<@Nullable Object[]> tuples, EvaluationFrame frame) {
        List<@Nullable Object[]> changed = new ArrayList<>(tuples.size());
        for (@Nullable Object[] tuple : tuples) {
            changed.add(sets.apply(tuple, frame.on(tuple), tuple.length));
        }
        return changed;
    }

    private long update(
            List<@Nullable Object[]> tuples,
            List<@Nullable Object[]> changed,
            StatementChanges changes) {
        changes.writer(target.table()).update(rows(tuples), rows(changed));
        return tuples.size();
    }

    /// The row of each tuple, without what is joined to it.
    private List<@Nullable Object[]> rows(List<@Nullable Object[]> tuples) {
        int width = target.table().columns().size();
        List<@Nullable Object[]> rows = new ArrayList<>(tuples.size());
        for (@Nullable Object[] tuple : tuples) {
            rows.add(tuple.length == width ? tuple : Arrays.copyOf(tuple, width));
        }
        return rows;
    }
}

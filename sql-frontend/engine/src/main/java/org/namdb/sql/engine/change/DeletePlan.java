package org.namdb.sql.engine.change;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.plan.OutputColumn;
import org.namdb.sql.engine.plan.PlanForecast;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.engine.spill.TupleList;
import org.namdb.sql.engine.spill.WorkMemory;
import org.namdb.sql.language.ast.Statement.Delete;

/// DELETE: deletes the rows as they are read, or collects them first, if one that is read later may
/// depend on a deleted one.
public final class DeletePlan implements ChangePlan {
    private final ChangeTarget target;
    private final ReturningList returning;
    private final boolean isStreamed;
    private final PlanForecast.@Nullable PointRead onlyRow;

    private DeletePlan(ChangeTarget target, ReturningList returning) {
        this.target = target;
        this.returning = returning;
        this.isStreamed = target.isStreamed(List.of(), List.of());
        this.onlyRow = PlanForecast.stableRead(target.plan().root());
    }

    /// Plans one.
    ///
    /// @throws org.namdb.sql.language.error.SqlException with a position, if the statement has
    ///     no meaning
    public static DeletePlan plan(
            Delete delete, BindContext context, ConstraintSource constraints) {
        ChangePlanner planner = new ChangePlanner(context, constraints);
        ChangeTarget target =
                ChangeTarget.plan(
                        planner,
                        delete.table(),
                        delete.alias(),
                        delete.using(),
                        delete.where(),
                        Privilege.DELETE);
        if (!delete.returning().isEmpty()) {
            context.need(target.table(), Privilege.SELECT);
        }
        ReturningList returning =
                ReturningList.plan(delete.returning(), target.scope(), context, planner.planner());
        // Rows that may be spilled are whole.
        boolean isKept = target.isStreamed(List.of(), List.of()) || target.onlyKey() != null;
        boolean isPartly = delete.returning().isEmpty() && isKept;
        return new DeletePlan(isPartly ? target.needing(List.of()) : target, returning);
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
        forecast.delete(target.table(), target.onlyKey(), expectedRows());
    }

    @Override
    public ChangeResult run(Run run) {
        StatementChanges changes = new StatementChanges(run.context(), run.frame());
        TableWriter writer = changes.writer(target.table());
        if (columns().isEmpty()) {
            long count =
                    isStreamed ? target.stream(run, writer::delete) : deleteCollected(run, writer);
            changes.finish();
            return new ChangeResult(count, List.of());
        }
        List<@Nullable Object[]> tuples = target.collect(run);
        return returning.around(
                () -> {
                    long count = writer.delete(tuples);
                    changes.finish();
                    return count;
                },
                run.frame(),
                tuples);
    }

    private long deleteCollected(Run run, TableWriter writer) {
        try (WorkMemory memory = run.memory(target.plan())) {
            TupleList tuples = new TupleList(memory);
            target.forEachRow(run, tuples::add);
            return ChangeTarget.inBatches(tuples.read(), writer::delete);
        }
    }
}

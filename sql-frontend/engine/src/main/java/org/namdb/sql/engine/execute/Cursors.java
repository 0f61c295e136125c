package org.namdb.sql.engine.execute;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.ArrayRows;
import org.namdb.sql.engine.bind.ReturnedRows;
import org.namdb.sql.engine.bind.RoutineRows;
import org.namdb.sql.engine.bind.RowFunction;
import org.namdb.sql.engine.bind.RowsFrom;
import org.namdb.sql.engine.bind.Series;
import org.namdb.sql.engine.bind.SessionRows;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.AccessPath;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;

/// Makes the cursor of each operator.
final class Cursors {
    private Cursors() {}

    static TupleCursor open(Execution execution, PlanNode node, @Nullable EvaluationFrame outer) {
        return switch (node) {
            case PlanNode.TableRead read -> new TableReadCursor(execution, read, outer);
            case PlanNode.IndexJoin join ->
                    isBatched(join.path())
                            ? new KeyJoinCursor(execution, join, outer)
                            : new RangeJoinCursor(execution, join, outer);
            case PlanNode.HashJoin join -> new HashJoinCursor(execution, join, outer);
            case PlanNode.NestedLoop loop -> new NestedLoopCursor(execution, loop, outer);
            case PlanNode.Lateral lateral -> new LateralCursor(execution, lateral, outer);
            case PlanNode.Filter filter -> new FilterCursor(execution, filter, outer);
            case PlanNode.Project project -> new ProjectCursor(execution, project, outer);
            case PlanNode.Aggregation groups -> new AggregationCursor(execution, groups, outer);
            case PlanNode.Window window -> new WindowCursor(execution, window, outer);
            case PlanNode.Sort sort -> new SortCursor(execution, sort, outer);
            case PlanNode.Distinct distinct -> new DistinctCursor(execution, distinct, outer);
            case PlanNode.Limit limit -> new LimitCursor(execution, limit, outer);
            case PlanNode.SetOperation operation ->
                    new SetOperationCursor(execution, operation, outer);
            case PlanNode.Recursion recursion -> new RecursionCursor(execution, recursion, outer);
            case PlanNode.WorkTable work -> execution.workTable(work.recursion()).read();
            case PlanNode.Values values -> new ValuesCursor(execution, values, outer);
            case PlanNode.Generate generate -> rows(execution, generate.function(), outer);
            case PlanNode.LockRows lock -> new LockRowsCursor(execution, lock, outer);
        };
    }

    static TupleCursor rows(
            Execution execution, RowFunction function, @Nullable EvaluationFrame outer) {
        return switch (function) {
            case Series series -> new SeriesCursor(execution, series, outer);
            case RoutineRows rows -> new RoutineCursor(execution, rows, outer);
            case ArrayRows arrays -> new ArrayCursor(execution, arrays, outer);
            case SessionRows own ->
                    new SessionCursor(execution, execution.session().relation(own.name()));
            case ReturnedRows rows ->
                    new SessionCursor(execution, execution.returned(rows.number()));
            case RowsFrom several -> new RowsFromCursor(execution, several, outer);
        };
    }

    /// Whether a tuple has at most one partner, found by one key.
    private static boolean isBatched(AccessPath path) {
        return switch (path) {
            case AccessPath.ByKey byKey -> byKey.keys().size() == 1;
            case AccessPath.ByUnique byUnique -> byUnique.keys().size() == 1;
            case AccessPath.Scan _,
                    AccessPath.ByNeighbours _,
                    AccessPath.ByHash _,
                    AccessPath.ByRange _ ->
                    false;
        };
    }
}

package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.PlanForecast;
import org.namdb.sql.engine.plan.PlanScalars;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TargetRows;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Query;

/// The rows that an UPDATE or a DELETE is about, and what is joined to them.
///
/// @param isJoin whether anything is, so that a row can be found more than once
record ChangeTarget(SqlTable table, TargetRows rows, boolean isJoin) {
    /// Plans how they are found.
    ///
    /// @param privilege what is done to them
    static ChangeTarget plan(
            ChangePlanner planner,
            Name name,
            @Nullable Name alias,
            List<Query.Source> others,
            @Nullable Expression where,
            Privilege privilege) {
        SqlTable table = planner.context().table(name, privilege);
        if (where != null || !others.isEmpty()) {
            planner.context().need(table, Privilege.SELECT);
        }
        TargetRows rows =
                planner.planner()
                        .targetRows(table, ChangePlanner.alias(table, alias), others, where);
        return new ChangeTarget(table, rows, !others.isEmpty());
    }

    QueryPlan plan() {
        return rows.plan();
    }

    /// For expressions over its tuples.
    Scope scope() {
        return rows.scope();
    }

    double expectedRows() {
        return Math.max(1, rows.plan().root().rows());
    }

    /// The primary key of the only row, if it is one and known before.
    @Nullable Key onlyKey() {
        return PlanForecast.onlyKey(rows.plan().root());
    }

    /// Whether rows can be changed as they are read, and none needs to be kept.
    ///
    /// @param values what is made of each row
    boolean isStreamed(List<Scalar> values, List<Integer> changed) {
        return !isJoin && rows.plan().isStreamable(changed) && !PlanScalars.haveSubquery(values);
    }

    /// Changes the rows as they are read, a batch at a time.
    ///
    /// @param change of a batch; gives the number of rows
    long stream(ChangePlan.Run run, ToLongFunction<List<@Nullable Object[]>> change) {
        long count = 0;
        try (TupleCursor cursor = run.open(rows.plan())) {
            List<@Nullable Object[]> batch = new ArrayList<>(TableWriter.BATCH);
            for (@Nullable Object @Nullable [] tuple = cursor.next();
                    tuple != null;
                    tuple = cursor.next()) {
                batch.add(tuple);
                if (batch.size() == TableWriter.BATCH) {
                    count += change.applyAsLong(batch);
                    batch.clear();
                }
            }
            return count + change.applyAsLong(batch);
        }
    }

    /// The tuples, one for each row.
    List<@Nullable Object[]> collect(ChangePlan.Run run) {
        List<@Nullable Object[]> tuples = ChangePlan.collect(run, rows.plan());
        return isJoin ? firstOfEachRow(tuples) : tuples;
    }

    /// Leaves out the tuples of a row that was seen before.
    private List<@Nullable Object[]> firstOfEachRow(List<@Nullable Object[]> tuples) {
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

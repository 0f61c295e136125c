package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.bind.Rewrite;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.PlanForecast;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.PlanScalars;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TargetRows;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.record.RowWriter;
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

    /// The same without reading long values that none of some expressions needs.
    ///
    /// @param values over its tuples
    ChangeTarget needing(List<Scalar> values) {
        if (isJoin
                || table.longValues() == null
                || !(rows.plan().root() instanceof PlanNode.TableRead read)) {
            return this;
        }
        List<Scalar> all = new ArrayList<>(values);
        if (read.filter() != null) {
            all.add(read.filter());
        }
        if (PlanScalars.haveSubquery(all)) {
            return this; // which may read any column
        }
        Set<Integer> needed = new HashSet<>();
        for (Scalar scalar : all) {
            Rewrite.visit(
                    scalar,
                    part -> {
                        if (part instanceof ColumnScalar column) {
                            needed.add(column.index());
                        }
                    });
        }
        QueryPlan plan = rows.plan();
        PlanNode changed =
                new PlanNode.TableRead(
                        read.shape().needing(needed::contains),
                        read.path(),
                        read.filter(),
                        read.fields(),
                        read.rows());
        return new ChangeTarget(
                table,
                new TargetRows(new QueryPlan(changed, plan.columns(), plan.tables()), rows.scope()),
                false);
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
        try (TupleCursor cursor = run.open(rows.plan())) {
            return inBatches(cursor, change);
        }
    }

    /// Changes tuples a batch at a time.
    ///
    /// @param change of a batch; gives the number of rows
    static long inBatches(TupleCursor tuples, ToLongFunction<List<@Nullable Object[]>> change) {
        long count = 0;
        List<@Nullable Object[]> batch = new ArrayList<>();
        for (@Nullable Object @Nullable [] tuple = tuples.next();
                tuple != null;
                tuple = tuples.next()) {
            batch.add(tuple);
            if (batch.size() == TableWriter.BATCH) {
                count += change.applyAsLong(batch);
                batch.clear();
            }
        }
        return batch.isEmpty() ? count : count + change.applyAsLong(batch);
    }

    /// The tuples, one for each row, which take of work_mem.
    List<@Nullable Object[]> collect(ChangePlan.Run run) {
        List<@Nullable Object[]> tuples = new ArrayList<>();
        forEachRow(
                run,
                tuple -> {
                    run.keep(tuple);
                    tuples.add(tuple);
                });
        return tuples;
    }

    /// Reads all tuples, and passes on the first one of each row.
    void forEachRow(ChangePlan.Run run, Consumer<@Nullable Object[]> taker) {
        Key key = table.stored().newKey();
        KeySet seen = new KeySet(run.context().transaction(), key.layout().words());
        try (TupleCursor cursor = run.open(rows.plan())) {
            for (@Nullable Object @Nullable [] tuple = cursor.next();
                    tuple != null;
                    tuple = cursor.next()) {
                if (!isJoin || isNew(keyOf(tuple, key), seen)) {
                    taker.accept(tuple);
                }
            }
        }
        seen.clear();
    }

    private static boolean isNew(Key key, KeySet seen) {
        boolean isNew = !seen.contains(key);
        seen.add(key);
        return isNew;
    }

    private Key keyOf(@Nullable Object[] tuple, Key into) {
        into.clear();
        for (int column : table.primaryKey()) {
            RowWriter.add(into, table.primaryKeyName(), Objects.requireNonNull(tuple[column]));
        }
        return into;
    }
}

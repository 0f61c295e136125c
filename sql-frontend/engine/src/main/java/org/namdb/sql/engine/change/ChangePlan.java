package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.OutputColumn;
import org.namdb.sql.engine.plan.PlanForecast;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.WorkMemory;

/// How an INSERT, UPDATE or DELETE is done. Immutable; good until one of its tables changes.
public sealed interface ChangePlan permits InsertPlan, UpdatePlan, DeletePlan, WithPlan {
    /// The columns of RETURNING; empty without.
    List<OutputColumn> columns();

    /// The plan of the rows that it reads; null if there is none, as for VALUES.
    @Nullable QueryPlan source();

    /// The only row that it changes or deletes, if that is one by its primary key; else null.
    PlanForecast.@Nullable PointRead onlyRow();

    /// Does it.
    ChangeResult run(Run run);

    /// How many rows are expected.
    double expectedRows();

    /// Foresees its cost, the source's apart.
    void forecast(ChangeForecast forecast);

    /// What a plan needs to be run.
    interface Run {
        /// The transaction and what it knows.
        ChangeContext context();

        /// A new frame of the statement.
        EvaluationFrame frame();

        /// The tuples of a query.
        TupleCursor open(QueryPlan plan);

        /// The tuples of a query, all of which are read before the first one is given: in work_mem
        /// as far as they fit, the rest in temporary files.
        TupleCursor openCollected(QueryPlan plan);

        /// What tuples of a query are kept in: work_mem, and temporary files beyond that. To be
        /// closed.
        WorkMemory memory(QueryPlan plan);

        /// Counts the memory of a tuple that is kept until the statement ends.
        ///
        /// @throws org.namdb.sql.language.error.SqlException 53200 if that is more than work_mem
        void keep(@Nullable Object[] tuple);

        /// Keeps what RETURNING has given of a change in WITH.
        ///
        /// @param change its number
        void setReturned(int change, List<@Nullable Object[]> rows);
    }

    /// What was done.
    ///
    /// @param count how many rows were inserted, changed or deleted
    /// @param returned the tuples of RETURNING
    record ChangeResult(long count, List<@Nullable Object[]> returned) {}

    /// All tuples of a query, which take of work_mem: what is changed must not be read while it is
    /// changed.
    static List<@Nullable Object[]> collect(Run run, QueryPlan plan) {
        List<@Nullable Object[]> tuples = new ArrayList<>();
        try (TupleCursor cursor = run.open(plan)) {
            for (@Nullable Object @Nullable [] tuple = cursor.next();
                    tuple != null;
                    tuple = cursor.next()) {
                run.keep(tuple);
                tuples.add(tuple);
            }
        }
        return tuples;
    }
}

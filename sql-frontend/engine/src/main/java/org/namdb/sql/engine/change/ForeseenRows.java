package org.namdb.sql.engine.change;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.language.error.SqlException;

/// What ON CONFLICT DO UPDATE and RETURNING make of the rows of an INSERT, computed before it
/// writes anything: their subqueries see the database as it is before the statement. Which rows
/// will be inserted is not known then, so an error is kept until its row turns out to be needed.
final class ForeseenRows {
    private final ReturningList returning;
    private final EvaluationFrame frame;

    /// By tuple that is not inserted: the row that is there, as it will be.
    private final IdentityHashMap<@Nullable Object[], Computed> changed = new IdentityHashMap<>();

    /// By tuple that is inserted, or by row as it will be: what RETURNING gives.
    private final IdentityHashMap<@Nullable Object[], Computed> returned = new IdentityHashMap<>();

    /// A tuple, or why there is none.
    private static final class Computed {
        private final @Nullable Object @Nullable [] tuple;
        private final @Nullable SqlException error;

        Computed(@Nullable Object @Nullable [] tuple, @Nullable SqlException error) {
            this.tuple = tuple;
            this.error = error;
        }

        @Nullable Object @Nullable [] orThrow() {
            if (error != null) {
                throw error;
            }
            return tuple;
        }
    }

    /// @param frame where RETURNING is evaluated
    ForeseenRows(ReturningList returning, EvaluationFrame frame) {
        this.returning = returning;
        this.frame = frame;
    }

    /// Computes everything for the tuples of the statement.
    ///
    /// @param policy the ON CONFLICT clause; null without
    void compute(
            List<@Nullable Object[]> tuples, @Nullable ConflictPolicy policy, TableWriter writer) {
        if (policy != null && !policy.isDoNothing()) {
            List<@Nullable Object @Nullable []> olds = writer.inTheWay(tuples, policy);
            for (int i = 0; i < olds.size(); i++) {
                @Nullable Object @Nullable [] old = olds.get(i);
                if (old != null) {
                    change(tuples.get(i), old, policy);
                }
            }
        }
        tuples.forEach(this::give);
    }

    private void change(@Nullable Object[] tuple, @Nullable Object[] old, ConflictPolicy policy) {
        Computed row = computed(() -> policy.changed(old, tuple));
        changed.put(tuple, row);
        @Nullable Object @Nullable [] shallBe = row.tuple;
        if (shallBe != null) {
            give(shallBe);
        }
    }

    private void give(@Nullable Object[] tuple) {
        returned.put(tuple, computed(() -> returning.evaluate(frame, tuple)));
    }

    private static Computed computed(Supplier<@Nullable Object @Nullable []> tuple) {
        try {
            return new Computed(tuple.get(), null);
        } catch (SqlException e) {
            return new Computed(null, e);
        }
    }

    /// A policy that knows what was computed.
    ConflictPolicy policy(ConflictPolicy policy) {
        return new ConflictPolicy() {
            @Override
            public boolean covers(@Nullable SqlIndex index) {
                return policy.covers(index);
            }

            @Override
            public boolean isDoNothing() {
                return policy.isDoNothing();
            }

            @Override
            public @Nullable Object @Nullable [] changed(
                    @Nullable Object[] old, @Nullable Object[] excluded) {
                Computed row = changed.get(excluded);
                if (row == null) { // the row that conflicts now was not there before
                    throw ConflictPlan.secondTime();
                }
                return row.orThrow();
            }
        };
    }

    /// What RETURNING gives of a tuple that was inserted, or of a row that was changed instead.
    @Nullable Object[] returned(@Nullable Object[] tuple) {
        Computed result = returned.get(tuple);
        @Nullable Object @Nullable [] given = result == null ? null : result.orThrow();
        if (given == null) {
            throw new IllegalStateException("a row that was not foreseen");
        }
        return given;
    }
}

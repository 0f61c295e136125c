package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.PlannedSubquery;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.WorkMemory;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// What is known of a subquery in an execution: its result for the arguments that it had last.
final class SubqueryState {
    private final Execution execution;
    private final PlannedSubquery subquery;
    private @Nullable Object @Nullable [] arguments;

    /// The value, the values of the row, or whether there is a row.
    private @Nullable Object value;

    /// With IN: the rows, and those without NULLs as keys.
    private final List<@Nullable Object[]> rows = new ArrayList<>();

    private final Set<HashKey.Several> known = new HashSet<>();
    private final HashKey key;
    private final WorkMemory memory;

    SubqueryState(Execution execution, PlannedSubquery subquery) {
        this.execution = execution;
        this.subquery = subquery;
        this.key = TupleKeys.of(subquery.plan().fields());
        this.memory = execution.memory(subquery.plan());
    }

    @Nullable Object value(EvaluationFrame frame) {
        @Nullable Object[] now = values(subquery.arguments(), frame);
        if (arguments == null || !Arrays.equals(arguments, now)) {
            run(now);
            arguments = now;
        }
        return switch (subquery.form()) {
            case VALUE, ROW, EXISTS -> value;
            case IN -> isAmong(values(subquery.tests(), frame));
        };
    }

    private void run(@Nullable Object[] now) {
        arguments = null;
        EvaluationFrame outer = execution.frame().on(now);
        try (TupleCursor tuples = execution.open(subquery.plan(), outer)) {
            switch (subquery.form()) {
                case VALUE -> {
                    @Nullable Object @Nullable [] tuple = only(tuples);
                    value = tuple == null ? null : tuple[0];
                }
                case ROW -> value = only(tuples);
                case EXISTS -> {
                    tuples.expect(1);
                    value = tuples.next() != null;
                }
                case IN -> keep(tuples);
            }
        }
    }

    private static @Nullable Object @Nullable [] only(TupleCursor tuples) {
        tuples.expect(2); // the second is an error
        @Nullable Object @Nullable [] tuple = tuples.next();
        if (tuple != null && tuples.next() != null) {
            throw new SqlException(
                    SqlState.CARDINALITY_VIOLATION,
                    "more than one row returned by a subquery used as an expression");
        }
        return tuple;
    }

    private void keep(TupleCursor tuples) {
        memory.release();
        rows.clear();
        known.clear();
        for (@Nullable Object[] tuple = tuples.next(); tuple != null; tuple = tuples.next()) {
            execution.tick();
            boolean isWhole = !hasNull(tuple);
            if (!isWhole || known.add(key.withNulls(tuple))) {
                memory.take(tuple);
                rows.add(tuple);
            }
        }
    }

    /// True if there is an equal row; NULL if there is one that may be equal, as NULLs are
    /// compared.
    private @Nullable Boolean isAmong(@Nullable Object[] tests) {
        boolean isWhole = !hasNull(tests);
        if (isWhole && known.contains(key.withNulls(tests))) {
            return true;
        }
        if (isWhole && known.size() == rows.size()) {
            return false;
        }
        for (@Nullable Object[] row : rows) {
            if (mayBeEqual(tests, row)) {
                return null;
            }
        }
        return false;
    }

    private boolean mayBeEqual(@Nullable Object[] tests, @Nullable Object[] row) {
        @Nullable Object[] left = tests.clone();
        @Nullable Object[] right = row.clone();
        for (int i = 0; i < left.length; i++) {
            if (left[i] == null || right[i] == null) {
                left[i] = null;
                right[i] = null;
            }
        }
        return key.withNulls(left).equals(key.withNulls(right));
    }

    private static boolean hasNull(@Nullable Object[] tuple) {
        for (Object part : tuple) {
            if (part == null) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable Object[] values(List<Scalar> scalars, EvaluationFrame frame) {
        @Nullable Object[] values = new @Nullable Object[scalars.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = scalars.get(i).evaluate(frame);
        }
        return values;
    }
}

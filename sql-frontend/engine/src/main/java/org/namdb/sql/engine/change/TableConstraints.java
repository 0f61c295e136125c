package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Rewrite;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.error.ErrorObject;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// What every row of a table must fulfil by itself: NOT NULL and CHECK; and the values of columns
/// that are not given. Bound once for a version of the table.
///
/// @param table the table
/// @param checks the CHECK conditions, over the table's tuples
/// @param defaults the value of each column's DEFAULT, of the column's type; null where there
///     is none
/// @param generated the values of generated columns
public record TableConstraints(
        SqlTable table,
        List<Check> checks,
        List<@Nullable Scalar> defaults,
        List<Generated> generated) {
    /// A generated column.
    ///
    /// @param column its number
    /// @param value what it is made of, over the table's tuples
    public record Generated(int column, Scalar value) {
        /// Whether a column is a part of what it is made of.
        boolean reads(int other) {
            boolean[] found = new boolean[1];
            Rewrite.visit(
                    value,
                    part ->
                            found[0] |=
                                    part instanceof ColumnScalar column && column.index() == other);
            return found[0];
        }
    }

    /// A CHECK constraint, bound.
    ///
    /// @param name its name
    /// @param condition what must not be false
    public record Check(String name, Scalar condition) {}

    public TableConstraints {
        checks = List.copyOf(checks);
        generated = List.copyOf(generated);
        defaults = Collections.unmodifiableList(new ArrayList<>(defaults));
    }

    /// Refuses a tuple that violates a constraint.
    ///
    /// @throws SqlException 23502, 23514
    void check(EvaluationFrame frame, @Nullable Object[] tuple) {
        for (int i = 0; i < tuple.length; i++) {
            SqlColumn column = table.columns().get(i);
            if (tuple[i] == null && !column.isNullable()) {
                throw new SqlException(
                                SqlState.NOT_NULL_VIOLATION,
                                "null value in column \""
                                        + column.name()
                                        + "\" of relation \""
                                        + table.name()
                                        + "\" violates not-null constraint")
                        .about(ErrorObject.column(table.name(), column.name()))
                        .withDetail(failing(tuple));
            }
        }
        for (Check check : checks) {
            if (Boolean.FALSE.equals(check.condition().evaluate(frame.on(tuple)))) {
                throw new SqlException(
                                SqlState.CHECK_VIOLATION,
                                "new row for relation \""
                                        + table.name()
                                        + "\" violates check constraint \""
                                        + check.name()
                                        + "\"")
                        .about(ErrorObject.constraint(table.name(), check.name()))
                        .withDetail(failing(tuple));
            }
        }
    }

    /// Sets the generated columns of a tuple, of which all others are set.
    void generate(EvaluationFrame frame, @Nullable Object[] tuple) {
        generate(generated, frame, tuple);
    }

    /// Sets some generated columns of a tuple.
    static void generate(List<Generated> columns, EvaluationFrame frame, @Nullable Object[] tuple) {
        for (Generated each : columns) {
            tuple[each.column] = each.value.evaluate(frame.on(tuple));
        }
    }

    /// The value of a column that is not given; NULL without a DEFAULT.
    @Nullable Object defaultValue(EvaluationFrame frame, int column) {
        Scalar value = defaults.get(column);
        return value == null ? null : value.evaluate(frame);
    }

    private String failing(@Nullable Object[] tuple) {
        StringJoiner values = new StringJoiner(", ", "Failing row contains (", ").");
        for (int i = 0; i < tuple.length; i++) {
            SqlColumn column = table.columns().get(i);
            if (!column.isHidden()) {
                values.add(KeyText.value(tuple[i], column));
            }
        }
        return values.toString();
    }
}

package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.bind.BoundSubquery;
import org.namdb.sql.engine.bind.ExpressionBinder;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.bind.SubqueryColumn;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.plan.Planner;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Statement.Assignment;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// What the planning of INSERT, UPDATE and DELETE shares.
final class ChangePlanner {
    private final BindContext context;
    private final Planner planner;
    private final ConstraintSource constraints;

    ChangePlanner(BindContext context, ConstraintSource constraints) {
        this.context = context;
        this.planner = new Planner(context);
        this.constraints = constraints;
    }

    BindContext context() {
        return context;
    }

    Planner planner() {
        return planner;
    }

    /// The number of a column that is written.
    ///
    /// @throws SqlException 42703 if there is none of this name
    static int column(SqlTable table, Name name) {
        int number = table.columnNumber(name.text());
        if (number < 0) {
            throw new SqlException(
                    SqlState.UNDEFINED_COLUMN,
                    "column \""
                            + name.text()
                            + "\" of relation \""
                            + table.name()
                            + "\" does not exist",
                    name.position());
        }
        return number;
    }

    /// A value that is written to a column, of the column's type.
    Scalar assigned(Expression expression, Scope scope, SqlTable table, int column) {
        SqlColumn target = table.columns().get(column);
        if (expression instanceof Expression.Default) {
            Scalar value = constraints.of(table).defaults().get(column);
            return value == null ? new ConstantScalar(null, target.type()) : value;
        }
        return assigned(new ExpressionBinder(context).bind(expression, scope), target, expression);
    }

    private Scalar assigned(Scalar value, SqlColumn target, Expression expression) {
        try {
            return planner.scalar(Casts.assignment(value, target.type(), target.name()));
        } catch (SqlException e) {
            throw e.at(expression.position());
        }
    }

    /// What SET does.
    ///
    /// @param columns the numbers of the columns, each once: those that are set, and then those of
    ///     generated ones that follow
    /// @param values the new values of those that are set
    /// @param generated the generated columns that follow
    record Sets(
            List<Integer> columns,
            List<Scalar> values,
            List<TableConstraints.Generated> generated) {
        /// The row after it.
        ///
        /// @param old the row before
        /// @param frame on the tuple that the values are made of
        @Nullable Object[] apply(@Nullable Object[] old, EvaluationFrame frame, int size) {
            @Nullable Object[] changed = Arrays.copyOf(old, size);
            for (int i = 0; i < values.size(); i++) {
                changed[columns.get(i)] = values.get(i).evaluate(frame);
            }
            TableConstraints.generate(generated, frame, changed);
            return changed;
        }

        /// What must be known of a row to make the new one.
        List<Scalar> needed() {
            List<Scalar> all = new ArrayList<>(values);
            generated.forEach(each -> all.add(each.value()));
            return all;
        }
    }

    Sets sets(List<Assignment> assignments, Scope scope, SqlTable table) {
        List<Integer> columns = new ArrayList<>();
        List<Scalar> values = new ArrayList<>();
        Set<Integer> seen = new HashSet<>();
        Map<Expression, List<Scalar>> rows = new HashMap<>();
        for (Assignment assignment : assignments) {
            int column = column(table, assignment.column());
            if (!seen.add(column)) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR,
                        "multiple assignments to same column \""
                                + assignment.column().text()
                                + "\"",
                        assignment.position());
            }
            SqlColumn target = table.columns().get(column);
            if (target.identity() != null
                    && target.identity().isAlways()
                    && !(assignment.value() instanceof Expression.Default)) {
                throw new SqlException(
                                SqlState.GENERATED_ALWAYS,
                                "column \"" + target.name() + "\" can only be updated to DEFAULT",
                                assignment.position())
                        .withDetail(generatedAlways(target));
            }
            if (target.isGenerated()) {
                requireDefault(assignment, target);
                continue;
            }
            columns.add(column);
            if (assignment.field() < 0) {
                values.add(assigned(assignment.value(), scope, table, column));
                continue;
            }
            Expression query = assignment.value();
            List<Scalar> row = rows.get(query);
            if (row == null) {
                row = row((Expression.ScalarQuery) query, scope);
                rows.put(query, row);
                requireWidth(row, assignments, query);
            }
            values.add(assigned(row.get(assignment.field()), target, query));
        }
        List<TableConstraints.Generated> generated = new ArrayList<>();
        for (TableConstraints.Generated each : constraints.of(table).generated()) {
            if (seen.contains(each.column()) || columns.stream().anyMatch(each::reads)) {
                generated.add(each);
            }
        }
        generated.forEach(each -> columns.add(each.column()));
        return new Sets(columns, values, generated);
    }

    private static void requireDefault(Assignment assignment, SqlColumn target) {
        if (!(assignment.value() instanceof Expression.Default)) {
            throw new SqlException(
                            SqlState.GENERATED_ALWAYS,
                            "column \"" + target.name() + "\" can only be updated to DEFAULT",
                            assignment.position())
                    .withDetail(generatedAlways(target));
        }
    }

    /// The columns of a query whose only row is assigned; it runs once for all of them.
    private List<Scalar> row(Expression.ScalarQuery query, Scope scope) {
        BoundSubquery bound = new ExpressionBinder(context).rowQuery(query, scope);
        return SubqueryColumn.of(planner.scalar(bound), bound.relation().fields());
    }

    private static void requireWidth(
            List<Scalar> row, List<Assignment> assignments, Expression query) {
        long columns = assignments.stream().filter(set -> set.value().equals(query)).count();
        if (row.size() != columns) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "number of columns does not match number of values",
                    query.position());
        }
    }

    /// Why no value can be given for a column.
    static String generatedAlways(SqlColumn column) {
        return "Column \""
                + column.name()
                + (column.isGenerated()
                        ? "\" is a generated column."
                        : "\" is an identity column defined as GENERATED ALWAYS.");
    }

    static String alias(SqlTable table, @Nullable Name alias) {
        return alias == null ? TemporaryNames.bare(table.name()) : alias.text();
    }
}

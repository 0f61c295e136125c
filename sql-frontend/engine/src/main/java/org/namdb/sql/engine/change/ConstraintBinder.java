package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.bind.Rewrite;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.catalog.CheckConstraint;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.Tables;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ParameterTypes;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.engine.plan.Planner;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.type.SqlType;

/// Gives the constraints and defaults that the catalog keeps as text their meaning.
public final class ConstraintBinder {
    private ConstraintBinder() {}

    /// The constraints of a table, for tuples of its columns.
    public static TableConstraints bind(SqlTable table, Tables tables) {
        Scope scope = Scope.of(table, TemporaryNames.bare(table.name()));
        List<TableConstraints.Check> checks = new ArrayList<>();
        for (CheckConstraint check : table.checks()) {
            Expression condition = SqlParser.parseExpression(check.condition());
            checks.add(
                    new TableConstraints.Check(check.name(), condition(condition, scope, tables)));
        }
        List<@Nullable Scalar> defaults = new ArrayList<>();
        List<TableConstraints.Generated> generated = new ArrayList<>();
        for (SqlColumn column : table.columns()) {
            String text = column.defaultText();
            if (column.isGenerated() && text != null) {
                Expression value = SqlParser.parseExpression(text);
                generated.add(
                        new TableConstraints.Generated(
                                defaults.size(),
                                generated(value, scope, column.name(), column.type(), tables)));
                defaults.add(null);
                continue;
            }
            SqlColumn.Identity identity = column.identity();
            if (identity != null) {
                defaults.add(
                        identityValue(identity.sequence(), column.name(), column.type(), tables));
                continue;
            }
            defaults.add(
                    text == null
                            ? null
                            : defaultValue(
                                    SqlParser.parseExpression(text),
                                    column.name(),
                                    column.type(),
                                    tables));
        }
        return new TableConstraints(table, checks, defaults, generated);
    }

    /// The condition of a CHECK.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 42804 if it is not boolean
    public static Scalar condition(Expression condition, Scope scope, Tables tables) {
        BindContext context = new BindContext(tables, new ParameterTypes());
        Scalar bound = new Planner(context).scalar(condition, scope);
        requireOwnFunctions(context, "CHECK", condition);
        return Casts.condition(bound, "CHECK");
    }

    /// The value of a generated column, of the column's type.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 42P17 if it may change by itself
    public static Scalar generated(
            Expression value, Scope scope, String column, SqlType type, Tables tables) {
        BindContext context = new BindContext(tables, new ParameterTypes());
        Planner planner = new Planner(context);
        Scalar bound = planner.scalar(value, scope);
        requireOwnFunctions(context, "generated columns", value);
        Scalar assigned = planner.scalar(Casts.assignment(bound, type, column));
        Rewrite.visit(
                assigned,
                part -> {
                    boolean isColumn = part instanceof ColumnScalar;
                    if (!isColumn && part.volatility() != Volatility.IMMUTABLE) {
                        throw new SqlException(
                                SqlState.INVALID_OBJECT_DEFINITION,
                                "generation expression is not immutable",
                                value.position());
                    }
                });
        return assigned;
    }

    /// What becomes of a row's value when its column gets another type.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 42804 if the expression is of another
    public static Scalar conversion(
            Expression value, Scope scope, String column, SqlType type, Tables tables) {
        BindContext context = new BindContext(tables, new ParameterTypes());
        Planner planner = new Planner(context);
        Scalar bound = planner.scalar(value, scope);
        requireOwnFunctions(context, "USING", value);
        return planner.scalar(Casts.assignment(bound, type, column));
    }

    /// The value of an identity column, of the column's type.
    ///
    /// @param sequence the name of its sequence
    public static Scalar identityValue(
            String sequence, String column, SqlType type, Tables tables) {
        return planner(tables).scalar(Casts.assignment(Functions.identity(sequence), type, column));
    }

    /// The value of a DEFAULT, of the column's type.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 42804 if it is of another, 42703 if it
    ///     names a column
    public static Scalar defaultValue(
            Expression value, String column, SqlType type, Tables tables) {
        BindContext context = BindContext.ofCatalog(tables);
        Planner planner = new Planner(context);
        Scalar bound = planner.scalar(value, Scope.EMPTY);
        requireOwnFunctions(context, "DEFAULT", value);
        return planner.scalar(Casts.assignment(bound, type, column));
    }

    /// A constraint does not depend on what users may replace and drop.
    private static void requireOwnFunctions(
            BindContext context, String where, Expression expression) {
        if (context.callsRoutine()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "functions of users are not supported in " + where,
                    expression.position());
        }
    }

    private static Planner planner(Tables tables) {
        return new Planner(new BindContext(tables, new ParameterTypes()));
    }
}

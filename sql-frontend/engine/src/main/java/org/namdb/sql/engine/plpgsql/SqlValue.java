package org.namdb.sql.engine.plpgsql;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.ParameterTypes;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.Planner;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.PlpgsqlStatement.Sql;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.type.SqlType;

/// An expression in a routine. One that reads no table is evaluated at once; any other is the query
/// that SELECT before it makes.
final class SqlValue {
    private final Sql sql;
    private final @Nullable Names names;

    /// What the value becomes; null if it stays as it is.
    private final @Nullable SqlType wanted;

    /// Sessions may overwrite each other's; each is whole.
    private volatile @Nullable Plan plan;

    /// @param value the expression, or the only column of the query's row
    /// @param query null if the expression alone is enough
    /// @param version of the schema
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Plan(Scalar value, @Nullable SqlCode query, Binding.Use[] uses, long version) {}

    SqlValue(Sql sql, @Nullable Names names, @Nullable SqlType wanted) {
        this.sql = sql;
        this.names = names;
        this.wanted = wanted;
    }

    static @Nullable SqlValue orNull(
            @Nullable Sql sql, @Nullable Names names, @Nullable SqlType wanted) {
        return sql == null ? null : new SqlValue(sql, names, wanted);
    }

    /// A condition.
    static SqlValue condition(Sql sql, @Nullable Names names) {
        return new SqlValue(sql, names, SqlType.BOOLEAN);
    }

    String text() {
        return sql.text();
    }

    /// The variable that it names, if it is nothing but a record's name.
    @Nullable Variable record() {
        Variable variable =
                sql.expression() instanceof Expression.ColumnName name && name.qualifier() == null
                        ? Names.find(names, name.column().text())
                        : null;
        return variable == null || !variable.isRecord() ? null : variable;
    }

    /// Its value; null for NULL.
    @Nullable Object evaluate(Activation a) {
        return evaluate(plan(a), a);
    }

    boolean isTrue(Activation a) {
        return evaluate(plan(a), a) instanceof Boolean value && value;
    }

    /// The type of its values.
    SqlType type(Activation a) {
        return plan(a).value.type();
    }

    private Plan plan(Activation a) {
        Plan known = plan;
        if (known == null || known.version != a.version || !Binding.hold(known.uses, a.slots)) {
            known = made(a);
            plan = known;
        }
        return known;
    }

    private Plan made(Activation a) {
        Expression expression = sql.expression();
        if (expression != null) {
            Binding binding = new Binding(names, a);
            BindContext context =
                    new BindContext(a.context.catalog(), new ParameterTypes(), binding);
            Scalar value = new Planner(context).scalar(expression, Scope.EMPTY);
            if (context.usedTables().isEmpty() && !context.usesSystem() && !context.hasQuery()) {
                return new Plan(cast(value), null, binding.uses(), a.version);
            }
        }
        Statement statement = sql.statement();
        String text = "SELECT " + sql.text();
        SqlCode query =
                new SqlCode(text, statement == null ? SqlParser.parseOne(text) : statement, names);
        SqlCode.Plan planned = query.plan(a);
        if (planned.shape().size() != 1) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "query \"%s\" returned %d columns".formatted(text, planned.shape().size()));
        }
        SqlType type = planned.shape().types().getFirst();
        Scalar column = new ColumnScalar(0, type, planned.shape().names().getFirst());
        return new Plan(cast(column), query, planned.uses(), a.version);
    }

    private Scalar cast(Scalar value) {
        SqlType type = wanted;
        if (type == null) {
            return value.type().isUnknown() ? TextCastScalar.assigned(value, SqlType.TEXT) : value;
        }
        return TextCastScalar.assigned(value, type);
    }

    private static @Nullable Object evaluate(Plan plan, Activation a) {
        SqlCode query = plan.query;
        return query == null ? plan.value.evaluate(a.frame) : evaluateQuery(plan, query, a);
    }

    private static @Nullable Object evaluateQuery(Plan plan, SqlCode query, Activation a) {
        try (TupleCursor rows = a.context.open(query.plan(a).prepared(), a.slots, false)) {
            @Nullable Object @Nullable [] row = rows.next();
            if (row == null) {
                return null;
            }
            Object value = plan.value.evaluate(a.frame.on(row));
            if (rows.next() != null) {
                throw new SqlException(
                        SqlState.CARDINALITY_VIOLATION,
                        "query \"" + query.text() + "\" returned more than one row");
            }
            return value;
        } catch (SqlException e) {
            throw e.within("SQL expression \"" + query.text() + '"');
        }
    }

    /// A value of one type as one of another.
    static @Nullable Object converted(
            @Nullable Object value, SqlType from, SqlType to, Activation a) {
        return value == null || from.equals(to)
                ? value
                : TextCastScalar.assigned(new ConstantScalar(value, from), to).evaluate(a.frame);
    }

    /// The columns of a row as values of other types.
    ///
    /// @param types as many as are wanted; what the row lacks is NULL
    static Scalar[] casts(RowShape from, List<SqlType> types) {
        Scalar[] casts = new Scalar[types.size()];
        for (int i = 0; i < casts.length; i++) {
            SqlType type = types.get(i);
            casts[i] =
                    i < from.size()
                            ? TextCastScalar.assigned(
                                    new ColumnScalar(i, from.types().get(i), from.names().get(i)),
                                    type)
                            : new ConstantScalar(null, type);
        }
        return casts;
    }

    /// The values of a row by [#casts].
    static @Nullable Object[] converted(Scalar[] casts, @Nullable Object[] row, Activation a) {
        @Nullable Object[] values = new @Nullable Object[casts.length];
        a.frame.on(Objects.requireNonNull(row));
        for (int i = 0; i < casts.length; i++) {
            values[i] = casts[i].evaluate(a.frame);
        }
        return values;
    }
}

package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// Gives queries their meaning.
public final class QueryBinder {
    private final BindContext context;

    /// What the query takes from the one around it; null for the outermost.
    private final @Nullable Arguments arguments;

    /// For outermost queries.
    public QueryBinder(BindContext context) {
        this(context, null);
    }

    QueryBinder(BindContext context, @Nullable Arguments arguments) {
        this.context = context;
        this.arguments = arguments;
        context.noteQuery();
    }

    /// Gives a query its meaning.
    ///
    /// @throws SqlException with a position, if it has none
    public Relation bind(Query query) {
        return Align.withoutUnknown(bindOpen(query), context);
    }

    /// The same; string literals among the columns keep the type UNKNOWN, so that they can become
    /// what a context needs, as columns of an INSERT.
    public Relation bindOpen(Query query) {
        CommonTableBinder common = new CommonTableBinder(context, arguments);
        query.unread().forEach(common::check);
        Query.Body body = query.body();
        if (body instanceof Query.Select select) {
            return new SelectBinder(context, arguments).bind(query, select);
        }
        if (query.isForUpdate()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "FOR UPDATE is not allowed with "
                            + (body instanceof Query.Values ? "VALUES" : "UNION/INTERSECT/EXCEPT"),
                    query.position());
        }
        Relation relation =
                switch (body) {
                    case Query.Select select ->
                            new SelectBinder(context, arguments).bind(query, select);
                    case Query.Values values -> values(values);
                    case Query.Returned returned ->
                            throw new IllegalStateException("a change: " + returned.position());
                    case Query.SetOperation operation ->
                            combined(operation, bindOpen(operation.left()));
                };
        boolean isUnion = body instanceof Query.SetOperation;
        return limited(
                ordered(relation, query.orderBy(), isUnion), query, Scope.EMPTY.within(arguments));
    }

    /// LIMIT and OFFSET.
    ///
    /// @param scope what the query sees, of which they may use nothing
    Relation limited(Relation relation, Query query, Scope scope) {
        if (query.limit() == null && query.offset() == null) {
            return relation;
        }
        return new Relation.Limited(
                relation,
                count(query.limit(), "LIMIT", scope),
                count(query.offset(), "OFFSET", scope));
    }

    private @Nullable Scalar count(@Nullable Expression expression, String clause, Scope scope) {
        if (expression == null) {
            return null;
        }
        Scalar bound = new ExpressionBinder(context, clause).bind(expression, scope);
        Rewrite.visit(bound, part -> refuseVariable(part, clause, expression));
        try {
            return Casts.implicit(bound, SqlType.BIGINT);
        } catch (SqlException e) {
            if (bound.type().isUnknown()) {
                throw e.at(expression.position());
            }
            throw new SqlException(
                            SqlState.DATATYPE_MISMATCH,
                            "argument of "
                                    + clause
                                    + " must be type bigint, not type "
                                    + bound.type(),
                            expression.position())
                    .causedBy(e);
        }
    }

    private static void refuseVariable(Scalar part, String clause, Expression expression) {
        if (part instanceof ColumnScalar) {
            throw new SqlException(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    "argument of " + clause + " must not contain variables",
                    expression.position());
        }
    }

    private Relation values(Query.Values values) {
        ExpressionBinder binder = new ExpressionBinder(context, "VALUES");
        Scope scope = Scope.EMPTY.within(arguments);
        int width = values.rows().getFirst().size();
        List<List<Scalar>> rows = new ArrayList<>();
        for (List<Expression> row : values.rows()) {
            if (row.size() != width) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR,
                        "VALUES lists must all be the same length",
                        row.getFirst().position());
            }
            rows.add(row.stream().map(value -> binder.bind(value, scope)).toList());
        }
        List<Field> fields = new ArrayList<>();
        List<SqlType> types = new ArrayList<>();
        for (int i = 0; i < width; i++) {
            int column = i;
            SqlType type =
                    Casts.commonType("VALUES", rows.stream().map(row -> row.get(column)).toList());
            types.add(type);
            fields.add(context.field("column" + (i + 1), type));
        }
        return new Relation.Rows(rows.stream().map(row -> cast(row, types)).toList(), fields);
    }

    private static List<Scalar> cast(List<Scalar> row, List<SqlType> types) {
        List<Scalar> cast = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            Scalar value = row.get(i);
            cast.add(
                    value.type().equals(types.get(i))
                            ? value
                            : Casts.implicit(value, types.get(i)));
        }
        return cast;
    }

    /// A set operation whose left side has its meaning.
    Relation.Combined combined(Query.SetOperation operation, Relation left) {
        Relation right = bindOpen(operation.right());
        if (left.fields().size() != right.fields().size()) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "each " + operation.operator() + " query must have the same number of columns",
                    operation.right().position());
        }
        List<SqlType> types = new ArrayList<>();
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < left.fields().size(); i++) {
            SqlType type = commonType(operation, left.fields().get(i), right.fields().get(i));
            types.add(type);
            fields.add(context.field(left.fields().get(i).name(), type));
        }
        return new Relation.Combined(
                operation.operator(),
                operation.isAll(),
                Align.to(types, left, context),
                Align.to(types, right, context),
                fields);
    }

    private static SqlType commonType(Query.SetOperation operation, Field left, Field right) {
        try {
            return Casts.commonType(
                    operation.operator().name(), List.of(left.scalar(), right.scalar()));
        } catch (SqlException e) {
            throw e.at(operation.right().position());
        }
    }

    /// The order of rows of which only the columns are known.
    private Relation ordered(Relation relation, List<Query.SortKey> keys, boolean isUnion) {
        if (keys.isEmpty()) {
            return relation;
        }
        List<Boolean> hidden = relation.fields().stream().map(_ -> false).toList();
        Scope scope = Scope.of("", relation.fields(), hidden).within(arguments);
        ExpressionBinder binder = new ExpressionBinder(context, "ORDER BY");
        List<Relation.Ordering> order = new ArrayList<>();
        for (Query.SortKey key : keys) {
            int ordinal = Ordinals.of(key.expression(), relation.fields().size(), "ORDER BY");
            Scalar value =
                    ordinal >= 0
                            ? relation.fields().get(ordinal).scalar()
                            : binder.bind(key.expression(), scope);
            if (isUnion && !(value instanceof ColumnScalar)) {
                throw new SqlException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "invalid UNION/INTERSECT/EXCEPT ORDER BY clause",
                                key.position())
                        .withHint(
                                "Only result column names can be used, not expressions or functions.");
            }
            order.add(Ordinals.ordering(value, key));
        }
        return new Relation.Sorted(relation, order);
    }
}

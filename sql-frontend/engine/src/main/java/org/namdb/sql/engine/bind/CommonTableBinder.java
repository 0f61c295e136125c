package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// Gives the queries of WITH their meaning, where they are read.
final class CommonTableBinder {
    private final BindContext context;
    private final @Nullable Arguments arguments;

    CommonTableBinder(BindContext context, @Nullable Arguments arguments) {
        this.context = context;
        this.arguments = arguments;
    }

    /// A query of WITH that is being given its meaning, and reads itself.
    ///
    /// @param name where WITH declares it
    /// @param number by which it and its source are known, unlike all others of the statement
    /// @param arguments of the query that it is in
    /// @param fields the columns that it has
    record Recursion(Name name, int number, @Nullable Arguments arguments, List<Field> fields) {}

    /// The query's rows. It is evaluated where it is read, so that conditions and orders reach into
    /// it.
    Relation bind(Query.CommonTableSource source) {
        Query.CommonTable table = source.table();
        if (table.query().body() instanceof Query.Returned) {
            return returned(table, source);
        }
        int references = context.refer(table, source.position());
        Relation relation =
                table.isRecursive()
                        ? recursive(table)
                        : new QueryBinder(context, arguments).bind(table.query());
        if (references > 1 && isVolatile(relation)) {
            throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "WITH query \"%s\" calls volatile functions, and is read more than once"
                                    .formatted(table.name().text()),
                            source.position())
                    .withHint("Each reading would see other values. Store its rows in a table.");
        }
        requireColumns(table, relation.fields().size());
        return relation;
    }

    /// What a change returns, which has run before.
    private Relation returned(Query.CommonTable table, Query.CommonTableSource source) {
        BindContext.Change change = context.change(table);
        if (change.columns().isEmpty()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "WITH query \"" + table.name() + "\" does not have a RETURNING clause",
                    source.position());
        }
        List<Field> fields = new ArrayList<>();
        for (Field column : change.columns()) {
            SqlType type = column.type().isUnknown() ? SqlType.TEXT : column.type();
            fields.add(context.field(column.name(), type));
        }
        requireColumns(table, fields.size());
        return new Relation.Generated(
                new ReturnedRows(
                        table.name().text(), fields.size(), change.number(), change.rows()),
                fields);
    }

    /// Requires that a query which nothing reads has a meaning.
    void check(Query.CommonTable table) {
        Relation _ =
                bind(new Query.CommonTableSource(table, null, List.of(), table.name().position()));
    }

    /// Whether a relation has rows that a recursion gives itself, which is not complete in it.
    static boolean isRecursion(Relation relation) {
        return relation instanceof Relation.WorkTable
                || !(relation instanceof Relation.Recursive)
                        && relation.inputs().stream().anyMatch(CommonTableBinder::isRecursion);
    }

    private static boolean isVolatile(Relation relation) {
        return relation.scalars().stream().anyMatch(Constants::isVolatile)
                || relation.inputs().stream().anyMatch(CommonTableBinder::isVolatile);
    }

    private static void requireColumns(Query.CommonTable table, int columns) {
        if (table.columns().size() > columns) {
            throw new SqlException(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    "WITH query \"%s\" has %d columns available but %d columns specified"
                            .formatted(table.name().text(), columns, table.columns().size()),
                    table.name().position());
        }
    }

    private Relation recursive(Query.CommonTable table) {
        Query query = table.query();
        String name = table.name().text();
        if (!(query.body() instanceof Query.SetOperation union)
                || union.operator() != Query.SetOperation.Operator.UNION) {
            throw invalid(
                    "recursive query \"%s\" does not have the form non-recursive-term UNION [ALL] recursive-term"
                            .formatted(name),
                    table.name().position());
        }
        refuse(!query.orderBy().isEmpty(), "ORDER BY", query);
        refuse(query.offset() != null, "OFFSET", query);
        refuse(query.limit() != null, "LIMIT", query);
        refuse(query.isForUpdate(), "FOR UPDATE/SHARE", query);
        Relation base = new QueryBinder(context, arguments).bind(union.left());
        requireColumns(table, base.fields().size());
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < base.fields().size(); i++) {
            Field field = base.fields().get(i);
            List<Name> names = table.columns();
            fields.add(
                    context.field(
                            i < names.size() ? names.get(i).text() : field.name(), field.type()));
        }
        int number = context.field(name, SqlType.BIGINT).id();
        Recursion recursion = new Recursion(table.name(), number, arguments, fields);
        Relation.Combined both =
                context.within(
                        recursion, () -> new QueryBinder(context, arguments).combined(union, base));
        for (int i = 0; i < fields.size(); i++) {
            Field found = both.fields().get(i);
            if (!found.type().equals(fields.get(i).type())) {
                throw new SqlException(
                                SqlState.DATATYPE_MISMATCH,
                                "recursive query \"%s\" column %d has type %s in non-recursive term but type %s overall"
                                        .formatted(name, i + 1, fields.get(i).type(), found.type()),
                                union.left().position())
                        .withHint("Cast the output of the non-recursive term to the correct type.");
            }
        }
        if (hasAggregate(both.right(), recursion.number())) {
            throw invalid(
                    "aggregate functions are not allowed in a recursive query's recursive term",
                    union.right().position());
        }
        return new Relation.Recursive(
                recursion.number(), both.isAll(), both.left(), both.right(), fields);
    }

    private static void refuse(boolean isThere, String clause, Query query) {
        if (isThere) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    clause + " in a recursive query is not implemented",
                    query.position());
        }
    }

    private static SqlException invalid(String message, Position position) {
        return new SqlException(SqlState.INVALID_RECURSION, message, position);
    }

    /// Whether rows that the recursion gives itself are grouped.
    private static boolean hasAggregate(Relation relation, int recursion) {
        return relation instanceof Relation.Grouped && reads(relation, recursion)
                || relation.inputs().stream().anyMatch(input -> hasAggregate(input, recursion));
    }

    private static boolean reads(Relation relation, int recursion) {
        return relation instanceof Relation.WorkTable work && work.recursion() == recursion
                || relation.inputs().stream().anyMatch(input -> reads(input, recursion));
    }

    /// What the query that is being given its meaning has last given to itself.
    Relation bind(Query.RecursionSource source) {
        String name = source.table().text();
        Recursion recursion = context.recursion(source.declared());
        if (recursion == null) {
            throw misplaced(name, "appear within its non-recursive term", source);
        }
        if (recursion.arguments() != arguments) {
            throw misplaced(name, "appear within a subquery", source);
        }
        if (!context.read(recursion)) {
            throw misplaced(name, "appear more than once", source);
        }
        List<Field> fields =
                recursion.fields().stream().map(f -> context.field(f.name(), f.type())).toList();
        return new Relation.WorkTable(recursion.number(), fields);
    }

    private static SqlException misplaced(String name, String place, Query.RecursionSource source) {
        return invalid(
                "recursive reference to query \"%s\" must not %s".formatted(name, place),
                source.position());
    }
}

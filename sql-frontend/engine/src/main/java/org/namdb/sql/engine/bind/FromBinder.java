package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.SystemRelation;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.operator.Logic;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Gives the FROM clause its meaning.
final class FromBinder {
    private final BindContext context;
    private final @Nullable Arguments arguments;

    FromBinder(BindContext context, @Nullable Arguments arguments) {
        this.context = context;
        this.arguments = arguments;
    }

    /// A relation, and the names of its columns.
    record Bound(Relation relation, Scope scope) {}

    /// Sources that commas separate.
    Bound bind(List<Query.Source> sources) {
        Bound all = null;
        for (Query.Source source : sources) {
            Bound next = bind(source, all);
            all = all == null ? next : crossed(all, next, source);
        }
        return all == null
                ? new Bound(
                        new Relation.Rows(List.of(List.of()), List.of()),
                        Scope.EMPTY.within(arguments))
                : all;
    }

    /// A table of a statement that changes it, by its alias.
    Bound target(SqlTable table, String alias) {
        List<Field> fields = new ArrayList<>();
        List<Boolean> hidden = new ArrayList<>();
        for (SqlColumn column : table.columns()) {
            fields.add(context.field(column.name(), column.type()));
            hidden.add(column.isHidden());
        }
        return new Bound(
                new Relation.Base(table, alias, fields),
                Scope.of(alias, fields, hidden).ofTable(table.name()).within(arguments));
    }

    Bound crossed(Bound left, Bound right, Query.Source source) {
        try {
            return new Bound(
                    new Relation.Joined(JoinKind.INNER, left.relation(), right.relation(), null),
                    left.scope().with(right.scope()));
        } catch (SqlException e) {
            throw e.at(source.position());
        }
    }

    /// @param before what stands before it in the same FROM; null if it is the first
    private Bound bind(Query.Source source, @Nullable Bound before) {
        return switch (source) {
            case Query.TableSource table -> table(table);
            case Query.FunctionSource function -> function(function, before);
            case Query.QuerySource query -> query(query);
            case Query.Join join -> join(join);
        };
    }

    /// The relations of the system's catalog are written out, as VALUES are: they are what they
    /// are for one version of the schema, as the plan is.
    private Bound system(SystemRelation relation, Query.TableSource source) {
        List<Field> fields =
                relation.columns().stream().map(c -> context.field(c.name(), c.type())).toList();
        List<List<Scalar>> rows = new ArrayList<>();
        for (@Nullable Object[] row : relation.rows()) {
            List<Scalar> values = new ArrayList<>(row.length);
            for (int i = 0; i < row.length; i++) {
                values.add(new ConstantScalar(row[i], fields.get(i).type()));
            }
            rows.add(values);
        }
        Name table = source.table();
        Name alias = source.alias();
        if (alias == null) {
            String bare = table.text().substring(table.text().lastIndexOf('.') + 1);
            alias = new Name(bare, table.position());
        }
        List<Boolean> hidden = fields.stream().map(_ -> false).toList();
        return renamed(new Relation.Rows(rows, fields), hidden, alias, source.columns());
    }

    private Bound table(Query.TableSource source) {
        SystemRelation system = context.systemRelation(source.table());
        if (system != null) {
            return system(system, source);
        }
        SqlTable table = context.table(source.table(), Privilege.SELECT);
        Name alias = source.alias() == null ? source.table() : source.alias();
        if (source.columns().isEmpty()) {
            return target(table, alias.text());
        }
        Bound plain = target(table, alias.text());
        Bound renamed = renamed(plain.relation(), hidden(table), alias, source.columns());
        return new Bound(renamed.relation(), renamed.scope().ofTable(table.name()));
    }

    private static List<Boolean> hidden(SqlTable table) {
        return table.columns().stream().map(SqlColumn::isHidden).toList();
    }

    private Bound query(Query.QuerySource source) {
        Name alias = source.alias();
        if (alias == null) {
            throw new SqlException(
                            SqlState.SYNTAX_ERROR,
                            "subquery in FROM must have an alias",
                            source.position())
                    .withHint("For example, FROM (SELECT ...) [AS] foo.");
        }
        Relation relation = new QueryBinder(context, arguments).bind(source.query());
        List<Boolean> hidden = relation.fields().stream().map(_ -> false).toList();
        return renamed(relation, hidden, alias, source.columns());
    }

    /// A function's only column is named like the source, unless names of columns are given.
    private Bound function(Query.FunctionSource source, @Nullable Bound before) {
        List<Scalar> values;
        try {
            values = arguments(source, Scope.EMPTY.within(arguments));
        } catch (SqlException e) {
            throw before == null ? e : lateral(source, before, e);
        }
        Name alias = source.alias() == null ? source.function() : source.alias();
        Series series;
        try {
            series = Series.of(source.function().text(), values);
        } catch (SqlException e) {
            throw e.at(source.position());
        }
        Field field = context.field(alias.text(), series.type());
        return renamed(
                new Relation.Generated(series, List.of(field)),
                List.of(false),
                alias,
                source.columns());
    }

    private List<Scalar> arguments(Query.FunctionSource source, Scope scope) {
        ExpressionBinder binder = new ExpressionBinder(context, "functions in FROM");
        return source.arguments().stream().map(argument -> binder.bind(argument, scope)).toList();
    }

    /// The error of a function whose arguments have no meaning: another if they would have one
    /// beside the tables before it.
    private SqlException lateral(Query.FunctionSource source, Bound before, SqlException error) {
        try {
            arguments(source, before.scope());
        } catch (SqlException _) {
            return error;
        }
        Position place = error.position();
        return new SqlException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "LATERAL is not supported: "
                                + source.function().text()
                                + " can't use the tables before it in FROM",
                        place == null ? source.position() : place)
                .withHint("Generate all numbers that may be needed, and join them ON a condition.")
                .causedBy(error);
    }

    private Bound renamed(Relation relation, List<Boolean> hidden, Name alias, List<Name> names) {
        long shown = hidden.stream().filter(isHidden -> !isHidden).count();
        if (names.size() > shown) {
            throw new SqlException(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    "table \""
                            + alias.text()
                            + "\" has "
                            + shown
                            + " columns available but "
                            + names.size()
                            + " columns specified",
                    alias.position());
        }
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < relation.fields().size(); i++) {
            Field field = relation.fields().get(i);
            fields.add(
                    i < names.size()
                            ? new Field(field.id(), names.get(i).text(), field.type())
                            : field);
        }
        return new Bound(relation, Scope.of(alias.text(), fields, hidden).within(arguments));
    }

    private Bound join(Query.Join join) {
        Bound left = bind(join.left(), null);
        Bound right = bind(join.right(), left);
        List<String> shared = sharedNames(join, left.scope(), right.scope());
        if (shared.isEmpty()) {
            return joinedOn(join, left, right);
        }
        List<Scalar> terms = new ArrayList<>();
        List<Scope.Visible> merged = new ArrayList<>();
        for (String name : shared) {
            Scalar ofLeft = shared(join, left.scope(), name, "left");
            Scalar ofRight = shared(join, right.scope(), name, "right");
            terms.add(Operators.binary("=", ofLeft, ofRight));
            merged.add(new Scope.Visible(name, merged(join.kind(), ofLeft, ofRight), false));
        }
        try {
            Scope scope = left.scope().with(right.scope(), merged);
            return new Bound(
                    joined(join.kind(), left.relation(), right.relation(), Conditions.and(terms)),
                    scope);
        } catch (SqlException e) {
            throw e.at(join.position());
        }
    }

    private Bound joinedOn(Query.Join join, Bound left, Bound right) {
        Bound both = crossed(left, right, join.right());
        Expression on = join.on();
        Scalar condition =
                on == null
                        ? null
                        : new ExpressionBinder(context, "JOIN conditions")
                                .condition(on, both.scope(), "JOIN/ON");
        return new Bound(
                joined(join.kind(), left.relation(), right.relation(), condition), both.scope());
    }

    private static Relation joined(
            Query.Join.Kind kind, Relation left, Relation right, @Nullable Scalar condition) {
        return switch (kind) {
            case INNER, CROSS -> new Relation.Joined(JoinKind.INNER, left, right, condition);
            case LEFT -> new Relation.Joined(JoinKind.LEFT, left, right, condition);
            case RIGHT -> new Relation.Joined(JoinKind.LEFT, right, left, condition);
            case FULL -> new Relation.Joined(JoinKind.FULL, left, right, condition);
        };
    }

    private static Scalar merged(Query.Join.Kind kind, Scalar left, Scalar right) {
        return switch (kind) {
            case INNER, CROSS, LEFT -> left;
            case RIGHT -> right;
            case FULL -> Logic.coalesce(List.of(left, right));
        };
    }

    private static List<String> sharedNames(Query.Join join, Scope left, Scope right) {
        if (!join.isNatural()) {
            return join.using().stream().map(Name::text).toList();
        }
        Set<String> ofRight = new HashSet<>();
        right.all().forEach(column -> ofRight.add(column.name()));
        return left.all().stream().map(Scope.Visible::name).filter(ofRight::contains).toList();
    }

    private static Scalar shared(Query.Join join, Scope scope, String name, String side) {
        Scope.Visible column = scope.only(name);
        if (column != null) {
            return column.value();
        }
        boolean isThere = scope.all().stream().anyMatch(c -> c.name().equals(name));
        if (isThere) {
            throw new SqlException(
                    SqlState.AMBIGUOUS_COLUMN,
                    "common column name \""
                            + name
                            + "\" appears more than once in "
                            + side
                            + " table",
                    join.position());
        }
        throw new SqlException(
                SqlState.UNDEFINED_COLUMN,
                "column \""
                        + name
                        + "\" specified in USING clause does not exist in "
                        + side
                        + " table",
                join.position());
    }
}

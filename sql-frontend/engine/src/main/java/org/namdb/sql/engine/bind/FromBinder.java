package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.SqlView;
import org.namdb.sql.engine.catalog.SystemRelation;
import org.namdb.sql.engine.catalog.SystemRoutines;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.engine.expression.operator.Logic;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.engine.sequence.SessionSequences;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.type.RecordType;
import org.namdb.sql.language.type.SqlType;

/// Gives the FROM clause its meaning.
final class FromBinder {
    private final BindContext context;
    private final @Nullable Arguments arguments;

    FromBinder(BindContext context, @Nullable Arguments arguments) {
        this.context = context;
        this.arguments = arguments;
    }

    /// A relation, and the names of its columns.
    ///
    /// @param taken what the relation takes from the rows of those before it; empty if it stands by
    ///     itself
    record Bound(Relation relation, Scope scope, List<Scalar> taken) {
        Bound(Relation relation, Scope scope) {
            this(relation, scope, List.of());
        }
    }

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
                    joined(Query.Join.Kind.INNER, left, right, null),
                    left.scope().with(right.scope()));
        } catch (SqlException e) {
            throw e.at(source.position());
        }
    }

    /// @param before what stands before it in the same FROM; null if it is the first
    private Bound bind(Query.Source source, @Nullable Bound before) {
        return switch (source) {
            case Query.TableSource table -> table(table);
            case Query.CommonTableSource common -> common(common);
            case Query.RecursionSource recursion -> recursion(recursion);
            case Query.FunctionSource function -> {
                Bound lateral = lateral(before, binder -> binder.function(function));
                yield lateral == null ? function(function) : lateral;
            }
            case Query.QuerySource query -> {
                Bound lateral =
                        query.isLateral() ? lateral(before, binder -> binder.query(query)) : null;
                yield lateral == null ? query(query) : lateral;
            }
            case Query.Join join -> join(join, before);
        };
    }

    /// A source that uses those before it; null if it does not.
    private @Nullable Bound lateral(@Nullable Bound before, Function<FromBinder, Bound> source) {
        if (before == null) {
            return null;
        }
        Arguments taken = new Arguments(before.scope(), "functions in FROM");
        Bound bound = source.apply(new FromBinder(context, taken));
        boolean[] uses = new boolean[1];
        for (Scalar value : taken.values()) {
            Rewrite.visit(value, part -> uses[0] |= part instanceof ColumnScalar);
        }
        return uses[0]
                ? new Bound(bound.relation(), bound.scope().within(arguments), taken.values())
                : null;
    }

    /// The relations of the system's catalog are written out, as VALUES are: they are what they
    /// are for one version of the schema, as the plan is. What a session has it gives when the
    /// plan is run.
    private Bound system(SystemRelation relation, Query.TableSource source) {
        List<Field> fields =
                relation.columns().stream().map(c -> context.field(c.name(), c.type())).toList();
        List<List<Scalar>> rows = new ArrayList<>();
        for (@Nullable Object[] row : relation.rows()) {
            List<Scalar> values = new ArrayList<>(row.length);
            for (int i = 0; i < row.length; i++) {
                values.add(
                        row[i] instanceof SystemRelation.LastValue last
                                ? Functions.ofSequence(
                                        "pg_sequence_last_value",
                                        SqlType.BIGINT,
                                        SessionSequences::lastGiven,
                                        last.sequence())
                                : new ConstantScalar(row[i], fields.get(i).type()));
            }
            rows.add(values);
        }
        Name table = source.table();
        String bare = table.text().substring(table.text().lastIndexOf('.') + 1);
        Name alias = source.alias();
        if (alias == null) {
            alias = new Name(bare, table.position());
        }
        List<Boolean> hidden = fields.stream().map(_ -> false).toList();
        Relation shown =
                relation.isOfSession()
                        ? new Relation.Generated(new SessionRows(bare, fields.size()), fields)
                        : new Relation.Rows(rows, fields);
        return renamed(shown, hidden, alias, source.columns());
    }

    /// A sequence: one row that says how far it is.
    private Bound sequence(Query.TableSource source) {
        Name name = source.table();
        List<Scalar> row =
                List.of(
                        Functions.ofSequence(
                                "last_value",
                                SqlType.BIGINT,
                                (sequences, text) -> sequences.state(text).last(),
                                name.text()),
                        Functions.ofSequence(
                                "log_cnt",
                                SqlType.BIGINT,
                                (sequences, text) -> sequences.state(text).left(),
                                name.text()),
                        Functions.ofSequence(
                                "is_called",
                                SqlType.BOOLEAN,
                                (sequences, text) -> sequences.state(text).isCalled(),
                                name.text()));
        List<Field> fields =
                List.of(
                        context.field("last_value", SqlType.BIGINT),
                        context.field("log_cnt", SqlType.BIGINT),
                        context.field("is_called", SqlType.BOOLEAN));
        Name alias = source.alias() == null ? name : source.alias();
        return renamed(
                new Relation.Rows(List.of(row), fields),
                List.of(false, false, false),
                alias,
                source.columns());
    }

    /// A view: its query, as its creator has written it.
    private Bound view(SqlView view, Query.TableSource source) {
        if (!(SqlParser.parseOne(view.text()) instanceof Statement.Select select)) {
            throw new IllegalStateException("no query: " + view.text());
        }
        Name name = source.table();
        Relation relation;
        try {
            relation = context.within(view, () -> new QueryBinder(context).bind(select.query()));
        } catch (SqlException e) { // its place is in the view's text
            throw e.within("view \"" + view.name() + "\"").at(name.position());
        }
        List<Name> names = new ArrayList<>(source.columns());
        for (int i = names.size(); i < view.columns().size(); i++) {
            names.add(new Name(view.columns().get(i).name(), name.position()));
        }
        List<Boolean> hidden = relation.fields().stream().map(_ -> false).toList();
        Bound bound =
                renamed(relation, hidden, source.alias() == null ? name : source.alias(), names);
        return new Bound(bound.relation(), bound.scope().ofTable(view.name()));
    }

    private Bound table(Query.TableSource source) {
        ViewNames names = context.viewNames();
        if (names != null) {
            names.source(source);
        }
        SqlView view = context.view(source.table());
        if (view != null) {
            return view(view, source);
        }
        if (context.isSequence(source.table())) {
            return sequence(source);
        }
        SystemRelation system = context.systemRelation(source.table());
        if (system != null) {
            return system(system, source);
        }
        SqlTable table = context.table(source.table(), Privilege.SELECT);
        Name bare = new Name(TemporaryNames.bare(table.name()), source.table().position());
        Name alias = source.alias() == null ? bare : source.alias();
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
        Quantifiers.requireOneColumn(alias, relation);
        return shown(relation, alias, source.columns());
    }

    private Bound common(Query.CommonTableSource source) {
        Relation relation = new CommonTableBinder(context, arguments).bind(source);
        Name alias = source.alias() == null ? source.table().name() : source.alias();
        return shown(relation, alias, source.names());
    }

    private Bound recursion(Query.RecursionSource source) {
        Relation relation = new CommonTableBinder(context, arguments).bind(source);
        Name alias = source.alias() == null ? source.table() : source.alias();
        return shown(relation, alias, source.columns());
    }

    /// A relation that hides no columns.
    private Bound shown(Relation relation, Name alias, List<Name> names) {
        return renamed(relation, relation.fields().stream().map(_ -> false).toList(), alias, names);
    }

    /// A function's only column is named like the source, unless names of columns are given.
    private Bound function(Query.FunctionSource source) {
        if (source.function().text().equals(SystemRoutines.KEYWORDS)
                && source.arguments().isEmpty()) {
            return table(
                    new Query.TableSource(
                            source.function(),
                            source.alias(),
                            source.columns(),
                            source.position()));
        }
        ExpressionBinder binder = new ExpressionBinder(context, "functions in FROM");
        Scope outer = Scope.EMPTY.within(arguments);
        List<Scalar> values =
                source.arguments().stream().map(each -> binder.bind(each, outer)).toList();
        Name alias = source.alias() == null ? source.function() : source.alias();
        Bound routine = routine(source, values, alias);
        if (routine != null) {
            return routine;
        }
        ArrayRows elements = ArrayRows.of(source.function().text(), values);
        if (elements != null) {
            return unnest(source, elements, alias);
        }
        Generator rows;
        try {
            rows = generator(source.function().text(), values, alias);
        } catch (SqlException e) {
            throw e.at(source.position());
        }
        if (!source.withOrdinality()) {
            List<Boolean> hidden = new ArrayList<>();
            rows.relation.fields().forEach(_ -> hidden.add(!hidden.isEmpty()));
            return renamed(rows.relation, hidden, alias, source.columns());
        }
        Scalar ordinality = rows.ordinality;
        if (ordinality == null) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "WITH ORDINALITY is not supported for these arguments",
                    source.position());
        }
        Relation numbered =
                new Relation.Projected(
                        rows.relation,
                        List.of(rows.relation.fields().getFirst().scalar(), ordinality),
                        List.of(
                                context.field(alias.text(), rows.type()),
                                context.field("ordinality", SqlType.BIGINT)));
        return renamed(numbered, List.of(false, false), alias, source.columns());
    }

    /// The elements of arrays. One column has the source's name, several that of the function.
    private Bound unnest(Query.FunctionSource source, ArrayRows elements, Name alias) {
        List<Scalar> arrays = elements.arrays();
        List<Field> fields = new ArrayList<>();
        List<Boolean> hidden = new ArrayList<>();
        String name = arrays.size() == 1 ? alias.text() : source.function().text();
        for (Scalar array : arrays) {
            fields.add(context.field(name, array.type().element()));
            hidden.add(false);
        }
        fields.add(context.field("ordinality", SqlType.BIGINT));
        hidden.add(!source.withOrdinality());
        Relation rows = new Relation.Generated(elements, fields);
        return renamed(rows, hidden, alias, source.columns());
    }

    /// The rows of a function that users have made; null if it is another one, or gives one value.
    private @Nullable Bound routine(Query.FunctionSource source, List<Scalar> values, Name alias) {
        String name = source.function().text();
        Routine routine =
                Functions.isFunction(name) || Series.isSeries(name) ? null : context.routine(name);
        if (routine == null) {
            return null;
        }
        List<Field> fields = new ArrayList<>();
        String rowTable = routine.rowTable();
        if (rowTable != null) {
            SqlTable table = context.rowType(rowTable);
            for (SqlColumn column : table.columns()) {
                if (!column.isHidden()) {
                    fields.add(context.field(column.name(), column.type()));
                }
            }
        } else {
            boolean isNamed = !routine.outputs().isEmpty();
            for (RecordType.Column column : routine.columns()) {
                String shown = isNamed ? column.name() : alias.text();
                fields.add(context.field(shown, column.type()));
            }
        }
        if (!routine.isSet() && rowTable == null && fields.size() < 2 || routine.isProcedure()) {
            return null;
        }
        if (source.withOrdinality()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "WITH ORDINALITY is not supported for functions of users",
                    source.position());
        }
        RoutineRows rows =
                new RoutineRows(
                        routine, RoutineScalar.arguments(routine, values, source.function()));
        List<Boolean> hidden = fields.stream().map(_ -> false).toList();
        return renamed(new Relation.Generated(rows, fields), hidden, alias, source.columns());
    }

    /// The rows of a function.
    ///
    /// @param relation their values as its first column
    /// @param ordinality their numbers from 1; null if they can't be derived from the values
    private record Generator(Relation relation, @Nullable Scalar ordinality) {
        SqlType type() {
            return relation.fields().getFirst().type();
        }
    }

    private Generator generator(String function, List<Scalar> values, Name alias) {
        if (!Series.isSeries(function)) {
            // Any other function gives one row.
            Scalar value =
                    RoutineScalar.orBuiltin(new Name(function, alias.position()), values, context);
            Field field = context.field(alias.text(), value.type());
            return new Generator(
                    new Relation.Rows(List.of(List.of(value)), List.of(field)),
                    new ConstantScalar(1L, SqlType.BIGINT));
        }
        Series series = Series.of(function, values);
        Field field = context.field(alias.text(), series.type());
        Relation relation = new Relation.Generated(series, List.of(field));
        boolean isCounted =
                !Series.isTime(series.type())
                        && series.scalars().stream().noneMatch(Constants::isVolatile);
        return new Generator(relation, isCounted ? number(field.scalar(), series) : null);
    }

    /// The place of a value in a series of integers.
    private static Scalar number(Scalar value, Series series) {
        Scalar one = new ConstantScalar(1L, SqlType.BIGINT);
        Scalar distance =
                Operators.binary("-", Casts.implicit(value, SqlType.BIGINT), series.start());
        return Operators.binary("+", Operators.binary("/", distance, series.step()), one);
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

    /// Sources of a join may use those before all of it, too.
    private Bound join(Query.Join join, @Nullable Bound before) {
        try {
            return join(join);
        } catch (SqlException e) {
            boolean isMissing =
                    e.state() == SqlState.UNDEFINED_COLUMN || e.state() == SqlState.UNDEFINED_TABLE;
            Bound lateral =
                    isMissing && mayBeLateral(join)
                            ? lateral(before, binder -> binder.join(join))
                            : null;
            if (lateral == null) {
                throw e;
            }
            return lateral;
        }
    }

    private static boolean mayBeLateral(Query.Source source) {
        return switch (source) {
            case Query.FunctionSource _ -> true;
            case Query.QuerySource query -> query.isLateral();
            case Query.Join join -> mayBeLateral(join.left()) || mayBeLateral(join.right());
            case Query.TableSource _, Query.CommonTableSource _, Query.RecursionSource _ -> false;
        };
    }

    private Bound join(Query.Join join) {
        Bound left = bind(join.left(), null);
        Bound right = bind(join.right(), left);
        if (!right.taken().isEmpty() && !isLeftOrInner(join.kind())) {
            throw new SqlException(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    "invalid reference to FROM-clause entry: the combining JOIN type must be INNER"
                            + " or LEFT for a LATERAL reference",
                    join.right().position());
        }
        refuseRecursion(join, left, right);
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
            return new Bound(joined(join.kind(), left, right, Conditions.and(terms)), scope);
        } catch (SqlException e) {
            throw e.at(join.position());
        }
    }

    /// What an outer join fills with NULLs must not depend on rows that are still to come.
    private static void refuseRecursion(Query.Join join, Bound left, Bound right) {
        boolean isRight = join.kind() == Query.Join.Kind.RIGHT;
        boolean isLeft = join.kind() == Query.Join.Kind.LEFT;
        boolean isFull = join.kind() == Query.Join.Kind.FULL;
        if ((isLeft || isFull) && CommonTableBinder.isRecursion(right.relation())
                || (isRight || isFull) && CommonTableBinder.isRecursion(left.relation())) {
            throw new SqlException(
                    SqlState.INVALID_RECURSION,
                    "recursive reference must not appear within an outer join",
                    join.position());
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
        return new Bound(joined(join.kind(), left, right, condition), both.scope());
    }

    private static boolean isLeftOrInner(Query.Join.Kind kind) {
        return switch (kind) {
            case INNER, CROSS, LEFT -> true;
            case RIGHT, FULL -> false;
        };
    }

    private static Relation joined(
            Query.Join.Kind kind, Bound before, Bound after, @Nullable Scalar condition) {
        Relation left = before.relation();
        Relation right = after.relation();
        if (!after.taken().isEmpty()) {
            JoinKind lateral = kind == Query.Join.Kind.LEFT ? JoinKind.LEFT : JoinKind.INNER;
            return new Relation.Lateral(lateral, left, right, after.taken(), condition);
        }
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

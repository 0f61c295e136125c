package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// Gives one SELECT its meaning, with its ORDER BY and LIMIT.
final class SelectBinder {
    private final BindContext context;
    private final @Nullable Arguments arguments;
    private Scope scope = Scope.EMPTY;

    /// What is selected, as expressions over the FROM clause, and after grouping over the groups.
    private final List<Scalar> values = new ArrayList<>();

    private final List<String> names = new ArrayList<>();

    /// How many of the values are selected; those behind are only for the order, or for locks.
    private int selected;

    private final List<Scalar> groupKeys = new ArrayList<>();

    /// The numbers of the keys of each grouping set; at most one if all rows are grouped once.
    private final List<Set<Integer>> groupingSets = new ArrayList<>();

    private final List<Query.SortKey> sortKeys = new ArrayList<>();

    /// The place among the values of each part of the order.
    private final List<Integer> sortPlaces = new ArrayList<>();

    /// The places among the values of what DISTINCT ON names.
    private final List<Integer> distinctPlaces = new ArrayList<>();

    SelectBinder(BindContext context, @Nullable Arguments arguments) {
        this.context = context;
        this.arguments = arguments;
    }

    Relation bind(Query query, Query.Select select) {
        FromBinder.Bound from = new FromBinder(context, arguments).bind(select.from());
        scope = from.scope().within(arguments);
        Relation relation = filtered(from.relation(), where(select));
        bindItems(select);
        selected = values.size();
        bindGroupKeys(select);
        Scalar having = having(select);
        bindOrder(query, select);
        bindDistinctOn(select);
        relation = expanded(relation, groupKeys);
        relation = grouped(select, relation, having, from.relation());
        List<Relation.Base> locked = new ArrayList<>();
        if (query.isForUpdate()) {
            refuseForUpdate(query, select, relation);
            select.from().forEach(source -> refuseLockedView(query, source));
            locked.addAll(Locks.of(query, from.relation()));
            Locks.keys(locked).forEach(key -> add(key, "key"));
            locked.forEach(base -> context.need(base.table(), Privilege.UPDATE));
        }
        relation = expanded(windowed(relation), values);
        return finished(relation, query, select, locked);
    }

    private Relation finished(
            Relation input, Query query, Query.Select select, List<Relation.Base> locked) {
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            fields.add(keptOr(values.get(i), names.get(i), i));
        }
        Relation relation = new Relation.Projected(input, values, fields);
        if (select.isDistinct()) {
            relation = new Relation.Distinct(relation);
        }
        List<Relation.Ordering> order = new ArrayList<>();
        for (int i = 0; i < sortKeys.size(); i++) {
            Scalar value = fields.get(sortPlaces.get(i)).scalar();
            order.add(Ordinals.ordering(value, sortKeys.get(i)));
        }
        if (!distinctPlaces.isEmpty()) {
            relation = firstOfEach(relation, order);
        }
        if (!order.isEmpty()) {
            relation = new Relation.Sorted(relation, order);
        }
        relation = new QueryBinder(context, arguments).limited(relation, query, scope);
        if (!locked.isEmpty()) {
            relation = new Relation.Locked(relation, locked);
        }
        return relation.fields().size() == selected ? relation : firstColumns(relation, fields);
    }

    /// Of the rows that agree in what DISTINCT ON names, the first in the order.
    private Relation firstOfEach(Relation input, List<Relation.Ordering> order) {
        List<Scalar> partition = new ArrayList<>();
        distinctPlaces.forEach(place -> partition.add(input.fields().get(place).scalar()));
        WindowScalar number =
                new WindowScalar(
                        "row_number",
                        null,
                        SqlType.BIGINT,
                        List.of(),
                        partition,
                        order,
                        WindowScalar.Bounds.DEFAULT);
        List<Field> fields = new ArrayList<>(input.fields());
        fields.add(context.field(number.function(), number.type()));
        return new Relation.Filtered(
                new Relation.Windowed(input, partition, order, List.of(number), fields),
                Operators.binary(
                        "=", fields.getLast().scalar(), new ConstantScalar(1L, SqlType.BIGINT)));
    }

    /// A new column for a value; the key of a record that is to be locked stays what it is.
    private Field keptOr(Scalar value, String name, int place) {
        if (place >= selected + sortExtras()
                && value instanceof org.namdb.sql.engine.expression.ColumnScalar key) {
            return new Field(key.index(), name, key.type());
        }
        return context.field(name, value.type());
    }

    private int sortExtras() {
        int most = selected - 1;
        for (int place : sortPlaces) {
            most = Math.max(most, place);
        }
        return most + 1 - selected;
    }

    private Relation firstColumns(Relation relation, List<Field> fields) {
        List<Field> first = fields.subList(0, selected);
        List<Scalar> columns = new ArrayList<>();
        List<Field> renewed = new ArrayList<>();
        for (Field field : first) {
            columns.add(field.scalar());
            renewed.add(context.field(field.name(), field.type()));
        }
        return new Relation.Projected(relation, columns, renewed);
    }

    private @Nullable Scalar where(Query.Select select) {
        Expression where = select.where();
        return where == null
                ? null
                : new ExpressionBinder(context, "WHERE").condition(where, scope, "WHERE");
    }

    private @Nullable Scalar having(Query.Select select) {
        Expression having = select.having();
        if (having == null) {
            return null;
        }
        Scalar condition = new ExpressionBinder(context, null).condition(having, scope, "HAVING");
        SetScalar.refuseIn(List.of(condition), "HAVING");
        return withoutWindows(condition, "HAVING");
    }

    private static Scalar withoutWindows(Scalar bound, String clause) {
        if (WindowBinder.hasWindow(bound)) {
            throw new SqlException(
                    SqlState.WINDOWING_ERROR, "window functions are not allowed in " + clause);
        }
        return bound;
    }

    private static Relation filtered(Relation relation, @Nullable Scalar condition) {
        return condition == null ? relation : new Relation.Filtered(relation, condition);
    }

    private void bindItems(Query.Select select) {
        ExpressionBinder binder = new ExpressionBinder(context, null);
        for (Query.Item item : select.items()) {
            switch (item) {
                case Query.Value value ->
                        add(binder.bind(value.expression(), scope), ColumnNames.of(value));
                case Query.Star star -> bindStar(star, select);
            }
        }
    }

    /// The rows with a column more for each window function that is selected, or ordered by.
    private Relation windowed(Relation input) {
        List<WindowScalar> calls = new ArrayList<>();
        for (Scalar value : values) {
            Rewrite.visit(
                    value,
                    part -> {
                        if (part instanceof WindowScalar call && !calls.contains(call)) {
                            calls.add(call);
                        }
                    });
        }
        Relation relation = input;
        Map<WindowScalar, Field> known = new HashMap<>();
        while (known.size() < calls.size()) {
            List<WindowScalar> same = new ArrayList<>();
            List<Field> fields = new ArrayList<>(relation.fields());
            for (WindowScalar call : calls) {
                boolean isSame =
                        same.isEmpty()
                                || call.partition().equals(same.getFirst().partition())
                                        && call.order().equals(same.getFirst().order());
                if (!known.containsKey(call) && isSame) {
                    same.add(call);
                    Field field = context.field(call.function(), call.type());
                    fields.add(field);
                    known.put(call, field);
                }
            }
            WindowScalar first = same.getFirst();
            relation =
                    new Relation.Windowed(relation, first.partition(), first.order(), same, fields);
        }
        values.replaceAll(value ->
                Rewrite.replace(
                        value,
                        part -> {
                            Field field = part instanceof WindowScalar ? known.get(part) : null;
                            return field == null ? null : field.scalar();
                        }));
        return relation;
    }

    /// The rows with those of the functions that give rows in some expressions.
    private Relation expanded(Relation input, List<Scalar> users) {
        List<SetScalar> sets = SetScalar.in(users);
        if (sets.isEmpty()) {
            return input;
        }
        List<Field> columns = new ArrayList<>();
        Relation relation = SetScalar.expand(input, sets, context, columns);
        for (List<Scalar> expressions : List.of(values, groupKeys)) {
            expressions.replaceAll(value ->
                    Rewrite.replace(
                            value,
                            part -> {
                                int place = part instanceof SetScalar ? sets.indexOf(part) : -1;
                                return place < 0 ? null : columns.get(place).scalar();
                            }));
        }
        return relation;
    }

    private void bindStar(Query.Star star, Query.Select select) {
        if (star.qualifier() == null && select.from().isEmpty()) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "SELECT * with no tables specified is not valid",
                    star.position());
        }
        ViewNames view = context.viewNames();
        if (view != null) {
            view.star(star, scope);
        }
        List<Scope.Visible> columns =
                star.qualifier() == null ? scope.all() : scope.all(star.qualifier());
        for (Scope.Visible column : columns) {
            context.noteColumn(column.value(), star.position());
            add(column.value(), column.name());
        }
    }

    private void add(Scalar value, String name) {
        values.add(value);
        names.add(name);
    }

    private void bindGroupKeys(Query.Select select) {
        List<Integer> numbers = new ArrayList<>();
        for (Expression expression : select.groupBy()) {
            Scalar key = groupKey(expression);
            if (Grouping.hasAggregate(key) || GroupingScalar.isIn(key)) {
                throw new SqlException(
                        SqlState.GROUPING_ERROR,
                        "aggregate functions are not allowed in GROUP BY",
                        expression.position());
            }
            Scalar _ = withoutWindows(key, "GROUP BY");
            if (!groupKeys.contains(key) && !(key instanceof ConstantScalar)) {
                groupKeys.add(key);
            }
            numbers.add(groupKeys.indexOf(key));
        }
        for (List<Integer> set : select.groupingSets()) {
            Set<Integer> keys = new HashSet<>();
            set.forEach(number -> keys.add(numbers.get(number)));
            groupingSets.add(keys);
        }
    }

    /// A column of the FROM clause takes precedence over one that is selected under the same name.
    private Scalar groupKey(Expression expression) {
        int ordinal = Ordinals.of(expression, selected, "GROUP BY");
        if (ordinal >= 0) {
            return values.get(ordinal);
        }
        if (expression instanceof Expression.ColumnName name
                && name.qualifier() == null
                && scope.all().stream().noneMatch(c -> c.name().equals(name.column().text()))) {
            int place = placeOfAlias(name, "GROUP BY");
            if (place >= 0) {
                return values.get(place);
            }
        }
        return new ExpressionBinder(context, "GROUP BY").bind(expression, scope);
    }

    /// The place of what is selected under a name; -1 if nothing is.
    private int placeOfAlias(Expression.ColumnName name, String clause) {
        int found = -1;
        for (int i = 0; i < selected; i++) {
            if (names.get(i).equals(name.column().text())) {
                if (found >= 0 && !values.get(found).equals(values.get(i))) {
                    throw new SqlException(
                            SqlState.AMBIGUOUS_COLUMN,
                            clause + " \"" + name.column().text() + "\" is ambiguous",
                            name.position());
                }
                found = found < 0 ? i : found;
            }
        }
        return found;
    }

    private void bindOrder(Query query, Query.Select select) {
        for (Query.SortKey key : query.orderBy()) {
            sortKeys.add(key);
            sortPlaces.add(sortPlace(key.expression(), select));
        }
    }

    /// What is selected under a name takes precedence over a column of the FROM clause of the same
    /// name.
    private int sortPlace(Expression expression, Query.Select select) {
        int ordinal = Ordinals.of(expression, selected, "ORDER BY");
        if (ordinal >= 0) {
            return ordinal;
        }
        if (expression instanceof Expression.ColumnName name && name.qualifier() == null) {
            int place = placeOfAlias(name, "ORDER BY");
            if (place >= 0) {
                return place;
            }
        }
        Scalar value = new ExpressionBinder(context, null).bind(expression, scope);
        int place = values.indexOf(value);
        if (place < 0) {
            if (select.isDistinct()) {
                throw new SqlException(
                        SqlState.INVALID_COLUMN_REFERENCE,
                        "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                        expression.position());
            }
            place = values.size();
            add(value, "?column?");
        }
        return place;
    }

    /// The expressions are looked up as those of ORDER BY are, which must begin with them.
    private void bindDistinctOn(Query.Select select) {
        for (Expression expression : select.distinctOn()) {
            distinctPlaces.add(sortPlace(expression, select));
        }
        Set<Integer> missing = new HashSet<>(distinctPlaces);
        for (int i = 0; i < sortPlaces.size() && !missing.isEmpty(); i++) {
            if (!distinctPlaces.contains(sortPlaces.get(i))) {
                throw new SqlException(
                        SqlState.INVALID_COLUMN_REFERENCE,
                        "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
                        select.distinctOn().getFirst().position());
            }
            missing.remove(sortPlaces.get(i));
        }
    }

    private Relation grouped(
            Query.Select select, Relation input, @Nullable Scalar having, Relation from) {
        boolean isGrouped =
                !select.groupBy().isEmpty()
                        || !groupingSets.isEmpty()
                        || having != null
                        || values.stream().anyMatch(GroupingScalar::isIn)
                        || values.stream().anyMatch(Grouping::hasAggregate);
        if (!isGrouped) {
            return input;
        }
        Grouping grouping = new Grouping(context, groupKeys, groupingSets);
        List<Relation.Base> tables = new ArrayList<>();
        Locks.collect(from, tables);
        if (groupingSets.size() < 2) {
            grouping.allowDependent(tables);
        }
        for (int i = 0; i < values.size(); i++) {
            values.set(i, grouping.overGroups(values.get(i)));
        }
        Scalar condition = having == null ? null : grouping.overGroups(having);
        return filtered(grouping.relation(input), condition);
    }

    private void refuseForUpdate(Query query, Query.Select select, Relation relation) {
        String with = null;
        if (select.isDistinct() || !select.distinctOn().isEmpty()) {
            with = "DISTINCT clause";
        } else if (!select.groupBy().isEmpty() || !groupingSets.isEmpty()) {
            with = "GROUP BY clause";
        } else if (select.having() != null) {
            with = "HAVING clause";
        } else if (relation instanceof Relation.Grouped) {
            with = "aggregate functions";
        } else if (values.stream().anyMatch(WindowBinder::hasWindow)) {
            with = "window functions";
        }
        if (with != null) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "FOR UPDATE is not allowed with " + with,
                    query.position());
        }
    }

    /// A view's rows are not locked: to leave that out in silence would lose updates.
    private void refuseLockedView(Query query, Query.Source source) {
        if (source instanceof Query.Join join) {
            refuseLockedView(query, join.left());
            refuseLockedView(query, join.right());
        } else if (source instanceof Query.TableSource table) {
            Name alias = table.alias() == null ? table.table() : table.alias();
            boolean isLocked =
                    query.lockedTables().isEmpty()
                            || query.lockedTables().stream()
                                    .anyMatch(each -> each.text().equals(alias.text()));
            if (isLocked && context.view(table.table()) != null) {
                throw new SqlException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "FOR UPDATE of a view is not supported",
                                query.position())
                        .withHint("Select from the tables that the view reads.");
            }
        }
    }
}

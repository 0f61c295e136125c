package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.AggregateScalar;
import org.namdb.sql.engine.bind.BoundSubquery;
import org.namdb.sql.engine.bind.Conditions;
import org.namdb.sql.engine.bind.Field;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.bind.ReturnedRows;
import org.namdb.sql.engine.bind.Rewrite;
import org.namdb.sql.engine.bind.RowFunction;
import org.namdb.sql.engine.bind.Series;
import org.namdb.sql.engine.bind.WindowScalar;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.engine.expression.Scalar;

/// Turns relations into operators, from the top down: conditions, and what is wanted of columns and
/// order, sink to where they cost least.
final class RelationPlanner {
    private final Estimates estimates;
    private final JoinPlanner joins = new JoinPlanner(this);

    RelationPlanner(Estimates estimates) {
        this.estimates = estimates;
    }

    Estimates estimates() {
        return estimates;
    }

    /// Plans a relation so that its tuples hold exactly its fields, in their order.
    PlanNode plan(Relation relation) {
        return arranged(plan(relation, Want.all(relation.fields())).node(), relation.fields());
    }

    /// Plans a relation. The tuples hold at least the fields that are wanted, and meet the
    /// conditions.
    Planned plan(Relation relation, Want want) {
        return switch (relation) {
            case Relation.Base base -> base(base, want);
            case Relation.Rows rows -> rows(rows, want);
            case Relation.Generated generated -> generated(generated, want);
            case Relation.Filtered _, Relation.Joined _ -> joins.plan(relation, want);
            case Relation.Lateral lateral -> joins.lateral(lateral, want);
            case Relation.Projected projected -> projected(projected, want);
            case Relation.Grouped grouped -> grouped(grouped, want);
            case Relation.Windowed windowed -> windowed(windowed, want);
            case Relation.Sorted sorted -> sorted(sorted, want, null);
            case Relation.Distinct distinct -> distinct(distinct, want);
            case Relation.Limited limited -> limited(limited, want);
            case Relation.Combined combined -> combined(combined, want);
            case Relation.Recursive recursive -> recursive(recursive, want);
            case Relation.WorkTable work -> workTable(work, want);
            case Relation.Locked locked -> locked(locked, want);
        };
    }

    /// An expression over the tuples of an operator, its subqueries planned.
    Scalar over(List<Field> layout, Scalar scalar) {
        return Rewrite.replace(
                scalar,
                part -> {
                    if (part instanceof BoundSubquery subquery) {
                        return planned(subquery, layout);
                    }
                    return part instanceof ColumnScalar column
                            ? Rewrite.toPositions(column, layout)
                            : null;
                });
    }

    List<Scalar> over(List<Field> layout, List<Scalar> scalars) {
        return scalars.stream().map(scalar -> over(layout, scalar)).toList();
    }

    /// All of the conditions over the tuples of an operator; null if there are none.
    @Nullable Scalar allOver(List<Field> layout, List<Scalar> conditions) {
        Scalar all = Conditions.andOrNull(conditions);
        return all == null ? null : over(layout, all);
    }

    /// An expression whose columns are places in a tuple already, its subqueries planned.
    Scalar withPlannedSubqueries(Scalar scalar) {
        return Rewrite.replace(
                scalar, part -> part instanceof BoundSubquery subquery ? planned(subquery) : null);
    }

    private PlannedSubquery planned(BoundSubquery subquery) {
        return new PlannedSubquery(
                subquery.form(),
                subquery.type(),
                plan(subquery.relation()),
                subquery.tests().stream().map(this::withPlannedSubqueries).toList(),
                subquery.arguments().stream().map(this::withPlannedSubqueries).toList());
    }

    private PlannedSubquery planned(BoundSubquery subquery, List<Field> layout) {
        return new PlannedSubquery(
                subquery.form(),
                subquery.type(),
                plan(subquery.relation()),
                over(layout, subquery.tests()),
                over(layout, subquery.arguments()));
    }

    /// The operator's tuples with exactly these fields.
    static PlanNode arranged(PlanNode node, List<Field> fields) {
        if (ids(node.fields()).equals(ids(fields))) {
            return node;
        }
        List<Scalar> columns = new ArrayList<>();
        for (Field field : fields) {
            columns.add(Rewrite.toPositions(field.scalar(), node.fields()));
        }
        return new PlanNode.Project(node, columns, fields);
    }

    private static List<Integer> ids(List<Field> fields) {
        return fields.stream().map(Field::id).toList();
    }

    /// The tuples that meet conditions on the operator's fields.
    Planned filtered(Planned input, List<Scalar> conditions) {
        Scalar condition = allOver(input.node().fields(), conditions);
        if (condition == null) {
            return input;
        }
        double rows = input.node().rows() * estimates.part(conditions);
        return new Planned(
                new PlanNode.Filter(input.node(), condition, rows),
                input.cost(),
                input.isOrdered());
    }

    private Planned base(Relation.Base base, Want want) {
        estimates.add(base);
        AccessChooser chooser =
                new AccessChooser(
                        base, want.conditions(), RelationPlanner::isGiven, want, estimates);
        AccessChooser.Choice choice = chooser.choose();
        List<Scalar> left = chooser.left(choice);
        TableShape shape = shape(base, want.fields(), left, choice);
        AccessPath path = Paths.map(choice.path(), key -> over(List.of(), key));
        double rows =
                estimates.isAnalyzed(base.table())
                        ? estimates.rows(base.table()) * estimates.part(want.conditions())
                        : choice.rows() * estimates.part(left);
        return new Planned(
                new PlanNode.TableRead(
                        shape,
                        path,
                        allOver(shape.fields(), left),
                        shape.fields(),
                        Math.max(1, rows)),
                choice.cost(),
                choice.isOrdered());
    }

    /// Whether an expression has its value before any row is read.
    private static boolean isGiven(Scalar scalar) {
        return Uses.of(scalar).isEmpty() && !Constants.isVolatile(scalar);
    }

    /// The columns of a table that are wanted, or that conditions use.
    static TableShape shape(
            Relation.Base base,
            Set<Integer> wanted,
            List<Scalar> conditions,
            AccessChooser.Choice choice) {
        Set<Integer> used = new LinkedHashSet<>(wanted);
        conditions.forEach(condition -> Uses.collect(condition, used));
        List<Integer> numbers = new ArrayList<>();
        for (int id : used) {
            for (int number = 0; number < base.fields().size(); number++) {
                if (base.fields().get(number).id() == id) {
                    numbers.add(number);
                }
            }
        }
        return TableShape.of(base.table(), base.alias(), numbers, base.fields(), choice.indexed());
    }

    private Planned rows(Relation.Rows rows, Want want) {
        List<List<Scalar>> tuples = rows.rows().stream().map(row -> over(List.of(), row)).toList();
        return filtered(
                new Planned(new PlanNode.Values(tuples, rows.fields()), rows.rows().size()),
                want.conditions());
    }

    private Planned generated(Relation.Generated generated, Want want) {
        RowFunction function =
                generated.function().map(scalar -> Constants.fold(over(List.of(), scalar)));
        double rows =
                function instanceof ReturnedRows returned ? returned.rows() : Costs.ROWS_OF_SERIES;
        if (function instanceof Series series
                && constant(series.start()) instanceof Long start
                && constant(series.stop()) instanceof Long stop
                && constant(series.step()) instanceof Long step
                && step != 0) {
            rows = Math.max(0, Math.floor(((double) stop - start) / step) + 1);
        }
        return filtered(
                new Planned(new PlanNode.Generate(function, generated.fields(), rows), rows),
                want.conditions());
    }

    private static @Nullable Object constant(Scalar scalar) {
        return scalar instanceof ConstantScalar constant ? constant.value() : null;
    }

    private Planned projected(Relation.Projected projected, Want want) {
        List<Scalar> below = new ArrayList<>();
        List<Scalar> above = new ArrayList<>();
        for (Scalar condition : want.conditions()) {
            Scalar substituted = substituted(condition, projected);
            if (Constants.isVolatile(substituted)) {
                above.add(condition);
            } else {
                below.add(substituted);
            }
        }
        List<Scalar> needed = new ArrayList<>();
        List<Field> fields = new ArrayList<>();
        Want all = want.with(above);
        for (int id : all.fields()) {
            int place = place(projected.fields(), id);
            if (place >= 0) {
                needed.add(projected.values().get(place));
                fields.add(projected.fields().get(place));
            }
        }
        Want wanted =
                Want.uses(needed)
                        .where(below)
                        .ordered(substituted(want.order(), projected), want.limit());
        Planned input = plan(projected.input(), wanted);
        List<Scalar> values = over(input.node().fields(), needed);
        Planned result =
                new Planned(project(input.node(), values, fields), input.cost(), input.isOrdered());
        return filtered(result, above);
    }

    /// The values of each tuple; by the operator itself, if it gives them already.
    private static PlanNode project(PlanNode input, List<Scalar> values, List<Field> fields) {
        boolean isSame = values.size() == input.fields().size();
        for (int i = 0; isSame && i < values.size(); i++) {
            isSame = values.get(i) instanceof ColumnScalar column && column.index() == i;
        }
        if (isSame && input instanceof PlanNode.TableRead read) {
            return new PlanNode.TableRead(
                    read.shape(), read.path(), read.filter(), fields, read.rows());
        }
        if (isSame && input instanceof PlanNode.Aggregation groups) {
            return new PlanNode.Aggregation(
                    groups.input(),
                    groups.keys(),
                    groups.calls(),
                    fields,
                    groups.whenEmpty(),
                    groups.rows());
        }
        return new PlanNode.Project(input, values.stream().map(Constants::fold).toList(), fields);
    }

    private static Scalar substituted(Scalar scalar, Relation.Projected projected) {
        return Rewrite.replace(
                scalar,
                part -> {
                    int place =
                            part instanceof ColumnScalar column
                                    ? place(projected.fields(), column.index())
                                    : -1;
                    return place < 0 ? null : projected.values().get(place);
                });
    }

    private static List<Relation.Ordering> substituted(
            List<Relation.Ordering> order, Relation.Projected projected) {
        return order.stream()
                .map(part ->
                        new Relation.Ordering(
                                substituted(part.value(), projected),
                                part.isDescending(),
                                part.nullsFirst()))
                .toList();
    }

    static int place(List<Field> fields, int id) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).id() == id) {
                return i;
            }
        }
        return -1;
    }

    private Planned grouped(Relation.Grouped grouped, Want want) {
        int keyCount = grouped.keys().size();
        Set<Integer> keyIds = Uses.ids(grouped.fields().subList(0, keyCount));
        List<Scalar> below = new ArrayList<>();
        List<Scalar> above = new ArrayList<>();
        Relation.Projected keys =
                new Relation.Projected(
                        grouped.input(), grouped.keys(), grouped.fields().subList(0, keyCount));
        for (Scalar condition : want.conditions()) {
            boolean sinks =
                    keyCount > 0
                            && grouped.whenEmpty().isEmpty()
                            && Uses.only(condition, keyIds)
                            && !Uses.of(condition).isEmpty()
                            && !Constants.isVolatile(condition);
            if (sinks) {
                below.add(substituted(condition, keys));
            } else {
                above.add(condition);
            }
        }
        Planned extreme = new ExtremePlanner(this).plan(grouped);
        Planned result = extreme == null ? grouped(grouped, want, below, above) : extreme;
        return filtered(result, extreme == null ? above : want.conditions());
    }

    /// The groups. Only the aggregates that are used above are computed.
    private Planned grouped(
            Relation.Grouped grouped, Want want, List<Scalar> below, List<Scalar> above) {
        List<Scalar> keys = new ArrayList<>();
        List<AggregateScalar> calls = new ArrayList<>();
        List<Field> fields = new ArrayList<>();
        Set<Integer> wanted = want.with(above).fields();
        for (int i = 0; i < grouped.fields().size(); i++) {
            Field field = grouped.fields().get(i);
            if (i < grouped.keys().size()) {
                keys.add(grouped.keys().get(i));
                fields.add(field);
            } else if (wanted.contains(field.id())) {
                calls.add(grouped.calls().get(i - grouped.keys().size()));
                fields.add(field);
            }
        }
        List<Scalar> users = new ArrayList<>(keys);
        users.addAll(calls);
        Planned input = plan(grouped.input(), Want.uses(users).where(below));
        List<Field> layout = input.node().fields();
        List<AggregateScalar> overInput = new ArrayList<>();
        for (AggregateScalar call : calls) {
            overInput.add(call.withArgument(over(layout, call.argument())));
        }
        double rows = keys.isEmpty() ? 1 : estimates.groups(input.node().rows(), keys);
        return new Planned(
                new PlanNode.Aggregation(
                        input.node(),
                        over(layout, keys),
                        overInput,
                        fields,
                        grouped.whenEmpty(),
                        rows),
                input.cost() + input.node().rows() * Costs.HASHED,
                keys.isEmpty());
    }

    /// The values of window functions are of all rows: conditions stay above.
    private Planned windowed(Relation.Windowed windowed, Want want) {
        Set<Integer> ids = new LinkedHashSet<>(want.with(want.conditions()).fields());
        ids.retainAll(Uses.ids(windowed.input().fields()));
        List<Scalar> users = new ArrayList<>(windowed.partition());
        users.addAll(windowed.calls());
        Want below = new Want(List.of(), ids, List.of(), Double.POSITIVE_INFINITY).with(users);
        List<Relation.Ordering> whole = windowed.wholeOrder();
        Planned input =
                whole.isEmpty()
                        ? plan(windowed.input(), below)
                        : sorted(new Relation.Sorted(windowed.input(), whole), below, null);
        List<Field> layout = input.node().fields();
        List<WindowScalar> calls = new ArrayList<>();
        List<Field> fields = new ArrayList<>(layout);
        int inputs = windowed.fields().size() - windowed.calls().size();
        for (int i = 0; i < windowed.calls().size(); i++) {
            calls.add((WindowScalar) over(layout, windowed.calls().get(i)));
            fields.add(windowed.fields().get(inputs + i));
        }
        List<Relation.Ordering> order = new ArrayList<>();
        for (Relation.Ordering part : windowed.order()) {
            order.add(
                    new Relation.Ordering(
                            over(layout, part.value()), part.isDescending(), part.nullsFirst()));
        }
        PlanNode node =
                new PlanNode.Window(
                        input.node(), over(layout, windowed.partition()), order, calls, fields);
        return filtered(
                new Planned(node, input.cost() + input.node().rows() * Costs.HASHED),
                want.conditions());
    }

    private Planned sorted(Relation.Sorted sorted, Want want, Relation.@Nullable Limited limited) {
        List<Scalar> values = sorted.order().stream().map(Relation.Ordering::value).toList();
        double limit = limited == null ? Double.POSITIVE_INFINITY : wholeLimit(limited);
        Planned input = plan(sorted.input(), want.with(values).ordered(sorted.order(), limit));
        if (input.isOrdered()) {
            return input;
        }
        List<Relation.Ordering> order = new ArrayList<>();
        for (Relation.Ordering part : sorted.order()) {
            Scalar value = Constants.fold(over(input.node().fields(), part.value()));
            if (!(value instanceof ConstantScalar)) {
                order.add(new Relation.Ordering(value, part.isDescending(), part.nullsFirst()));
            }
        }
        if (order.isEmpty()) {
            return new Planned(input.node(), input.cost(), true);
        }
        Scalar most = limited == null ? null : overNothing(limited.limit());
        Scalar skipped = limited == null || most == null ? null : overNothing(limited.offset());
        double cost = input.cost() + input.node().rows() * Costs.SORTED;
        return new Planned(
                new PlanNode.Sort(input.node(), order, most, skipped),
                cost,
                want.order().equals(sorted.order()));
    }

    private @Nullable Scalar overNothing(@Nullable Scalar scalar) {
        return scalar == null ? null : Constants.fold(over(List.of(), scalar));
    }

    private Planned distinct(Relation.Distinct distinct, Want want) {
        Want all =
                Want.all(distinct.fields())
                        .where(want.conditions())
                        .ordered(want.order(), want.limit());
        Planned input = plan(distinct.input(), all);
        PlanNode exact = arranged(input.node(), distinct.fields());
        double rows = Math.max(1, input.node().rows() / 2);
        return new Planned(
                new PlanNode.Distinct(exact, rows),
                input.cost() + input.node().rows() * Costs.HASHED,
                input.isOrdered());
    }

    private Planned limited(Relation.Limited limited, Want want) {
        Want unlimited = want.with(want.conditions()).onlyWhere(List.of()).unordered();
        Planned input =
                limited.input() instanceof Relation.Sorted sorted
                        ? sorted(sorted, unlimited, limited)
                        : plan(limited.input(), unlimited);
        double rows = Math.min(input.node().rows(), wholeLimit(limited));
        PlanNode node =
                new PlanNode.Limit(
                        input.node(),
                        overNothing(limited.limit()),
                        overNothing(limited.offset()),
                        rows);
        boolean isOrdered =
                limited.input() instanceof Relation.Sorted sorted
                        && sorted.order().equals(want.order());
        return filtered(new Planned(node, input.cost(), isOrdered), want.conditions());
    }

    /// How many rows a limit needs from below; a guess where it is not a constant.
    private static double wholeLimit(Relation.Limited limited) {
        return rowsOf(limited.limit(), Double.POSITIVE_INFINITY) + rowsOf(limited.offset(), 0);
    }

    private static double rowsOf(@Nullable Scalar count, double none) {
        if (count == null) {
            return none;
        }
        if (Constants.fold(count) instanceof ConstantScalar constant) {
            return constant.value() instanceof Long rows ? Math.max(0, rows) : none;
        }
        return Costs.ROWS_OF_VALUE;
    }

    private Planned combined(Relation.Combined combined, Want want) {
        Planned left = side(combined, combined.left(), want.conditions());
        Planned right = side(combined, combined.right(), want.conditions());
        double rows =
                switch (combined.operator()) {
                    case UNION -> left.node().rows() + right.node().rows();
                    case EXCEPT -> left.node().rows();
                    case INTERSECT -> Math.min(left.node().rows(), right.node().rows());
                };
        return new Planned(
                new PlanNode.SetOperation(
                        combined.operator(),
                        combined.isAll(),
                        left.node(),
                        right.node(),
                        combined.fields(),
                        rows),
                left.cost() + right.cost() + rows * Costs.HASHED);
    }

    /// One side of a set operation; conditions on the whole hold for both sides as well.
    private Planned side(Relation.Combined combined, Relation side, List<Scalar> conditions) {
        List<Scalar> columns = new ArrayList<>();
        side.fields().forEach(field -> columns.add(field.scalar()));
        Relation.Projected renamed = new Relation.Projected(side, columns, combined.fields());
        List<Scalar> own = new ArrayList<>();
        conditions.forEach(condition -> own.add(substituted(condition, renamed)));
        Planned planned = plan(side, Want.all(side.fields()).where(own));
        return new Planned(arranged(planned.node(), side.fields()), planned.cost());
    }

    /// Conditions on the whole don't hold for the rows that others are made of.
    private Planned recursive(Relation.Recursive recursive, Want want) {
        PlanNode base = plan(recursive.base());
        PlanNode step = plan(recursive.step());
        double rows = base.rows() * Costs.STEPS_OF_RECURSION;
        return filtered(
                new Planned(
                        new PlanNode.Recursion(
                                recursive.recursion(),
                                recursive.isAll(),
                                base,
                                step,
                                recursive.fields(),
                                rows),
                        rows * Costs.HASHED),
                want.conditions());
    }

    private Planned workTable(Relation.WorkTable work, Want want) {
        PlanNode node =
                new PlanNode.WorkTable(work.recursion(), work.fields(), Costs.ROWS_OF_VALUE);
        return filtered(new Planned(node, Costs.ROWS_OF_VALUE), want.conditions());
    }

    private Planned locked(Relation.Locked locked, Want want) {
        Set<Integer> fields = new LinkedHashSet<>(want.with(want.conditions()).fields());
        List<List<Field>> keys = new ArrayList<>();
        for (Relation.Base base : locked.tables()) {
            List<Field> key = new ArrayList<>();
            for (int column : base.table().primaryKey()) {
                key.add(base.fields().get(column));
                fields.add(base.fields().get(column).id());
            }
            keys.add(key);
        }
        Planned input =
                plan(
                        locked.input(),
                        new Want(List.of(), fields, List.of(), Double.POSITIVE_INFINITY));
        List<PlanNode.LockedKey> places = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            List<Integer> at = new ArrayList<>();
            keys.get(i).forEach(field -> at.add(place(input.node().fields(), field.id())));
            places.add(new PlanNode.LockedKey(locked.tables().get(i).table(), at));
        }
        PlanNode node = new PlanNode.LockRows(input.node(), places);
        return filtered(new Planned(node, input.cost()), want.conditions());
    }
}

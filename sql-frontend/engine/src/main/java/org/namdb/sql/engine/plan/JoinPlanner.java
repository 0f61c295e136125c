package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Conditions;
import org.namdb.sql.engine.bind.Field;
import org.namdb.sql.engine.bind.JoinKind;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.engine.expression.Scalar;

/// Plans joins. Inner joins are taken apart and put together again: first what gives the fewest
/// rows, then whatever is cheapest to join to it, equal keys before all pairs. Outer joins stay
/// where they were written.
final class JoinPlanner {
    private final RelationPlanner planner;
    private final JoinChooser chooser;

    JoinPlanner(RelationPlanner planner) {
        this.planner = planner;
        this.chooser = new JoinChooser(planner);
    }

    Planned plan(Relation relation, Want want) {
        FlatJoin flat = FlatJoin.of(relation, want.conditions());
        Planned joined;
        if (flat.inputs().size() == 1) {
            joined = single(flat, want);
        } else {
            joined = inner(flat, want);
        }
        for (FlatJoin.Half half : flat.halves()) {
            joined = half(joined, half);
        }
        Planned fromSubquery = fromSubquery(flat, want);
        return fromSubquery != null && fromSubquery.cost() < joined.cost() ? fromSubquery : joined;
    }

    /// A table whose rows must be among a subquery's, found by the subquery's rows:
    /// `id IN (SELECT ..)` of a large table. Null if that can't be.
    private @Nullable Planned fromSubquery(FlatJoin flat, Want want) {
        if (flat.inputs().size() != 1
                || flat.halves().size() != 1
                || flat.halves().getFirst().kind() != JoinKind.SEMI
                || !(flat.inputs().getFirst() instanceof Relation.Base base)) {
            return null;
        }
        FlatJoin.Half half = flat.halves().getFirst();
        Set<Integer> ids = Uses.ids(base.fields());
        List<Field> fields = matchedFields(half, ids);
        if (fields == null || flat.conditions().stream().anyMatch(c -> !Uses.only(c, ids))) {
            return null;
        }
        List<Scalar> columns = new ArrayList<>();
        fields.forEach(field -> columns.add(field.scalar()));
        Relation once =
                new Relation.Distinct(new Relation.Projected(half.right(), columns, fields));
        Planned outer = planner.plan(once, Want.all(fields));
        Want wanted = want.onlyWhere(List.of()).with(flat.conditions()).unordered();
        Candidate candidate = new Candidate(base, ids, flat.conditions(), outer, wanted);
        return chooser.byIndex(outer, JoinKind.INNER, candidate, half.conditions());
    }

    /// The columns of a subquery that are compared for equality with expressions of the table; null
    /// if there are other conditions.
    private static @Nullable List<Field> matchedFields(FlatJoin.Half half, Set<Integer> ids) {
        List<Field> fields = new ArrayList<>();
        for (Scalar condition : half.conditions()) {
            Restrictions.Pair pair = Restrictions.equality(condition);
            if (pair == null) {
                return null;
            }
            boolean isLeft = Uses.only(pair.left(), ids);
            Scalar inner = isLeft ? pair.right() : pair.left();
            Field field = inner instanceof ColumnScalar column ? find(half, column) : null;
            if (field == null || !Uses.only(isLeft ? pair.left() : pair.right(), ids)) {
                return null;
            }
            fields.add(field);
        }
        return fields.isEmpty() ? null : fields;
    }

    private static @Nullable Field find(FlatJoin.Half half, ColumnScalar column) {
        for (Field field : half.right().fields()) {
            if (field.id() == column.index()) {
                return field;
            }
        }
        return null;
    }

    /// One input, with its conditions and order.
    private Planned single(FlatJoin flat, Want want) {
        Relation input = flat.inputs().getFirst();
        Want wanted = want.onlyWhere(flat.conditions()).with(flat.halfConditions());
        return input instanceof Relation.Joined outer
                ? outer(outer, wanted)
                : planner.plan(input, wanted);
    }

    private Planned inner(FlatJoin flat, Want want) {
        List<Scalar> conditions = EqualColumns.withDerived(flat.conditions());
        Set<Scalar> open = new HashSet<>();
        List<Candidate> candidates = new ArrayList<>();
        Want all = want.onlyWhere(List.of()).unordered().with(conditions);
        all = all.with(flat.halfConditions());
        List<Scalar> rest = new ArrayList<>(conditions);
        for (Relation input : flat.inputs()) {
            Set<Integer> ids = Uses.ids(input.fields());
            List<Scalar> own = new ArrayList<>();
            for (Scalar condition : conditions) {
                boolean isOwn =
                        Uses.only(condition, ids)
                                && !Constants.isVolatile(condition)
                                && open.add(condition);
                if (isOwn) {
                    own.add(condition);
                    rest.remove(condition);
                }
            }
            Planned alone = planner.plan(input, all.where(own));
            candidates.add(new Candidate(input, ids, own, alone, all));
        }
        return joined(candidates, rest);
    }

    /// One of the inputs of a join.
    ///
    /// @param own the conditions on it alone
    /// @param alone how it is planned by itself
    record Candidate(
            Relation relation, Set<Integer> ids, List<Scalar> own, Planned alone, Want want) {}

    private Planned joined(List<Candidate> candidates, List<Scalar> conditions) {
        List<Candidate> left = new ArrayList<>(candidates);
        List<Scalar> rest = new ArrayList<>(conditions);
        Candidate first = left.getFirst();
        for (Candidate candidate : left) {
            if (candidate.alone().node().rows() < first.alone().node().rows()) {
                first = candidate;
            }
        }
        left.remove(first);
        Planned current = first.alone();
        Set<Integer> known = new HashSet<>(first.ids());
        while (!left.isEmpty()) {
            Step best = null;
            for (Candidate candidate : left) {
                Step step = step(current, known, candidate, rest);
                if (best == null || step.isBefore(best)) {
                    best = step;
                }
            }
            if (best != null) {
                current = best.planned();
                known.addAll(best.candidate().ids());
                left.remove(best.candidate());
                rest.removeAll(best.conditions());
            }
        }
        return planner.filtered(current, rest);
    }

    /// What it is to join one more input.
    private record Step(Candidate candidate, Planned planned, List<Scalar> conditions) {
        boolean isBefore(Step other) {
            if (conditions.isEmpty() != other.conditions.isEmpty()) {
                return !conditions.isEmpty();
            }
            double own = planned.cost() + planned.node().rows();
            return own < other.planned.cost() + other.planned.node().rows();
        }
    }

    private Step step(Planned current, Set<Integer> known, Candidate candidate, List<Scalar> rest) {
        Set<Integer> both = new HashSet<>(known);
        both.addAll(candidate.ids());
        List<Scalar> conditions =
                rest.stream().filter(c -> Uses.only(c, both) && !Constants.isVolatile(c)).toList();
        Planned planned = chooser.join(current, JoinKind.INNER, candidate, conditions);
        return new Step(candidate, planned, conditions);
    }

    private Planned outer(Relation.Joined join, Want want) {
        return join.kind() == JoinKind.FULL ? full(join, want) : left(join, want);
    }

    private Planned left(Relation.Joined join, Want want) {
        Set<Integer> leftIds = Uses.ids(join.left().fields());
        Set<Integer> rightIds = Uses.ids(join.right().fields());
        List<Scalar> below = new ArrayList<>();
        List<Scalar> above = new ArrayList<>();
        for (Scalar condition : want.conditions()) {
            boolean sinks = Uses.only(condition, leftIds) && !Constants.isVolatile(condition);
            (sinks ? below : above).add(condition);
        }
        List<Scalar> own = new ArrayList<>();
        List<Scalar> both = new ArrayList<>();
        for (Scalar condition : FlatJoin.terms(join.condition())) {
            boolean sinks = Uses.only(condition, rightIds) && !Constants.isVolatile(condition);
            (sinks ? own : both).add(condition);
        }
        Want all = want.with(above).with(both).onlyWhere(List.of());
        boolean keepsOrder =
                want.order().stream().allMatch(part -> Uses.only(part.value(), leftIds))
                        && above.isEmpty();
        Planned left = planner.plan(join.left(), (keepsOrder ? all : all.unordered()).where(below));
        Planned alone = planner.plan(join.right(), all.unordered().where(own));
        Candidate right =
                new Candidate(join.right(), rightIds, own, alone, all.with(own).unordered());
        Planned joined = chooser.join(left, JoinKind.LEFT, right, both);
        boolean isOrdered = keepsOrder && left.isOrdered();
        return planner.filtered(new Planned(joined.node(), joined.cost(), isOrdered), above);
    }

    /// The right side is planned once, for arguments that are not known yet.
    Planned lateral(Relation.Lateral join, Want want) {
        Set<Integer> leftIds = Uses.ids(join.left().fields());
        Set<Integer> rightIds = Uses.ids(join.right().fields());
        boolean isInner = join.kind() == JoinKind.INNER;
        List<Scalar> onLeft = new ArrayList<>();
        List<Scalar> onRight = new ArrayList<>();
        List<Scalar> onBoth = new ArrayList<>();
        List<Scalar> above = new ArrayList<>();
        for (Scalar condition : want.conditions()) {
            boolean sinks = Uses.only(condition, leftIds) && !Constants.isVolatile(condition);
            (sinks ? onLeft : isInner ? onBoth : above).add(condition);
        }
        onBoth.addAll(FlatJoin.terms(join.condition()));
        onBoth.removeIf(ConstantScalar.TRUE::equals); // ON true
        for (Scalar condition : List.copyOf(onBoth)) {
            // To the right side, an outer column is one of the arguments.
            boolean sinks =
                    Uses.only(condition, rightIds)
                            && !Constants.isVolatile(condition)
                            && !OuterUses.in(condition);
            if (sinks) {
                onRight.add(condition);
                onBoth.remove(condition);
            }
        }
        Want all = want.with(above).with(onBoth).with(join.arguments()).onlyWhere(List.of());
        boolean keepsOrder =
                want.order().stream().allMatch(part -> Uses.only(part.value(), leftIds));
        Planned left =
                planner.plan(join.left(), (keepsOrder ? all : all.unordered()).where(onLeft));
        Planned right = planner.plan(join.right(), all.unordered().where(onRight));
        List<Field> fields = new ArrayList<>(left.node().fields());
        List<Scalar> arguments = planner.over(fields, join.arguments());
        fields.addAll(right.node().fields());
        Scalar condition = Conditions.andOrNull(planner.over(fields, onBoth));
        double rows = left.node().rows() * Math.max(1, right.node().rows());
        PlanNode node =
                new PlanNode.Lateral(
                        left.node(), right.node(), join.kind(), arguments, condition, rows);
        double cost = left.cost() + left.node().rows() * right.cost();
        boolean isOrdered = keepsOrder && left.isOrdered();
        return planner.filtered(new Planned(node, cost, isOrdered), above);
    }

    private Planned full(Relation.Joined join, Want want) {
        List<Scalar> conditions = FlatJoin.terms(join.condition());
        Want all = want.with(want.conditions()).with(conditions).onlyWhere(List.of()).unordered();
        Planned left = planner.plan(join.left(), all);
        Candidate right =
                new Candidate(
                        join.right(),
                        Uses.ids(join.right().fields()),
                        List.of(),
                        planner.plan(join.right(), all),
                        all);
        return planner.filtered(
                chooser.join(left, JoinKind.FULL, right, conditions), want.conditions());
    }

    /// The rows for which a subquery has, or has not, a partner.
    @SuppressWarnings("ReferenceEquality") // whether the relation was taken apart
    private Planned half(Planned left, FlatJoin.Half half) {
        Set<Integer> rightIds = Uses.ids(half.right().fields());
        List<Scalar> own = new ArrayList<>();
        List<Scalar> both = new ArrayList<>();
        for (Scalar condition : half.conditions()) {
            boolean sinks = half.kind() != JoinKind.NOT_IN && Uses.only(condition, rightIds);
            (sinks ? own : both).add(condition);
        }
        FlatJoin flat = FlatJoin.of(half.right(), own);
        Relation right =
                flat.inputs().size() == 1 && flat.halves().isEmpty()
                        ? flat.inputs().getFirst()
                        : half.right();
        List<Scalar> onRight = right == half.right() ? own : flat.conditions();
        Want all = Want.uses(half.conditions()).with(onRight);
        Planned alone = planner.plan(right, all.where(onRight));
        Candidate candidate = new Candidate(right, rightIds, onRight, alone, all);
        Planned joined = chooser.join(left, half.kind(), candidate, both);
        return new Planned(joined.node(), joined.cost(), left.isOrdered());
    }
}

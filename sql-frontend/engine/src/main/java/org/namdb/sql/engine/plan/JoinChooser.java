package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Field;
import org.namdb.sql.engine.bind.JoinKind;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.engine.expression.Scalar;

/// Chooses how two inputs are joined: by keys or an index of the second, by a hash table, or by
/// comparing all pairs.
final class JoinChooser {
    private static final double BATCH = 64;

    private final RelationPlanner planner;

    JoinChooser(RelationPlanner planner) {
        this.planner = planner;
    }

    /// The cheapest join.
    ///
    /// @param conditions on both inputs
    Planned join(
            Planned left, JoinKind kind, JoinPlanner.Candidate right, List<Scalar> conditions) {
        Planned byIndex = byIndex(left, kind, right, conditions);
        Planned byHash = byHash(left, kind, right, conditions);
        if (byIndex != null && (byHash == null || byIndex.cost() <= byHash.cost())) {
            return byIndex;
        }
        return byHash != null ? byHash : byPairs(left, kind, right, conditions);
    }

    /// The join by keys or an index of the second input; null if there is none.
    @Nullable Planned byIndex(
            Planned left, JoinKind kind, JoinPlanner.Candidate right, List<Scalar> conditions) {
        if (kind == JoinKind.FULL
                || kind == JoinKind.NOT_IN
                || !(right.relation() instanceof Relation.Base base)) {
            return null;
        }
        Set<Integer> known = Uses.ids(left.node().fields());
        List<Scalar> all = new ArrayList<>(right.own());
        all.addAll(conditions);
        AccessChooser chooser =
                new AccessChooser(
                        base,
                        all,
                        scalar -> Uses.only(scalar, known) && !Constants.isVolatile(scalar),
                        right.want().unordered(),
                        planner.estimates());
        AccessChooser.Choice choice = chooser.best();
        if (choice == null || !dependsOn(choice.path())) {
            return null;
        }
        List<Scalar> rest = chooser.left(choice);
        TableShape shape = RelationPlanner.shape(base, right.want().fields(), rest, choice);
        List<Field> outer = left.node().fields();
        List<Field> both = new ArrayList<>(outer);
        both.addAll(shape.fields());
        double found = choice.rows() * estimates().part(rest);
        double rows = Math.max(1, rows(kind, left.node().rows(), found));
        PlanNode node =
                new PlanNode.IndexJoin(
                        left.node(),
                        kind,
                        shape,
                        Paths.map(choice.path(), key -> planner.over(outer, key)),
                        planner.allOver(both, rest),
                        rows);
        return new Planned(node, left.cost() + cost(choice, left.node().rows()));
    }

    /// Keys of many tuples are looked up in one round trip, where that is possible.
    private static double cost(AccessChooser.Choice choice, double tuples) {
        boolean isBatched =
                switch (choice.path()) {
                    case AccessPath.ByKey _, AccessPath.ByUnique _ -> true;
                    case AccessPath.Scan _,
                            AccessPath.ByNeighbours _,
                            AccessPath.ByHash _,
                            AccessPath.ByRange _ ->
                            false;
                };
        double trip = isBatched ? Costs.ROUND_TRIP - Costs.ROUND_TRIP / BATCH : 0;
        return tuples * Math.max(Costs.READ, choice.cost() - trip);
    }

    private static double rows(JoinKind kind, double left, double found) {
        return switch (kind) {
            case INNER -> left * found;
            case LEFT, FULL -> left * Math.max(1, found);
            case SEMI, ANTI, NOT_IN -> left / 2;
        };
    }

    /// Whether a path's keys come from other tuples, and not from constants alone.
    private static boolean dependsOn(AccessPath path) {
        Set<Integer> used = new HashSet<>();
        AccessPath _ =
                Paths.map(
                        path,
                        key -> {
                            Uses.collect(key, used);
                            return key;
                        });
        return !used.isEmpty();
    }

    private @Nullable Planned byHash(
            Planned left, JoinKind kind, JoinPlanner.Candidate right, List<Scalar> conditions) {
        PlanNode probe = left.node();
        PlanNode build = right.alone().node();
        boolean swaps = kind == JoinKind.INNER && probe.rows() < build.rows();
        HashKeys keys = HashKeys.of(probe.fields(), build.fields(), conditions);
        if (keys.pairs().isEmpty() || kind == JoinKind.NOT_IN && !keys.isOnlyOne()) {
            return null;
        }
        double pairs = probe.rows() * build.rows();
        double matches = pairs / Math.max(1, values(keys, probe.rows(), build.rows()));
        double rows =
                kind == JoinKind.INNER
                        ? matches * estimates().part(keys.rest())
                        : rows(kind, probe.rows(), matches / probe.rows());
        double cost =
                left.cost()
                        + right.alone().cost()
                        + (probe.rows() + build.rows() + Math.min(probe.rows(), build.rows()))
                                * Costs.HASHED;
        PlanNode first = swaps ? build : probe;
        PlanNode second = swaps ? probe : build;
        List<Field> both = new ArrayList<>(first.fields());
        both.addAll(second.fields());
        List<PlanNode.JoinKey> joinKeys = new ArrayList<>();
        for (Restrictions.Pair pair : keys.pairs()) {
            Scalar ofFirst = swaps ? pair.right() : pair.left();
            Scalar ofSecond = swaps ? pair.left() : pair.right();
            joinKeys.add(
                    new PlanNode.JoinKey(
                            planner.over(first.fields(), ofFirst),
                            planner.over(second.fields(), ofSecond),
                            pair.order()));
        }
        return new Planned(
                new PlanNode.HashJoin(
                        first,
                        second,
                        kind,
                        joinKeys,
                        planner.allOver(both, keys.rest()),
                        Math.max(1, rows)),
                cost);
    }

    private Estimates estimates() {
        return planner.estimates();
    }

    /// How many different keys the input has that has more of them: each key of the other is taken
    /// to be among them.
    private double values(HashKeys keys, double leftRows, double rightRows) {
        double values = 1;
        for (Restrictions.Pair pair : keys.pairs()) {
            double left = estimates().distinct(pair.left());
            double right = estimates().distinct(pair.right());
            if (left < 0 && right < 0) {
                return Math.max(leftRows, rightRows);
            }
            values *= Math.max(left, right);
        }
        return Math.min(values, Math.max(leftRows, rightRows));
    }

    private Planned byPairs(
            Planned left, JoinKind kind, JoinPlanner.Candidate right, List<Scalar> conditions) {
        // The second input is kept in memory: the smaller one, where the order is free.
        boolean swaps = kind == JoinKind.INNER && left.node().rows() < right.alone().node().rows();
        PlanNode outer = swaps ? right.alone().node() : left.node();
        PlanNode inner = swaps ? left.node() : right.alone().node();
        List<Field> both = new ArrayList<>(outer.fields());
        both.addAll(inner.fields());
        double pairs = outer.rows() * inner.rows();
        double rows = rows(kind, outer.rows(), inner.rows() * estimates().part(conditions));
        return new Planned(
                new PlanNode.NestedLoop(
                        outer, inner, kind, planner.allOver(both, conditions), Math.max(1, rows)),
                left.cost() + right.alone().cost() + pairs * Costs.PAIRED);
    }

    /// The columns that must be equal, left ones first, and what else is required.
    private record HashKeys(List<Restrictions.Pair> pairs, List<Scalar> rest) {
        static HashKeys of(
                List<Field> leftFields, List<Field> rightFields, List<Scalar> conditions) {
            Set<Integer> leftIds = Uses.ids(leftFields);
            Set<Integer> rightIds = Uses.ids(rightFields);
            HashKeys keys = new HashKeys(new ArrayList<>(), new ArrayList<>());
            for (Scalar condition : conditions) {
                Restrictions.Pair pair = Restrictions.equality(condition);
                if (pair == null || Constants.isVolatile(condition)) {
                    keys.rest.add(condition);
                } else if (isOn(pair.left(), leftIds) && isOn(pair.right(), rightIds)) {
                    keys.pairs.add(pair);
                } else if (isOn(pair.left(), rightIds) && isOn(pair.right(), leftIds)) {
                    keys.pairs.add(pair.swapped());
                } else {
                    keys.rest.add(condition);
                }
            }
            return keys;
        }

        private static boolean isOn(Scalar scalar, Set<Integer> ids) {
            Set<Integer> used = Uses.of(scalar);
            return !used.isEmpty() && ids.containsAll(used);
        }

        boolean isOnlyOne() {
            return pairs.size() == 1 && rest.isEmpty();
        }
    }
}

package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.bind.Rewrite;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Scalar;

/// The expressions of an operator.
public final class PlanScalars {
    private PlanScalars() {}

    /// The plans of the subqueries in an operator's expressions.
    public static List<PlannedSubquery> subqueries(PlanNode node) {
        List<PlannedSubquery> found = new ArrayList<>();
        for (Scalar scalar : of(node)) {
            Rewrite.visit(
                    scalar,
                    part -> {
                        if (part instanceof PlannedSubquery subquery && !found.contains(subquery)) {
                            found.add(subquery);
                        }
                    });
        }
        return found;
    }

    /// Whether any of some expressions has a subquery.
    public static boolean haveSubquery(List<Scalar> scalars) {
        boolean[] found = new boolean[1];
        for (Scalar scalar : scalars) {
            Rewrite.visit(scalar, part -> found[0] |= part instanceof PlannedSubquery);
        }
        return found[0];
    }

    /// Whether any of some expressions reads one of the first columns of their tuples.
    ///
    /// @param count how many columns
    public static boolean readFirst(List<Scalar> scalars, int count) {
        boolean[] found = new boolean[1];
        for (Scalar scalar : scalars) {
            Rewrite.visit(
                    scalar,
                    part ->
                            found[0] |=
                                    part instanceof ColumnScalar column && column.index() < count);
        }
        return found[0];
    }

    private static List<Scalar> of(PlanNode node) {
        List<Scalar> all = new ArrayList<>();
        switch (node) {
            case PlanNode.TableRead read -> {
                addPath(all, read.path());
                add(all, read.filter());
            }
            case PlanNode.IndexJoin join -> {
                addPath(all, join.path());
                add(all, join.condition());
            }
            case PlanNode.HashJoin join -> {
                for (PlanNode.JoinKey key : join.keys()) {
                    all.add(key.probe());
                    all.add(key.build());
                }
                add(all, join.condition());
            }
            case PlanNode.NestedLoop loop -> add(all, loop.condition());
            case PlanNode.Lateral lateral -> {
                all.addAll(lateral.arguments());
                add(all, lateral.condition());
            }
            case PlanNode.Filter filter -> all.add(filter.condition());
            case PlanNode.Project project -> all.addAll(project.values());
            case PlanNode.Aggregation groups -> {
                all.addAll(groups.keys());
                all.addAll(groups.calls());
            }
            case PlanNode.Window window -> {
                all.addAll(window.partition());
                all.addAll(window.calls());
            }
            case PlanNode.Sort sort -> {
                sort.order().stream().map(Relation.Ordering::value).forEach(all::add);
                add(all, sort.limit());
                add(all, sort.offset());
            }
            case PlanNode.Limit limit -> {
                add(all, limit.limit());
                add(all, limit.offset());
            }
            case PlanNode.Values values -> values.tuples().forEach(all::addAll);
            case PlanNode.Generate generate -> all.addAll(generate.function().scalars());
            case PlanNode.Distinct _,
                    PlanNode.SetOperation _,
                    PlanNode.Recursion _,
                    PlanNode.WorkTable _,
                    PlanNode.LockRows _ -> {}
        }
        return all;
    }

    private static void addPath(List<Scalar> all, AccessPath path) {
        AccessPath _ =
                Paths.map(
                        path,
                        scalar -> {
                            all.add(scalar);
                            return scalar;
                        });
    }

    private static void add(List<Scalar> all, @Nullable Scalar scalar) {
        if (scalar != null) {
            all.add(scalar);
        }
    }
}

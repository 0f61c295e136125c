package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Conditions;
import org.namdb.sql.engine.bind.JoinKind;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.expression.Scalar;

/// Inner joins and filters taken apart: the inputs, which may be outer joins, and the conditions.
///
/// @param inputs what is joined
/// @param conditions what must hold for the joined rows
/// @param halves subqueries that must, or must not, have a partner for a row
record FlatJoin(List<Relation> inputs, List<Scalar> conditions, List<Half> halves) {

    /// A subquery as a join.
    ///
    /// @param kind SEMI, ANTI or NOT_IN
    /// @param conditions that make a row a partner
    record Half(JoinKind kind, Relation right, List<Scalar> conditions) {}

    static FlatJoin of(Relation relation, List<Scalar> conditions) {
        FlatJoin flat = new FlatJoin(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        conditions.forEach(flat::addCondition);
        flat.add(relation);
        return flat;
    }

    static List<Scalar> terms(@Nullable Scalar condition) {
        return Conditions.terms(condition);
    }

    /// All conditions of the halves.
    List<Scalar> halfConditions() {
        return halves.stream().flatMap(half -> half.conditions().stream()).toList();
    }

    private void add(Relation relation) {
        switch (relation) {
            case Relation.Filtered filtered -> {
                terms(filtered.condition()).forEach(this::addCondition);
                add(filtered.input());
            }
            case Relation.Joined joined -> {
                boolean isInner =
                        joined.kind() == JoinKind.INNER
                                || joined.kind() == JoinKind.LEFT
                                        && rejectsNulls(Uses.ids(joined.right().fields()));
                if (isInner) {
                    terms(joined.condition()).forEach(this::addCondition);
                    add(joined.left());
                    add(joined.right());
                } else {
                    inputs.add(joined);
                }
            }
            case Relation.Lateral _,
                    Relation.Base _,
                    Relation.Rows _,
                    Relation.Generated _,
                    Relation.Projected _,
                    Relation.Grouped _,
                    Relation.Windowed _,
                    Relation.Sorted _,
                    Relation.Distinct _,
                    Relation.Limited _,
                    Relation.Combined _,
                    Relation.Recursive _,
                    Relation.WorkTable _,
                    Relation.Locked _ ->
                    inputs.add(relation);
        }
    }

    private void addCondition(Scalar condition) {
        Half half = Decorrelation.of(condition);
        if (half == null) {
            conditions.add(condition);
        } else {
            halves.add(half);
        }
    }

    /// Whether the conditions can't be true for a row that an outer join has filled up with NULLs.
    private boolean rejectsNulls(Set<Integer> ids) {
        return conditions.stream().anyMatch(c -> Restrictions.rejectsNulls(c, ids));
    }
}

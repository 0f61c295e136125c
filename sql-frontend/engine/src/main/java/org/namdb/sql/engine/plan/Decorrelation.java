package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BoundSubquery;
import org.namdb.sql.engine.bind.Conditions;
import org.namdb.sql.engine.bind.JoinKind;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.bind.Rewrite;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.engine.expression.OuterColumnScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.condition.Negation;
import org.namdb.sql.engine.expression.operator.Operators;

/// Turns [NOT] EXISTS and [NOT] IN into joins, where the subquery depends on the query around it by
/// conditions alone.
final class Decorrelation {
    private Decorrelation() {}

    /// The join that replaces a condition; null if there is none.
    static FlatJoin.@Nullable Half of(Scalar condition) {
        boolean isNegated = condition instanceof Negation;
        Scalar inner = condition instanceof Negation not ? not.operand() : condition;
        if (!(inner instanceof BoundSubquery subquery)) {
            return null;
        }
        return switch (subquery.form()) {
            case VALUE, ROW -> null;
            // Without arguments it runs once, and is true or false for all rows.
            case EXISTS -> subquery.arguments().isEmpty() ? null : exists(subquery, isNegated);
            case IN -> in(subquery, isNegated);
        };
    }

    private static FlatJoin.@Nullable Half exists(BoundSubquery subquery, boolean isNegated) {
        Relation body = withoutColumns(subquery.relation());
        List<Scalar> conditions = new ArrayList<>();
        Relation rest = withoutConditions(body, subquery, conditions);
        if (OuterUses.in(rest)) {
            return null;
        }
        return new FlatJoin.Half(isNegated ? JoinKind.ANTI : JoinKind.SEMI, rest, conditions);
    }

    private static FlatJoin.@Nullable Half in(BoundSubquery subquery, boolean isNegated) {
        Relation relation = subquery.relation();
        while (relation instanceof Relation.Distinct distinct) {
            relation = distinct.input();
        }
        boolean isSimple = !subquery.arguments().isEmpty() && !isNegated;
        if (isSimple && relation instanceof Relation.Projected projected) {
            List<Scalar> conditions = new ArrayList<>();
            for (int i = 0; i < subquery.tests().size(); i++) {
                Scalar value = inTermsOfOuter(projected.values().get(i), subquery);
                conditions.add(Operators.binary("=", subquery.tests().get(i), value));
            }
            Relation rest = withoutConditions(projected.input(), subquery, conditions);
            return OuterUses.in(rest) ? null : new FlatJoin.Half(JoinKind.SEMI, rest, conditions);
        }
        if (!subquery.arguments().isEmpty() || isNegated && subquery.tests().size() > 1) {
            return null;
        }
        List<Scalar> conditions = new ArrayList<>();
        for (int i = 0; i < subquery.tests().size(); i++) {
            Scalar field = relation.fields().get(i).scalar();
            conditions.add(Operators.binary("=", subquery.tests().get(i), field));
        }
        if (isNegated && !isHashable(subquery.tests().getFirst(), conditions.getFirst())) {
            return null;
        }
        return new FlatJoin.Half(isNegated ? JoinKind.NOT_IN : JoinKind.SEMI, relation, conditions);
    }

    /// Only a hash join knows that NOT IN is unknown where the subquery has a NULL.
    private static boolean isHashable(Scalar test, Scalar condition) {
        return !Uses.of(test).isEmpty()
                && Restrictions.equality(condition) != null
                && !Constants.isVolatile(condition);
    }

    /// EXISTS needs rows alone: not their values, order or number.
    private static Relation withoutColumns(Relation relation) {
        return switch (relation) {
            case Relation.Projected projected -> withoutColumns(projected.input());
            case Relation.Sorted sorted -> withoutColumns(sorted.input());
            case Relation.Distinct distinct -> withoutColumns(distinct.input());
            case Relation.Base _,
                    Relation.Rows _,
                    Relation.Generated _,
                    Relation.Filtered _,
                    Relation.Joined _,
                    Relation.Lateral _,
                    Relation.Grouped _,
                    Relation.Windowed _,
                    Relation.Limited _,
                    Relation.Combined _,
                    Relation.Recursive _,
                    Relation.WorkTable _,
                    Relation.Locked _ ->
                    relation;
        };
    }

    /// The relation without the conditions on it that use the query around; those go to `found`, as
    /// expressions over that query.
    private static Relation withoutConditions(
            Relation relation, BoundSubquery subquery, List<Scalar> found) {
        if (!(relation instanceof Relation.Filtered filtered)) {
            return relation;
        }
        List<Scalar> own = new ArrayList<>();
        for (Scalar condition : Conditions.terms(filtered.condition())) {
            if (OuterUses.in(condition)) {
                found.add(inTermsOfOuter(condition, subquery));
            } else {
                own.add(condition);
            }
        }
        Relation rest = withoutConditions(filtered.input(), subquery, found);
        Scalar all = Conditions.andOrNull(own);
        return all == null ? rest : new Relation.Filtered(rest, all);
    }

    private static Scalar inTermsOfOuter(Scalar scalar, BoundSubquery subquery) {
        return Rewrite.replace(
                scalar,
                part ->
                        part instanceof OuterColumnScalar outer
                                ? subquery.arguments().get(outer.index())
                                : null);
    }
}

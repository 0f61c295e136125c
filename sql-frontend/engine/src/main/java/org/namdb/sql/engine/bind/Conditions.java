package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.condition.Conjunction;
import org.namdb.sql.engine.expression.condition.Disjunction;
import org.namdb.sql.engine.expression.operator.Logic;

/// Puts conditions together, and takes them apart.
public final class Conditions {
    private Conditions() {}

    /// All of the conditions.
    ///
    /// @param terms at least one
    public static Scalar and(List<Scalar> terms) {
        return terms.size() == 1 ? terms.getFirst() : Logic.and(terms);
    }

    /// One of the conditions.
    ///
    /// @param terms at least one
    public static Scalar or(List<Scalar> terms) {
        return terms.size() == 1 ? terms.getFirst() : Logic.or(terms);
    }

    /// All of the conditions; null if there are none.
    public static @Nullable Scalar andOrNull(List<Scalar> terms) {
        return terms.isEmpty() ? null : and(terms);
    }

    /// The conditions that a condition is made of by AND.
    public static List<Scalar> terms(@Nullable Scalar condition) {
        List<Scalar> terms = new ArrayList<>();
        if (condition != null) {
            addTerms(condition, terms);
        }
        return terms;
    }

    private static void addTerms(Scalar condition, List<Scalar> terms) {
        if (condition instanceof Conjunction) {
            condition.operands().forEach(operand -> addTerms(operand, terms));
        } else {
            terms.add(condition);
        }
    }

    /// The conditions that a condition is made of by OR.
    public static List<Scalar> alternatives(Scalar condition) {
        List<Scalar> alternatives = new ArrayList<>();
        addAlternatives(condition, alternatives);
        return alternatives;
    }

    private static void addAlternatives(Scalar condition, List<Scalar> alternatives) {
        if (condition instanceof Disjunction) {
            condition.operands().forEach(operand -> addAlternatives(operand, alternatives));
        } else {
            alternatives.add(condition);
        }
    }
}

package org.namdb.sql.engine.plan;

import java.util.List;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.condition.Comparison;

/// Guesses which part of the rows meets conditions.
final class Selectivity {
    private Selectivity() {}

    /// From 0 to 1.
    static double of(List<Scalar> conditions) {
        double part = 1;
        for (Scalar condition : conditions) {
            part *= of(condition);
        }
        return part;
    }

    private static double of(Scalar condition) {
        if (!(condition instanceof Comparison comparison)) {
            return Costs.OTHER;
        }
        return switch (comparison.operator()) {
            case EQUAL -> Costs.EQUAL;
            case NOT_EQUAL -> 1 - Costs.EQUAL;
            case LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL -> Costs.RANGE;
        };
    }
}

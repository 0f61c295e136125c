package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.condition.Comparison;
import org.namdb.sql.engine.expression.condition.ComparisonOperator;

/// Derives conditions: of `a = b AND a = 5` that `b = 5`, so that both sides of a join can be
/// restricted.
final class EqualColumns {
    private EqualColumns() {}

    /// The conditions, each once, and those that follow.
    static List<Scalar> withDerived(List<Scalar> conditions) {
        Set<Scalar> all = new LinkedHashSet<>(conditions);
        List<Comparison> pairs = new ArrayList<>();
        for (Scalar condition : conditions) {
            if (condition instanceof Comparison comparison
                    && comparison.operator() == ComparisonOperator.EQUAL
                    && comparison.left() instanceof ColumnScalar
                    && comparison.right() instanceof ColumnScalar) {
                pairs.add(comparison);
                pairs.add(comparison.swapped());
            }
        }
        boolean isMore = !pairs.isEmpty();
        while (isMore) {
            isMore = false;
            for (Scalar condition : List.copyOf(all)) {
                isMore |= addDerived(condition, pairs, all);
            }
        }
        return List.copyOf(all);
    }

    private static boolean addDerived(Scalar condition, List<Comparison> pairs, Set<Scalar> all) {
        if (!(condition instanceof Comparison comparison)
                || !(comparison.left() instanceof ColumnScalar column)
                || !Uses.of(comparison.right()).isEmpty()
                || Uses.hasSubquery(condition)
                || Constants.isVolatile(condition)) {
            return false;
        }
        boolean isNew = false;
        for (Comparison pair : pairs) {
            boolean fits =
                    pair.left().equals(column)
                            && pair.right().type().kind() == column.type().kind()
                            && pair.order() == comparison.order();
            if (fits) {
                isNew |=
                        all.add(comparison.withOperands(List.of(pair.right(), comparison.right())));
            }
        }
        return isNew;
    }
}

package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.operator.Logic;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Comparisons of rows, written out value by value.
final class RowComparison {
    private RowComparison() {}

    /// What an operator of comparison makes of two rows.
    ///
    /// @throws SqlException 42601 if one has more values, 0A000 if it is another operator
    static Scalar of(String operator, List<Scalar> left, List<Scalar> right, Position position) {
        requireSame(left, right, position);
        return switch (operator) {
            case "=" -> Conditions.and(pairwise("=", left, right));
            case "<>" -> Conditions.or(pairwise("<>", left, right));
            case "<", ">", "<=", ">=" -> lexicographic(operator, left, right);
            default ->
                    throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "rows have no operator " + operator,
                            position);
        };
    }

    private static List<Scalar> pairwise(String operator, List<Scalar> left, List<Scalar> right) {
        List<Scalar> terms = new ArrayList<>();
        for (int i = 0; i < left.size(); i++) {
            terms.add(Operators.binary(operator, left.get(i), right.get(i)));
        }
        return terms;
    }

    /// `(a, b) < (c, d)` is `a <= c AND (a < c OR a = c AND b < d)`: the first part is there for
    /// indexes.
    private static Scalar lexicographic(String operator, List<Scalar> left, List<Scalar> right) {
        String strict = operator.substring(0, 1);
        int last = left.size() - 1;
        Scalar result = Operators.binary(operator, left.get(last), right.get(last));
        for (int i = last - 1; i >= 0; i--) {
            Scalar equal = Operators.binary("=", left.get(i), right.get(i));
            Scalar before = Operators.binary(strict, left.get(i), right.get(i));
            result = Conditions.or(List.of(before, Conditions.and(List.of(equal, result))));
        }
        return last == 0
                ? result
                : Conditions.and(
                        List.of(
                                Operators.binary(strict + "=", left.getFirst(), right.getFirst()),
                                result));
    }

    /// `(a, b) IS [NOT] DISTINCT FROM (c, d)`.
    static Scalar isDistinct(
            List<Scalar> left, List<Scalar> right, boolean isNegated, Position position) {
        requireSame(left, right, position);
        List<Scalar> terms = new ArrayList<>();
        for (int i = 0; i < left.size(); i++) {
            terms.add(Logic.isDistinct(left.get(i), right.get(i), isNegated));
        }
        return isNegated ? Conditions.and(terms) : Conditions.or(terms);
    }

    /// `(a, b) [NOT] BETWEEN [SYMMETRIC] (c, d) AND (e, f)`.
    static Scalar between(
            List<Scalar> operand, List<Scalar> low, List<Scalar> high, Expression.Between test) {
        Scalar within = within(operand, low, high, test.position());
        if (test.isSymmetric()) {
            within = Conditions.or(List.of(within, within(operand, high, low, test.position())));
        }
        return test.negated() ? Logic.not(within) : within;
    }

    private static Scalar within(
            List<Scalar> operand, List<Scalar> low, List<Scalar> high, Position position) {
        return Conditions.and(
                List.of(of(">=", operand, low, position), of("<=", operand, high, position)));
    }

    private static void requireSame(List<Scalar> left, List<Scalar> right, Position position) {
        if (left.size() != right.size()) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "unequal number of entries in row expressions",
                    position);
        }
    }
}

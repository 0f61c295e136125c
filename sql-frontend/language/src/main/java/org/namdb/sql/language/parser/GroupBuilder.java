package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlGrammar.GroupItemContext;

/// Writes the groupings of GROUP BY out: `ROLLUP (a, b)` is `GROUPING SETS ((a, b), (a), ())`, and
/// several ones are all their combinations.
final class GroupBuilder {
    private static final int MAX_CUBE_ELEMENTS = 12;
    private static final int MAX_SETS = 4096;

    private final ExpressionBuilder expressions;
    private final List<Expression> keys = new ArrayList<>();
    private boolean isPlain = true;
    private final List<List<Integer>> sets;

    GroupBuilder(ExpressionBuilder expressions, List<GroupItemContext> trees) {
        this.expressions = expressions;
        List<List<Integer>> all = List.of(List.of());
        for (GroupItemContext tree : trees) {
            List<List<Integer>> item = sets(tree);
            refuseMany((long) all.size() * item.size());
            List<List<Integer>> combined = new ArrayList<>();
            for (List<Integer> first : all) {
                for (List<Integer> second : item) {
                    combined.add(joined(first, second));
                }
            }
            all = combined;
        }
        sets = isPlain ? List.of() : all;
    }

    /// All expressions that rows are grouped by.
    List<Expression> keys() {
        return keys;
    }

    /// The numbers of those of each grouping; empty if there is one, by all of them.
    List<List<Integer>> sets() {
        return sets;
    }

    private List<List<Integer>> sets(GroupItemContext tree) {
        return switch (tree) {
            case SqlGrammar.GroupingSetsContext several -> {
                requireWord(several.name(0), "grouping");
                requireWord(several.name(1), "sets");
                isPlain = false;
                List<List<Integer>> all = new ArrayList<>();
                several.groupItem().forEach(item -> all.addAll(sets(item)));
                refuseMany(all.size());
                yield all;
            }
            case SqlGrammar.GroupOfAllContext _ -> {
                isPlain = false;
                yield List.of(List.of());
            }
            case SqlGrammar.GroupKeyContext key -> sets(expressions.expression(key.expression()));
            default -> throw new IllegalStateException("no grouping: " + tree.getClass());
        };
    }

    private static void requireWord(SqlGrammar.NameContext name, String word) {
        if (!Keywords.folded(name.getText()).equals(word)) {
            throw SyntaxErrors.at(name.getStart());
        }
    }

    private List<List<Integer>> sets(Expression expression) {
        if (expression instanceof Expression.Call call && call.function().text().equals("rollup")) {
            return rollup(elements(call));
        }
        if (expression instanceof Expression.Call call && call.function().text().equals("cube")) {
            if (call.arguments().size() > MAX_CUBE_ELEMENTS) {
                throw new SqlException(
                        SqlState.TOO_MANY_COLUMNS,
                        "CUBE is limited to " + MAX_CUBE_ELEMENTS + " elements",
                        call.position());
            }
            return cube(elements(call));
        }
        return List.of(element(expression));
    }

    private List<List<Integer>> elements(Expression.Call call) {
        isPlain = false;
        List<List<Integer>> elements = new ArrayList<>();
        call.arguments().forEach(argument -> elements.add(element(argument)));
        return elements;
    }

    /// The numbers of an expression, or of several in parentheses.
    private List<Integer> element(Expression expression) {
        List<Expression> parts =
                expression instanceof Expression.Row row ? row.values() : List.of(expression);
        List<Integer> numbers = new ArrayList<>();
        for (Expression part : parts) {
            numbers.add(keys.size());
            keys.add(part);
        }
        return numbers;
    }

    private static List<List<Integer>> rollup(List<List<Integer>> elements) {
        List<List<Integer>> sets = new ArrayList<>();
        for (int count = elements.size(); count >= 0; count--) {
            List<Integer> set = List.of();
            for (List<Integer> element : elements.subList(0, count)) {
                set = joined(set, element);
            }
            sets.add(set);
        }
        return sets;
    }

    private static List<List<Integer>> cube(List<List<Integer>> elements) {
        List<List<Integer>> sets = new ArrayList<>();
        for (int subset = (1 << elements.size()) - 1; subset >= 0; subset--) {
            List<Integer> set = List.of();
            for (int i = 0; i < elements.size(); i++) {
                boolean isIn = (subset >> (elements.size() - 1 - i) & 1) != 0;
                set = isIn ? joined(set, elements.get(i)) : set;
            }
            sets.add(set);
        }
        return sets;
    }

    private static List<Integer> joined(List<Integer> first, List<Integer> second) {
        List<Integer> both = new ArrayList<>(first);
        both.addAll(second);
        return both;
    }

    private static void refuseMany(long count) {
        if (count > MAX_SETS) {
            throw new SqlException(
                    SqlState.STATEMENT_TOO_COMPLEX,
                    "too many grouping sets present (maximum " + MAX_SETS + ")");
        }
    }
}

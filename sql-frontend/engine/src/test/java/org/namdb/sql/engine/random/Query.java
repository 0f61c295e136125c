package org.namdb.sql.engine.random;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A SELECT whose clauses can be removed one by one.
///
/// @param union a second SELECT that is added, or null
/// @param ordered whether the rows are ordered by all columns; if not, their order means nothing
/// @param limit `LIMIT` with or without `OFFSET`, only where the rows are ordered; else empty
record Query(Body body, @Nullable Body union, boolean unionAll, boolean ordered, String limit) {
    /// One SELECT.
    ///
    /// @param where null if there is none
    /// @param having null if there is none
    record Body(
            boolean distinct,
            List<Expression> output,
            List<Source> from,
            @Nullable Expression where,
            List<Expression> groupBy,
            @Nullable Expression having) {
        String sql() {
            StringBuilder sql = new StringBuilder(distinct ? "SELECT DISTINCT " : "SELECT ");
            sql.append(list(output));
            for (Source source : from) {
                sql.append(source.sql());
            }
            if (where != null) {
                sql.append(" WHERE ").append(where.sql());
            }
            if (!groupBy.isEmpty()) {
                sql.append(" GROUP BY ").append(list(groupBy));
            }
            if (having != null) {
                sql.append(" HAVING ").append(having.sql());
            }
            return sql.toString();
        }

        Body withOutput(List<Expression> newOutput) {
            return new Body(distinct, newOutput, from, where, groupBy, having);
        }

        Body withWhere(@Nullable Expression newWhere) {
            return new Body(distinct, output, from, newWhere, groupBy, having);
        }

        Body withHaving(@Nullable Expression newHaving) {
            return new Body(distinct, output, from, where, groupBy, newHaving);
        }

        Body withFrom(List<Source> newFrom) {
            return new Body(distinct, output, newFrom, where, groupBy, having);
        }

        List<Body> smaller() {
            List<Body> smaller = new ArrayList<>();
            if (distinct) {
                smaller.add(new Body(false, output, from, where, groupBy, having));
            }
            if (having != null) {
                smaller.add(withHaving(null));
                having.smaller().forEach(less -> smaller.add(withHaving(less)));
            }
            if (where != null) {
                smaller.add(withWhere(null));
                where.smaller().forEach(less -> smaller.add(withWhere(less)));
            }
            if (from.size() > 1) {
                smaller.add(withFrom(from.subList(0, from.size() - 1)));
            }
            for (int i = 0; i < from.size(); i++) {
                Expression on = from.get(i).on();
                for (Expression less : on == null ? List.<Expression>of() : on.smaller()) {
                    smaller.add(withFrom(replaced(from, i, from.get(i).withOn(less))));
                }
            }
            for (int i = 0; i < groupBy.size(); i++) {
                List<Expression> fewer = without(groupBy, i);
                smaller.add(new Body(distinct, output, from, where, fewer, having));
            }
            for (int i = 0; i < output.size(); i++) {
                for (Expression less : output.get(i).smaller()) {
                    smaller.add(withOutput(replaced(output, i, less)));
                }
            }
            return smaller;
        }
    }

    /// A table or a query in FROM.
    ///
    /// @param before what joins it to those before it: ` FROM `, ` LEFT JOIN `, `, `
    /// @param table with its alias
    /// @param on the join's condition, or null
    record Source(String before, String table, @Nullable Expression on) {
        String sql() {
            return before + table + (on == null ? "" : " ON " + on.sql());
        }

        Source withOn(Expression newOn) {
            return new Source(before, table, newOn);
        }
    }

    String sql() {
        StringBuilder sql = new StringBuilder(body.sql());
        if (union != null) {
            sql.append(unionAll ? " UNION ALL " : " UNION ").append(union.sql());
        }
        if (ordered) {
            sql.append(
                    IntStream.rangeClosed(1, body.output().size())
                            .mapToObj(String::valueOf)
                            .collect(Collectors.joining(", ", " ORDER BY ", "")));
        }
        return sql.append(limit).toString();
    }

    /// Queries with less in them, those that lose most first. Some are no valid queries.
    List<Query> smaller() {
        List<Query> smaller = new ArrayList<>();
        if (union != null) {
            smaller.add(new Query(body, null, false, ordered, limit));
            smaller.add(new Query(union, null, false, ordered, limit));
        }
        if (!limit.isEmpty()) {
            smaller.add(new Query(body, union, unionAll, ordered, ""));
        }
        if (ordered && limit.isEmpty()) {
            smaller.add(new Query(body, union, unionAll, false, ""));
        }
        for (int i = 0; body.output().size() > 1 && i < body.output().size(); i++) {
            Body less = body.withOutput(without(body.output(), i));
            Body otherLess = union == null ? null : union.withOutput(without(union.output(), i));
            smaller.add(new Query(less, otherLess, unionAll, ordered, limit));
        }
        for (Body less : body.smaller()) {
            smaller.add(new Query(less, union, unionAll, ordered, limit));
        }
        for (Body less : union == null ? List.<Body>of() : union.smaller()) {
            smaller.add(new Query(body, less, unionAll, ordered, limit));
        }
        return smaller;
    }

    private static String list(List<Expression> expressions) {
        return expressions.stream().map(Expression::sql).collect(Collectors.joining(", "));
    }

    private static <T> List<T> without(List<T> list, int index) {
        List<T> fewer = new ArrayList<>(list);
        fewer.remove(index);
        return List.copyOf(fewer);
    }

    private static <T> List<T> replaced(List<T> list, int index, T element) {
        List<T> changed = new ArrayList<>(list);
        changed.set(index, element);
        return List.copyOf(changed);
    }
}

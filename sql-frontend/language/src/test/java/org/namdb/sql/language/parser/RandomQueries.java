package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;

/// Random queries.
final class RandomQueries {
    private static final Position NONE = Position.NONE;

    private final RandomExpressions expressions;

    RandomQueries(RandomExpressions expressions) {
        this.expressions = expressions;
    }

    Query query(int depth) {
        int d = depth - 1;
        return new Query(
                body(d),
                expressions.list(0, () -> sortKey(d)),
                expressions.maybe(d),
                expressions.maybe(d),
                expressions.random.nextInt(9) == 0,
                NONE);
    }

    private Query operand(int depth) {
        return expressions.flip()
                ? query(depth)
                : new Query(body(depth - 1), List.of(), null, null, false, NONE);
    }

    Query.SortKey sortKey(int depth) {
        return new Query.SortKey(
                expressions.expression(depth),
                expressions.flip(),
                expressions.flip() ? null : Boolean.valueOf(expressions.flip()),
                NONE);
    }

    private Query.Body body(int depth) {
        int d = depth - 1;
        if (depth > 0 && expressions.random.nextInt(4) == 0) {
            return new Query.SetOperation(
                    expressions.one(List.of(Query.SetOperation.Operator.values())),
                    expressions.flip(),
                    operand(d),
                    operand(d),
                    NONE);
        }
        if (expressions.random.nextInt(5) == 0) {
            return new Query.Values(
                    expressions.list(1, () -> expressions.list(1, () -> expressions.expression(d))),
                    NONE);
        }
        List<Expression> distinctOn =
                expressions.flip()
                        ? List.of()
                        : expressions.list(1, () -> expressions.expression(d));
        List<Expression> keys = expressions.list(0, () -> key(d));
        return new Query.Select(
                distinctOn.isEmpty() && expressions.flip(),
                distinctOn,
                expressions.list(1, () -> item(d)),
                sources(d),
                expressions.maybe(d),
                keys,
                expressions.flip() ? List.of() : groupingSets(keys.size()),
                expressions.maybe(d),
                NONE);
    }

    /// A row is several keys.
    private Expression key(int depth) {
        Expression key = expressions.expression(depth);
        return key instanceof Expression.Row ? new Expression.Unary("not", key, NONE) : key;
    }

    /// Sets that have each key once, in order, as they are parsed.
    private List<List<Integer>> groupingSets(int keys) {
        List<List<Integer>> sets = new ArrayList<>();
        int next = 0;
        do {
            int end = Math.min(keys, next + expressions.random.nextInt(3));
            sets.add(IntStream.range(next, end).boxed().toList());
            next = end;
        } while (next < keys);
        return sets;
    }

    List<Query.Source> sources(int depth) {
        return expressions.list(0, () -> source(depth));
    }

    Query.Item item(int depth) {
        return expressions.random.nextInt(4) == 0
                ? new Query.Star(expressions.maybeName(), NONE)
                : new Query.Value(expressions.expression(depth), expressions.maybeName(), NONE);
    }

    private Query.Source source(int depth) {
        int d = depth - 1;
        if (depth > 0 && expressions.random.nextInt(3) == 0) {
            return join(d);
        }
        Name alias = expressions.maybeName();
        List<Name> columns = alias == null ? List.of() : expressions.list(0, expressions::name);
        if (expressions.random.nextInt(8) == 0) {
            return new Query.FunctionSource(
                    expressions.name(),
                    expressions.list(0, () -> expressions.expression(d)),
                    expressions.random.nextBoolean(),
                    alias,
                    columns,
                    NONE);
        }
        return depth > 0 && expressions.random.nextInt(4) == 0
                ? new Query.QuerySource(query(d), expressions.flip(), alias, columns, NONE)
                : new Query.TableSource(expressions.name(), alias, columns, NONE);
    }

    private Query.Join join(int depth) {
        Query.Source left = source(depth);
        Query.Source right = source(depth);
        Query.Join.Kind kind =
                expressions.one(
                        List.of(
                                Query.Join.Kind.INNER,
                                Query.Join.Kind.LEFT,
                                Query.Join.Kind.RIGHT,
                                Query.Join.Kind.FULL));
        return switch (expressions.random.nextInt(4)) {
            case 0 ->
                    new Query.Join(
                            Query.Join.Kind.CROSS, left, right, null, List.of(), false, NONE);
            case 1 -> new Query.Join(kind, left, right, null, List.of(), true, NONE);
            case 2 ->
                    new Query.Join(
                            kind,
                            left,
                            right,
                            null,
                            expressions.list(1, expressions::name),
                            false,
                            NONE);
            default -> {
                Expression on = expressions.expression(depth);
                yield new Query.Join(kind, left, right, on, List.of(), false, NONE);
            }
        };
    }
}

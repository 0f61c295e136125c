package org.namdb.sql.engine.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// Random queries over a schema.
///
/// Most can't fail, because which rows and operands are evaluated, and so which error there is, may
/// differ between databases. One in ten is *risky*: each row's value is needed, and exactly one
/// operation in it may fail.
final class QueryGenerator {
    private static final int DEPTH = 3;

    private final Random random;
    private final RandomSchema schema;
    private int aliases;

    QueryGenerator(Random random, RandomSchema schema) {
        this.random = random;
        this.schema = schema;
    }

    Query next() {
        aliases = 0;
        if (random.nextInt(10) == 0) {
            return risky();
        }
        List<SqlType> types = new ArrayList<>();
        Query.Body body = body(types);
        boolean unites = random.nextInt(5) == 0;
        Query.Body union = unites ? body(types) : null;
        boolean ordered = random.nextInt(3) != 0;
        String limit = ordered && random.nextInt(3) == 0 ? limit() : "";
        return new Query(body, union, random.nextBoolean(), ordered, limit);
    }

    /// @param types the types of the output, chosen here if there are none yet
    private Query.Body body(List<SqlType> types) {
        List<Expression> columns = new ArrayList<>();
        List<Query.Source> from = from(columns);
        Expression where = random.nextInt(3) == 0 ? null : over(columns).condition(DEPTH);
        List<Expression> groupBy = random.nextInt(3) == 0 ? groups(columns) : List.of();
        boolean aggregates = !groupBy.isEmpty() || random.nextInt(10) == 0;
        List<Expression> leaves = aggregates ? withAggregates(groupBy, columns) : columns;
        ExpressionGenerator generator =
                aggregates ? new ExpressionGenerator(random, leaves) : over(columns);
        boolean chooses = types.isEmpty();
        int count = chooses ? 1 + random.nextInt(4) : types.size();
        List<Expression> output = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (chooses) {
                types.add(generator.anyType());
            }
            output.add(generator.expression(types.get(i), DEPTH - 1));
        }
        boolean filters = aggregates && random.nextInt(3) == 0;
        Expression having = filters ? generator.condition(DEPTH - 1) : null;
        boolean distinct = !aggregates && random.nextInt(6) == 0;
        return new Query.Body(distinct, output, from, where, groupBy, having);
    }

    /// One to three sources; their columns are added to those given.
    private List<Query.Source> from(List<Expression> columns) {
        List<Query.Source> from = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        boolean commas = random.nextInt(5) == 0;
        for (int i = 0; i < count; i++) {
            String table = random.nextInt(6) == 0 ? derived(columns) : table(columns);
            if (i == 0) {
                from.add(new Query.Source(" FROM ", table, null));
            } else if (commas) {
                from.add(new Query.Source(", ", table, null));
            } else {
                from.add(join(table, columns));
            }
        }
        return List.copyOf(from);
    }

    private Query.Source join(String table, List<Expression> columns) {
        return switch (random.nextInt(6)) {
            case 0 -> new Query.Source(" CROSS JOIN ", table, null);
            case 1, 2 -> new Query.Source(" LEFT JOIN ", table, on(columns));
            case 3 -> new Query.Source(" RIGHT JOIN ", table, on(columns));
            default -> new Query.Source(" JOIN ", table, on(columns));
        };
    }

    /// Mostly an equality of two columns, sometimes with more.
    private Expression on(List<Expression> columns) {
        Expression right = columns.getLast();
        List<Expression> partners =
                columns.stream().filter(column -> column.type() == right.type()).toList();
        Expression left = partners.get(random.nextInt(partners.size()));
        Expression equality = Expression.of(SqlType.BOOLEAN, "(? = ?)", left, right);
        return switch (random.nextInt(4)) {
            case 0 -> over(columns).condition(2);
            case 1 ->
                    Expression.of(
                            SqlType.BOOLEAN, "(? AND ?)", equality, over(columns).condition(1));
            default -> equality;
        };
    }

    private String table(List<Expression> columns) {
        RandomSchema.Table table = schema.tables().get(random.nextInt(schema.tables().size()));
        String alias = "a" + aliases++;
        columns.addAll(columns(table, alias));
        return table.name() + " AS " + alias;
    }

    private String derived(List<Expression> columns) {
        RandomSchema.Table table = schema.tables().get(random.nextInt(schema.tables().size()));
        String alias = "d" + aliases++;
        List<Expression> inside = columns(table, "i");
        ExpressionGenerator generator = new ExpressionGenerator(random, inside);
        StringBuilder list = new StringBuilder();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            Expression value = generator.expression(generator.anyType(), 2);
            list.append(i == 0 ? "" : ", ").append(value.sql()).append(" AS v").append(i);
            columns.add(Expression.of(value.type(), alias + ".v" + i));
        }
        return "(SELECT %s FROM %s AS i WHERE %s) AS %s"
                .formatted(list, table.name(), generator.condition(2).sql(), alias);
    }

    private static List<Expression> columns(RandomSchema.Table table, String alias) {
        return table.columns().stream()
                .map(column -> Expression.of(column.type(), alias + "." + column.name()))
                .toList();
    }

    private List<Expression> groups(List<Expression> columns) {
        List<Expression> groups = new ArrayList<>();
        int count = 1 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            groups.add(columns.get(random.nextInt(columns.size())));
        }
        return List.copyOf(groups);
    }

    /// What may stand in the output of a query with groups.
    private List<Expression> withAggregates(List<Expression> groups, List<Expression> columns) {
        List<Expression> leaves = new ArrayList<>(groups);
        ExpressionGenerator generator = new ExpressionGenerator(random, columns);
        leaves.add(Expression.of(SqlType.BIGINT, "COUNT(*)"));
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            leaves.add(aggregate(generator));
        }
        if (random.nextInt(3) == 0) {
            leaves.add(withinSubquery(columns, generator));
        }
        return leaves;
    }

    /// An aggregate of this query that is written in a subquery.
    private Expression withinSubquery(List<Expression> columns, ExpressionGenerator generator) {
        RandomSchema.Table table = schema.tables().get(random.nextInt(schema.tables().size()));
        String alias = "s" + aliases++;
        String from = " FROM " + table.name() + " AS " + alias;
        Expression column = columns.get(random.nextInt(columns.size()));
        String distinct = random.nextBoolean() ? "DISTINCT " : "";
        Expression count = Expression.of(SqlType.BIGINT, "COUNT(" + distinct + "?)", column);
        Expression aggregate = aggregate(generator);
        return switch (random.nextInt(4)) {
            case 0 -> Expression.of(aggregate.type(), "(SELECT ?)", aggregate);
            case 1 ->
                    Expression.of(
                            SqlType.BIGINT,
                            "(SELECT COUNT(*)" + from + " WHERE " + alias + ".id <= ?)",
                            count);
            case 2 ->
                    Expression.of(
                            SqlType.BIGINT,
                            "(SELECT MAX(" + alias + ".id) + (SELECT ?)" + from + ")",
                            count);
            default ->
                    Expression.of(
                            SqlType.BIGINT,
                            "(SELECT COUNT(*) FILTER (WHERE EXISTS (SELECT 1 WHERE %1$s.id > 1))%2$s HAVING ? > 0)"
                                    .formatted(alias, from),
                            count);
        };
    }

    private Expression aggregate(ExpressionGenerator generator) {
        SqlType type = generator.anyType();
        Expression any = generator.expression(type, 1);
        String distinct = random.nextInt(4) == 0 ? "DISTINCT " : "";
        Expression number = generator.expression(SqlType.INT, 2);
        return switch (random.nextInt(6)) {
            case 0 -> Expression.of(SqlType.BIGINT, "COUNT(" + distinct + "?)", any);
            case 1 -> Expression.of(SqlType.BIGINT, "SUM(" + distinct + "?)", number);
            case 2 -> Expression.of(SqlType.DECIMAL, "round(AVG(?), 2)", number);
            case 3 ->
                    Expression.of(
                            SqlType.DECIMAL,
                            "SUM(" + distinct + "?)",
                            generator.expression(SqlType.DECIMAL, 2));
            default ->
                    type.hasExtremes()
                            ? Expression.of(type, random.nextBoolean() ? "MIN(?)" : "MAX(?)", any)
                            : Expression.of(SqlType.BIGINT, "COUNT(?)", any);
        };
    }

    /// Expressions in which there may be subqueries.
    private ExpressionGenerator over(List<Expression> columns) {
        return new ExpressionGenerator(random, columns, () -> subquery(columns));
    }

    private Expression subquery(List<Expression> outside) {
        RandomSchema.Table table = schema.tables().get(random.nextInt(schema.tables().size()));
        String alias = "s" + aliases++;
        List<Expression> inside = columns(table, alias);
        List<Expression> both = new ArrayList<>(inside);
        both.addAll(outside);
        Expression where = new ExpressionGenerator(random, both).condition(2);
        Expression column = inside.get(random.nextInt(inside.size()));
        Expression left = new ExpressionGenerator(random, outside).expression(column.type(), 1);
        String rest = " FROM " + table.name() + " AS " + alias + " WHERE ?)";
        String not = random.nextInt(3) == 0 ? "NOT " : "";
        return switch (random.nextInt(column.type().hasExtremes() ? 4 : 3)) {
            case 0 ->
                    Expression.of(
                            SqlType.BOOLEAN, "(" + not + "EXISTS (SELECT 1" + rest + ")", where);
            case 1, 2 ->
                    Expression.of(
                            SqlType.BOOLEAN,
                            "(? " + not + "IN (SELECT ?" + rest + ")",
                            left,
                            column,
                            where);
            default ->
                    Expression.of(
                            SqlType.BOOLEAN,
                            "(? >= (SELECT MAX(?)" + rest + ")",
                            left,
                            column,
                            where);
        };
    }

    private String limit() {
        String offset = random.nextBoolean() ? "" : " OFFSET " + random.nextInt(4);
        return " LIMIT " + random.nextInt(6) + offset;
    }

    private Query risky() {
        List<Expression> columns = new ArrayList<>();
        String table = table(columns);
        ExpressionGenerator plain = new ExpressionGenerator(random, columns);
        Expression number = plain.leaf(SqlType.INT);
        Expression column = columns.get(1);
        Expression risk =
                switch (random.nextInt(6)) {
                    case 0 -> Expression.of(SqlType.INT, "(? / ?)", number, column);
                    case 1 -> Expression.of(SqlType.INT, "(? % ?)", number, column);
                    case 2 -> Expression.of(SqlType.INT, "(2147483000 + ?)", column);
                    case 3 -> Expression.of(SqlType.INT, "(? * 5000000)", column);
                    case 4 -> Expression.of(SqlType.SMALLINT, "CAST((? * 50) AS SMALLINT)", column);
                    default ->
                            Expression.of(SqlType.INT, "CAST(? AS INT)", plain.leaf(SqlType.TEXT));
                };
        Query.Body body = riskyBody(columns.getFirst(), risk, table);
        return new Query(body, null, false, true, "");
    }

    private static Query.Body riskyBody(Expression key, Expression risk, String table) {
        @Nullable Expression none = null;
        List<Query.Source> from = List.of(new Query.Source(" FROM ", table, null));
        return new Query.Body(false, List.of(key, risk), from, none, List.of(), none);
    }
}

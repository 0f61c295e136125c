package org.namdb.sql.engine.random;

import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/// Random expressions of a wanted type over given leaves. None of them can fail.
final class ExpressionGenerator {
    private static final SqlType[] TYPES = SqlType.values();
    private static final List<String> COMPARISONS = List.of("=", "<>", "<", "<=", ">", ">=");
    private static final List<String> PATTERNS =
            List.of("a%", "%b", "_", "%", "a\\_b", "%a%b%", "");

    private final Random random;
    private final List<Expression> leaves;

    /// Makes a condition with a subquery, or one without where there must be none.
    private final Supplier<Expression> subqueries;

    ExpressionGenerator(Random random, List<Expression> leaves, Supplier<Expression> subqueries) {
        this.random = random;
        this.leaves = leaves;
        this.subqueries = subqueries;
    }

    /// Without subqueries.
    ExpressionGenerator(Random random, List<Expression> leaves) {
        this(random, leaves, () -> Expression.of(SqlType.BOOLEAN, "TRUE"));
    }

    SqlType anyType() {
        return leaves.isEmpty() || random.nextInt(3) == 0
                ? TYPES[random.nextInt(TYPES.length)]
                : leaves.get(random.nextInt(leaves.size())).type();
    }

    Expression condition(int depth) {
        return expression(SqlType.BOOLEAN, depth);
    }

    Expression expression(SqlType type, int depth) {
        if (depth == 0 || random.nextInt(4) == 0) {
            return leaf(type);
        }
        int kind = random.nextInt(10);
        if (kind == 0) {
            return make(type, "COALESCE(?, ?)", depth, type, type);
        }
        if (kind == 1) {
            return make(type, "CASE WHEN ? THEN ? ELSE ? END", depth, SqlType.BOOLEAN, type, type);
        }
        if (kind == 2 && type != SqlType.CHAR) {
            return make(type, "NULLIF(?, ?)", depth, type, type);
        }
        return switch (type) {
            case SMALLINT, CHAR, UUID -> leaf(type);
            case INT -> integer(depth);
            case BIGINT -> bigint(depth);
            case DECIMAL -> decimal(depth);
            case DOUBLE -> binary(SqlType.DOUBLE, random.nextBoolean() ? "+" : "-", depth);
            case BOOLEAN -> truth(depth);
            case TEXT -> text(depth);
            case DATE -> date(depth);
            case TIMESTAMP -> timestamp(depth);
        };
    }

    /// A column of the type, or a literal where there is none.
    Expression leaf(SqlType type) {
        List<Expression> fitting = leaves.stream().filter(leaf -> leaf.type() == type).toList();
        if (!fitting.isEmpty() && random.nextInt(4) != 0) {
            return fitting.get(random.nextInt(fitting.size()));
        }
        boolean isNull = random.nextInt(12) == 0;
        return Expression.of(type, isNull ? type.nullLiteral() : type.literal(random));
    }

    private Expression integer(int depth) {
        SqlType type = SqlType.INT;
        int n = 2 + random.nextInt(5);
        return switch (random.nextInt(9)) {
            case 0, 1 -> binary(type, random.nextBoolean() ? "+" : "-", depth);
            case 2 -> make(type, "(? * " + n + ")", depth, type);
            case 3 -> make(type, "(? / " + n + ")", depth, type);
            case 4 -> make(type, "(? % " + n + ")", depth, type);
            case 5 -> make(type, "abs(- ?)", depth, type);
            case 6 -> make(type, "length(?)", depth, SqlType.TEXT);
            case 7 -> make(type, "(? - ?)", depth, SqlType.DATE, SqlType.DATE);
            default -> make(type, "CAST(? AS INT)", depth, SqlType.SMALLINT);
        };
    }

    private Expression bigint(int depth) {
        SqlType type = SqlType.BIGINT;
        return random.nextBoolean()
                ? binary(type, random.nextBoolean() ? "+" : "-", depth)
                : make(type, "CAST(? AS BIGINT)", depth, SqlType.INT);
    }

    private Expression decimal(int depth) {
        SqlType type = SqlType.DECIMAL;
        return switch (random.nextInt(4)) {
            case 0, 1 -> binary(type, random.nextBoolean() ? "+" : "-", depth);
            case 2 -> make(type, "round(? * 1.75, 2)", depth, type);
            default -> make(type, "CAST(? AS DECIMAL(12,2))", depth, SqlType.INT);
        };
    }

    private Expression truth(int depth) {
        SqlType type = SqlType.BOOLEAN;
        SqlType other = anyType();
        return switch (random.nextInt(12)) {
            case 0 -> make(type, "(? AND ?)", depth, type, type);
            case 1 -> make(type, "(? OR ?)", depth, type, type);
            case 2 -> make(type, "(NOT ?)", depth, type);
            case 3 -> make(type, "(? IS NULL)", depth, other);
            case 4 -> make(type, "(? IS NOT NULL)", depth, other);
            case 5 -> make(type, "(? IN (?, ?, ?))", depth, other, other, other, other);
            case 6 -> make(type, "(? BETWEEN ? AND ?)", depth, other, other, other);
            case 7 -> make(type, "(? LIKE '" + pick(PATTERNS) + "')", depth, SqlType.TEXT);
            case 8 -> make(type, "(? IS DISTINCT FROM ?)", depth, other, other);
            case 9 -> subqueries.get();
            case 10 -> make(type, "(? " + pick(COMPARISONS) + " ?)", depth, SqlType.INT, number());
            default -> make(type, "(? " + pick(COMPARISONS) + " ?)", depth, other, other);
        };
    }

    private SqlType number() {
        return List.of(SqlType.SMALLINT, SqlType.BIGINT, SqlType.DECIMAL).get(random.nextInt(3));
    }

    private Expression text(int depth) {
        SqlType type = SqlType.TEXT;
        int n = random.nextInt(4);
        return switch (random.nextInt(11)) {
            case 0, 1 -> binary(type, "||", depth);
            case 2 -> make(type, "upper(?)", depth, type);
            case 3 -> make(type, "lower(?)", depth, type);
            case 4 -> make(type, "left(?, " + n + ")", depth, type);
            case 5 -> make(type, "right(?, " + n + ")", depth, type);
            case 6 -> make(type, "substring(? FROM " + n + " FOR 2)", depth, type);
            case 7 -> make(type, "trim(?)", depth, type);
            case 8 -> make(type, "replace(?, 'a', 'xy')", depth, type);
            case 9 -> make(type, "reverse(lpad(?, 3, '*'))", depth, type);
            default -> make(type, "CAST(? AS TEXT)", depth, SqlType.INT);
        };
    }

    private Expression date(int depth) {
        SqlType type = SqlType.DATE;
        int days = random.nextInt(40);
        return switch (random.nextInt(3)) {
            case 0 -> make(type, "(? + " + days + ")", depth, type);
            case 1 -> make(type, "(? - " + days + ")", depth, type);
            default -> make(type, "CAST(? AS DATE)", depth, SqlType.TIMESTAMP);
        };
    }

    private Expression timestamp(int depth) {
        SqlType type = SqlType.TIMESTAMP;
        return switch (random.nextInt(4)) {
            case 0 -> make(type, "(? + INTERVAL '1 month')", depth, type);
            case 1 -> make(type, "(? - INTERVAL '36 hours')", depth, type);
            case 2 -> make(type, "date_trunc('month', ?)", depth, type);
            default -> make(type, "CAST(? AS TIMESTAMP)", depth, SqlType.DATE);
        };
    }

    private Expression binary(SqlType type, String operator, int depth) {
        return make(type, "(? " + operator + " ?)", depth, type, type);
    }

    private Expression make(SqlType type, String template, int depth, SqlType... parts) {
        Expression[] made = new Expression[parts.length];
        for (int i = 0; i < parts.length; i++) {
            made[i] = expression(parts[i], depth - 1);
        }
        return Expression.of(type, template, made);
    }

    private String pick(List<String> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}

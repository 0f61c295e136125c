package org.namdb.sql.engine.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/// Random queries of one table, or of two that are joined, that its keys and indexes can serve:
/// equalities, lists and ranges over the first columns of a key, and its order with a limit.
final class IndexQueries {
    private static final List<String> RANGES = List.of("<", "<=", ">", ">=");

    private static final List<String> ENDS = List.of("%", "%", "%", "", "_", "%b", " %", "_%");

    private final Random random;
    private final RandomSchema schema;

    IndexQueries(Random random, RandomSchema schema) {
        this.random = random;
        this.schema = schema;
    }

    /// @param isOrdered whether the order of the rows is determined
    record IndexQuery(String sql, boolean isOrdered) {}

    IndexQuery next() {
        RandomSchema.Table table = schema.tables().get(random.nextInt(schema.tables().size()));
        List<RandomSchema.Column> key = table.keys().get(random.nextInt(table.keys().size()));
        String where = " WHERE " + restriction(table, key);
        return switch (random.nextInt(4)) {
            case 0 -> joined(table, key, where);
            case 1 -> new IndexQuery("SELECT * FROM " + table.name() + " AS a" + where, false);
            case 2 ->
                    new IndexQuery(
                            "SELECT COUNT(*), MIN(a.%s), MAX(a.%s) FROM %s AS a%s"
                                    .formatted(extreme(table), extreme(table), table.name(), where),
                            true);
            default -> ordered(table, key, where);
        };
    }

    private String extreme(RandomSchema.Table table) {
        List<RandomSchema.Column> fitting =
                table.columns().stream().filter(column -> column.type().hasExtremes()).toList();
        return fitting.get(random.nextInt(fitting.size())).name();
    }

    /// What is shown is what is sorted by, so that rows that are the same to the order are
    /// the same.
    private IndexQuery ordered(
            RandomSchema.Table table, List<RandomSchema.Column> key, String where) {
        List<String> columns = new ArrayList<>();
        List<String> order = new ArrayList<>();
        String direction = random.nextBoolean() ? "" : " DESC";
        for (RandomSchema.Column column : key) {
            boolean turns = random.nextInt(8) == 0;
            String nulls =
                    switch (random.nextInt(8)) {
                        case 0 -> " NULLS FIRST";
                        case 1 -> " NULLS LAST";
                        default -> "";
                    };
            columns.add("a." + column.name());
            order.add("a." + column.name() + (turns == direction.isEmpty() ? " DESC" : "") + nulls);
        }
        String filter = random.nextInt(3) == 0 ? "" : where;
        String limit = random.nextInt(3) == 0 ? "" : " LIMIT " + random.nextInt(5);
        String offset = random.nextInt(4) == 0 ? " OFFSET " + random.nextInt(3) : "";
        return new IndexQuery(
                "SELECT "
                        + String.join(", ", columns)
                        + " FROM "
                        + table.name()
                        + " AS a"
                        + filter
                        + " ORDER BY "
                        + String.join(", ", order)
                        + limit
                        + offset,
                true);
    }

    private IndexQuery joined(
            RandomSchema.Table table, List<RandomSchema.Column> key, String where) {
        RandomSchema.Table other = schema.tables().get(random.nextInt(schema.tables().size()));
        List<String> on = new ArrayList<>();
        for (RandomSchema.Column column : key) {
            List<RandomSchema.Column> partners =
                    other.columns().stream().filter(c -> c.type() == column.type()).toList();
            if (partners.isEmpty() || (!on.isEmpty() && random.nextInt(3) == 0)) {
                break;
            }
            String partner = partners.get(random.nextInt(partners.size())).name();
            on.add("a." + column.name() + " = b." + partner);
        }
        if (on.isEmpty()) {
            on.add("a.id = b.id");
        }
        String condition = String.join(" AND ", on);
        String from = " FROM " + other.name() + " AS b ";
        String filter = random.nextBoolean() ? where : "";
        String not = random.nextBoolean() ? "NOT " : "";
        String sql =
                switch (random.nextInt(5)) {
                    case 0 ->
                            "SELECT b.*"
                                    + from
                                    + "WHERE "
                                    + not
                                    + "EXISTS (SELECT 1 FROM "
                                    + table.name()
                                    + " AS a WHERE "
                                    + condition
                                    + ")";
                    case 1 ->
                            "SELECT b.*"
                                    + from
                                    + "WHERE b.id "
                                    + not
                                    + "IN (SELECT a.id FROM "
                                    + table.name()
                                    + " AS a"
                                    + where
                                    + ")";
                    case 2 ->
                            "SELECT *"
                                    + from
                                    + "LEFT JOIN "
                                    + table.name()
                                    + " AS a ON "
                                    + condition
                                    + filter;
                    case 3 ->
                            "SELECT *"
                                    + from
                                    + "FULL JOIN "
                                    + table.name()
                                    + " AS a ON "
                                    + condition
                                    + filter;
                    default ->
                            "SELECT *"
                                    + from
                                    + "JOIN "
                                    + table.name()
                                    + " AS a ON "
                                    + condition
                                    + filter;
                };
        return new IndexQuery(sql, false);
    }

    private String restriction(RandomSchema.Table table, List<RandomSchema.Column> key) {
        List<String> terms = new ArrayList<>();
        int equal = random.nextInt(key.size() + 1);
        for (int i = 0; i < key.size() && i <= equal; i++) {
            terms.add(i < equal ? equality(key.get(i)) : range(key.get(i)));
        }
        if (random.nextInt(3) == 0) {
            List<RandomSchema.Column> columns = table.columns();
            terms.add(range(columns.get(random.nextInt(columns.size()))));
        }
        return String.join(random.nextInt(10) == 0 ? " OR " : " AND ", terms);
    }

    private String equality(RandomSchema.Column column) {
        String name = "a." + column.name();
        return switch (random.nextInt(4)) {
            case 0 -> name + " IN (" + values(column, 1 + random.nextInt(4)) + ")";
            case 1 -> isText(column) && random.nextBoolean() ? begin(column) : nullTest(name);
            default -> name + " = " + value(column);
        };
    }

    private String nullTest(String name) {
        return switch (random.nextInt(6)) {
            case 0, 1 -> name + " IS NOT NULL";
            case 2 -> "(" + name + " IS NULL OR " + name + " IS NULL)";
            default -> name + " IS NULL";
        };
    }

    private static boolean isText(RandomSchema.Column column) {
        return column.type() == SqlType.TEXT || column.type() == SqlType.CHAR;
    }

    /// What the text begins with, mostly; the pattern is a constant, or known when the
    /// statement runs.
    private String begin(RandomSchema.Column column) {
        String name = "a." + column.name();
        String word = column.type().word(random);
        if (random.nextInt(4) == 0) {
            return "starts_with(" + name + ", " + maybeLate("'" + word + "'") + ")";
        }
        boolean isEscaped = random.nextBoolean();
        String text = isEscaped ? word.replaceAll("([%_])", "!$1") : word;
        String pattern = "'" + text + ENDS.get(random.nextInt(ENDS.size())) + "'";
        String not = random.nextInt(8) == 0 ? "NOT " : "";
        return name + " " + not + "LIKE " + maybeLate(pattern) + (isEscaped ? " ESCAPE '!'" : "");
    }

    private String maybeLate(String value) {
        return random.nextInt(3) == 0 ? "(SELECT " + value + ")" : value;
    }

    private String range(RandomSchema.Column column) {
        String name = "a." + column.name();
        String from = name + " " + RANGES.get(random.nextInt(4)) + " " + value(column);
        return switch (random.nextInt(6)) {
            case 0 -> name + " BETWEEN " + value(column) + " AND " + value(column);
            case 1 ->
                    from
                            + " AND "
                            + name
                            + " "
                            + RANGES.get(random.nextInt(4))
                            + " "
                            + value(column);
            case 2 -> isText(column) ? begin(column) : from;
            case 3 -> name + " <> " + value(column);
            case 4 -> equality(column);
            default -> from;
        };
    }

    private String value(RandomSchema.Column column) {
        return random.nextInt(12) == 0
                ? column.type().nullLiteral()
                : column.type().literal(random);
    }

    private String values(RandomSchema.Column column, int count) {
        return java.util.stream.IntStream.range(0, count)
                .mapToObj(_ -> value(column))
                .collect(Collectors.joining(", "));
    }
}

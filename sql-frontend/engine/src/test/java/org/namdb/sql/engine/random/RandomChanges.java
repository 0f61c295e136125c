package org.namdb.sql.engine.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Random INSERT .. SELECT, UPDATE and DELETE over a schema.
///
/// They change nothing that must be unique, but for INSERT: whether an UPDATE meets a value that
/// another row is about to lose depends on the order of rows.
final class RandomChanges {
    private final Random random;
    private final RandomSchema schema;
    private int nextId = 1000;

    RandomChanges(Random random, RandomSchema schema) {
        this.random = random;
        this.schema = schema;
    }

    String next() {
        RandomSchema.Table table = schema.tables().get(random.nextInt(schema.tables().size()));
        String where = " WHERE " + over(table).condition(2).sql();
        return switch (random.nextInt(5)) {
            case 0 -> "DELETE FROM " + table.name() + " AS a" + where + returning(table, "a");
            case 1, 2 -> insert(table);
            default -> update(table, where);
        };
    }

    private ExpressionGenerator over(RandomSchema.Table table) {
        return new ExpressionGenerator(
                random,
                table.columns().stream()
                        .map(column -> Expression.of(column.type(), "a." + column.name()))
                        .toList());
    }

    private String update(RandomSchema.Table table, String where) {
        ExpressionGenerator generator = over(table);
        List<String> sets = new ArrayList<>();
        for (RandomSchema.Column column : table.columns()) {
            boolean isKey =
                    table.keys().getFirst().contains(column) || table.unique().contains(column);
            if (!isKey && (sets.isEmpty() || random.nextInt(3) == 0)) {
                sets.add(column.name() + " = " + value(generator, column));
            }
        }
        if (sets.isEmpty()) {
            return "DELETE FROM " + table.name() + " AS a" + where;
        }
        return "UPDATE "
                + table.name()
                + " AS a SET "
                + String.join(", ", sets)
                + where
                + returning(table, "a");
    }

    /// Often nothing; else what subqueries see of the table, which is its rows before the
    /// statement.
    private String returning(RandomSchema.Table table, String alias) {
        return switch (random.nextInt(4)) {
            case 0 ->
                    " RETURNING %s.id, (SELECT COUNT(*) FROM %s AS b)"
                            .formatted(alias, table.name());
            case 1 ->
                    " RETURNING %1$s.id, (SELECT SUM(b.id) FROM %2$s AS b WHERE b.id <= %1$s.id)"
                            .formatted(alias, table.name());
            default -> "";
        };
    }

    /// Strings are not made longer, and numbers stay small.
    private String value(ExpressionGenerator generator, RandomSchema.Column column) {
        return (column.type() == SqlType.BOOLEAN
                        ? generator.condition(2)
                        : generator.leaf(column.type()))
                .sql();
    }

    private String insert(RandomSchema.Table table) {
        RandomSchema.Table from = schema.tables().get(random.nextInt(schema.tables().size()));
        ExpressionGenerator generator = over(from);
        nextId += 1000;
        List<String> values = new ArrayList<>(List.of("a.id + " + nextId));
        for (RandomSchema.Column column : table.columns().subList(1, table.columns().size())) {
            String value = value(generator, column);
            boolean isKey = table.keys().getFirst().contains(column);
            values.add(
                    isKey
                            ? "COALESCE(" + value + ", " + column.type().literal(random) + ")"
                            : value);
        }
        return "INSERT INTO %s SELECT %s FROM %s AS a WHERE %s%s"
                .formatted(
                        table.name(),
                        String.join(", ", values),
                        from.name(),
                        "a.id < 1000 AND " + generator.condition(2).sql(),
                        returning(table, table.name()));
    }
}

package org.namdb.sql.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/// Two or three small tables of mixed types. Some values are NULL, many are equal, so that joins and groups find partners.
record RandomSchema(List<Table> tables, List<String> statements) {
    private static final int MOST_ROWS = 12;

    record Table(String name, List<Column> columns) {}

    record Column(String name, SqlType type) {}

    /// @param random where all choices come from
    static RandomSchema random(Random random) {
        List<Table> tables = new ArrayList<>();
        List<String> statements = new ArrayList<>();
        int count = 2 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            Table table = table("t" + i, random);
            tables.add(table);
            statements.add(definition(table));
            addIndexes(table, random, statements);
            addRows(table, random, statements);
        }
        return new RandomSchema(List.copyOf(tables), List.copyOf(statements));
    }

    private static Table table(String name, Random random) {
        List<Column> columns = new ArrayList<>();
        columns.add(new Column("id", SqlType.INT));
        int count = 3 + random.nextInt(5);
        SqlType[] types = SqlType.values();
        for (int i = 0; i < count; i++) {
            SqlType type = i == 0 ? SqlType.INT : types[random.nextInt(types.length)];
            columns.add(new Column("c" + i, type));
        }
        return new Table(name, List.copyOf(columns));
    }

    private static String definition(Table table) {
        return table.columns().stream()
                .map(column -> column.name() + " " + column.type().declaration())
                .collect(
                        Collectors.joining(
                                ", ",
                                "CREATE TABLE " + table.name() + " (",
                                ", PRIMARY KEY (id))"));
    }

    private static void addIndexes(Table table, Random random, List<String> statements) {
        for (Column column : table.columns()) {
            if (random.nextInt(4) == 0 && !column.name().equals("id")) {
                String method = random.nextBoolean() ? "HASH" : "BTREE";
                statements.add(
                        "CREATE INDEX %s_%s ON %s USING %s (%s)"
                                .formatted(
                                        table.name(),
                                        column.name(),
                                        table.name(),
                                        method,
                                        column.name()));
            }
        }
    }

    private static void addRows(Table table, Random random, List<String> statements) {
        int rows = random.nextInt(8) == 0 ? 0 : 2 + random.nextInt(MOST_ROWS - 1);
        for (int id = 1; id <= rows; id++) {
            List<String> values = new ArrayList<>(List.of("" + id));
            for (Column column : table.columns().subList(1, table.columns().size())) {
                values.add(random.nextInt(6) == 0 ? "NULL" : column.type().literal(random));
            }
            statements.add(
                    "INSERT INTO " + table.name() + " VALUES (" + String.join(", ", values) + ")");
        }
    }
}

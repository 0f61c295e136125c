package org.namdb.sql.engine.random;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/// Two or three small tables of mixed types. Some values are NULL, many are equal, so that joins
/// and groups find partners.
record RandomSchema(List<Table> tables, List<String> statements) {
    private static final int MAX_ROWS = 12;

    /// @param keys the primary key first, then what indexes are on, by their columns
    /// @param unique the columns of which no two rows have the same
    record Table(String name, List<Column> columns, List<List<Column>> keys, List<Column> unique) {}

    record Column(String name, SqlType type) {}

    /// @param random the source of all choices
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
        List<List<Column>> keys = new ArrayList<>();
        List<Column> unique = new ArrayList<>();
        Column id = columns.getFirst();
        keys.add(random.nextInt(3) == 0 ? List.of(columns.get(1), id) : List.of(id));
        for (Column column : columns.subList(1, columns.size())) {
            if (random.nextInt(4) == 0) {
                keys.add(List.of(column));
            }
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            keys.add(several(columns, random));
        }
        if (random.nextInt(4) == 0) {
            unique.add(columns.get(1 + random.nextInt(count)));
            keys.add(List.copyOf(unique));
        }
        return new Table(name, List.copyOf(columns), List.copyOf(keys), List.copyOf(unique));
    }

    /// Two or three different columns.
    private static List<Column> several(List<Column> columns, Random random) {
        List<Column> shuffled = new ArrayList<>(columns);
        Collections.shuffle(shuffled, random);
        return List.copyOf(shuffled.subList(0, 2 + random.nextInt(2)));
    }

    private static String definition(Table table) {
        return table.columns().stream()
                .map(column -> column.name() + " " + column.type().declaration())
                .collect(
                        Collectors.joining(
                                ", ",
                                "CREATE TABLE " + table.name() + " (",
                                ", PRIMARY KEY (" + names(table.keys().getFirst()) + "))"));
    }

    private static String names(List<Column> columns) {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }

    /// Only trees hold several columns, and only they are unique, as in PostgreSQL. One with the id
    /// among its columns is unique anyway.
    private static void addIndexes(Table table, Random random, List<String> statements) {
        int number = 0;
        for (List<Column> key : table.keys().subList(1, table.keys().size())) {
            boolean isUnique =
                    key.equals(table.unique())
                            || key.size() > 1
                                    && key.contains(table.columns().getFirst())
                                    && random.nextBoolean();
            boolean isHash = key.size() == 1 && !isUnique && random.nextBoolean();
            statements.add(
                    "CREATE %sINDEX %s_i%d ON %s USING %s (%s)"
                            .formatted(
                                    isUnique ? "UNIQUE " : "",
                                    table.name(),
                                    number++,
                                    table.name(),
                                    isHash ? "HASH" : "BTREE",
                                    names(key)));
        }
    }

    private static void addRows(Table table, Random random, List<String> statements) {
        int rows = random.nextInt(8) == 0 ? 0 : 2 + random.nextInt(MAX_ROWS - 1);
        for (int id = 1; id <= rows; id++) {
            List<String> values = new ArrayList<>(List.of("" + id));
            for (Column column : table.columns().subList(1, table.columns().size())) {
                boolean mayBeNull = !table.keys().getFirst().contains(column);
                values.add(
                        mayBeNull && random.nextInt(6) == 0
                                ? "NULL"
                                : column.type().literal(random));
            }
            statements.add(
                    "INSERT INTO " + table.name() + " VALUES (" + String.join(", ", values) + ")");
        }
    }
}

package org.namdb.sql;

import org.namdb.compute.EmbeddedOptions;

/// Measures a prepared point query, and single-row changes. A program, not a test: `java org.namdb.sql.PointQueryCost`.
final class PointQueryCost {
    private static final int ROWS = 100_000;
    private static final int ROUNDS = 5;

    private PointQueryCost() {}

    public static void main(String[] arguments) {
        try (SqlDatabase database =
                        SqlDatabase.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(1L << 30));
                SqlSession session = database.session()) {
            session.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT, name VARCHAR(20))");
            PreparedStatement insert =
                    session.prepare("INSERT INTO t VALUES ($1, $2, 'some name')");
            PreparedStatement select = session.prepare("SELECT v, name FROM t WHERE id = $1");
            PreparedStatement update = session.prepare("UPDATE t SET v = v + 1 WHERE id = $1");
            long start = System.nanoTime();
            for (int i = 0; i < ROWS; i++) {
                insert.execute(i, i);
            }
            print("INSERT", start);
            for (int round = 0; round < ROUNDS; round++) {
                start = System.nanoTime();
                long trips = session.lastVerbs().roundTrips();
                for (int i = 0; i < ROWS; i++) {
                    try (Result result = select.execute(i)) {
                        if (!result.next() || result.int64(0) != i + round) {
                            throw new IllegalStateException("row " + i);
                        }
                    }
                }
                print("SELECT", start);
                System.out.println("  " + session.lastVerbs() + " " + trips);
                start = System.nanoTime();
                for (int i = 0; i < ROWS; i++) {
                    update.execute(i);
                }
                print("UPDATE", start);
            }
        }
    }

    private static void print(String what, long start) {
        System.out.printf("%s %.2f us%n", what, (System.nanoTime() - start) / 1e3 / ROWS);
    }
}

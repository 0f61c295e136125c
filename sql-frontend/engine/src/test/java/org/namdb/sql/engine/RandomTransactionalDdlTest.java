package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.sql.language.error.SqlException;

/// Random DDL and changes of rows in blocks with savepoints, compared with a database in which what
/// is not rolled back runs statement by statement, each a transaction of its own: both answer the
/// same. A failure names its seed.
class RandomTransactionalDdlTest {
    private static final int BLOCKS = 25;
    private static final int STATEMENTS = 12;
    private static final List<String> TABLES = List.of("a", "b", "c");
    private static final List<String> COLUMNS = List.of("x", "y", "z");

    private SplittableRandom random = new SplittableRandom(0);

    @Test
    void blocksDoWhatTheirStatementsDoAlone() {
        long first = Long.getLong("namdb.seed", System.nanoTime());
        for (long seed = first; seed < first + 8; seed++) {
            random = new SplittableRandom(seed);
            try (SqlFixture blocks = new SqlFixture(1 + random.nextInt(2));
                    SqlFixture alone = new SqlFixture();
                    SqlSession other = blocks.database.session()) {
                for (int block = 0; block < BLOCKS; block++) {
                    block(blocks, alone, other, "-Dnamdb.seed=" + seed + ", block " + block);
                }
                TABLES.forEach(table -> blocks.run("DROP TABLE IF EXISTS " + table + " CASCADE"));
                assertThat(blocks.database.engine().tableNames()).as("seed %d", seed).isEmpty();
            }
        }
    }

    private void block(SqlFixture blocks, SqlFixture alone, SqlSession other, String place) {
        String before = seen(other);
        List<String> done = new ArrayList<>();
        Deque<Integer> savepoints = new ArrayDeque<>();
        blocks.run("BEGIN");
        for (int i = 0; i < STATEMENTS; i++) {
            int choice = random.nextInt(10);
            if (choice == 0) {
                blocks.run("SAVEPOINT s");
                savepoints.push(done.size());
            } else if (choice == 1 && !savepoints.isEmpty()) {
                blocks.run("ROLLBACK TO s");
                done.subList(savepoints.element(), done.size()).clear();
            } else {
                String statement = statement();
                blocks.run("SAVEPOINT statement");
                try {
                    blocks.run(statement);
                    done.add(statement);
                    blocks.run("RELEASE statement");
                } catch (SqlException e) {
                    blocks.run("ROLLBACK TO statement; RELEASE statement");
                }
            }
        }
        boolean isCommitted = random.nextInt(4) > 0;
        String within = seen(blocks.session);
        assertThat(seen(other)).as(place).isEqualTo(before);
        blocks.run(isCommitted ? "COMMIT" : "ROLLBACK");
        if (isCommitted) {
            done.forEach(alone::run);
            assertThat(within).as(place + ": " + done).isEqualTo(seen(alone.session));
        }
        assertThat(seen(blocks.session)).as(place + ": " + done).isEqualTo(seen(alone.session));
        assertThat(seen(other)).as(place).isEqualTo(seen(alone.session));
    }

    private String statement() {
        String table = any(TABLES);
        String column = any(COLUMNS);
        return switch (random.nextInt(20)) {
            case 0, 1, 2 ->
                    "CREATE TABLE %s (x INT PRIMARY KEY, y INT%s)"
                            .formatted(table, random.nextBoolean() ? " UNIQUE" : "");
            case 3 -> "DROP TABLE " + table + (random.nextBoolean() ? " CASCADE" : "");
            case 4 -> "ALTER TABLE %s RENAME TO %s".formatted(table, any(TABLES));
            case 5 ->
                    "ALTER TABLE %s RENAME COLUMN %s TO %s".formatted(table, column, any(COLUMNS));
            case 6 -> "ALTER TABLE %s ADD COLUMN %s INT DEFAULT 7".formatted(table, column);
            case 7 -> "ALTER TABLE %s DROP COLUMN %s".formatted(table, column);
            case 8 -> "CREATE INDEX ON %s (%s)".formatted(table, column);
            case 9 -> "CREATE UNIQUE INDEX %1$s_%2$s ON %1$s (%2$s)".formatted(table, column);
            case 10 -> "DROP INDEX %s_%s".formatted(table, column);
            case 11 -> "ALTER TABLE %s ADD CHECK (%s < 50)".formatted(table, column);
            case 12 ->
                    "ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s"
                            .formatted(table, column, any(TABLES));
            case 13 -> "TRUNCATE " + table;
            case 14 -> "DELETE FROM %s WHERE %s > %d".formatted(table, column, random.nextInt(20));
            case 15 -> "UPDATE %s SET %s = %s + 1".formatted(table, column, any(COLUMNS));
            default ->
                    "INSERT INTO %s SELECT n, n + %d FROM generate_series(%d, %d) AS g (n)"
                            .formatted(
                                    table,
                                    random.nextInt(5),
                                    random.nextInt(20),
                                    random.nextInt(20));
        };
    }

    private String any(List<String> names) {
        return names.get(random.nextInt(names.size()));
    }

    /// Each table by all of its columns, and by conditions that indexes serve.
    private static String seen(SqlSession session) {
        List<String> seen = new ArrayList<>();
        if (session.status() != TransactionStatus.IDLE) {
            SqlFixture.run(session, "SAVEPOINT seen");
        }
        seen.add(
                SqlFixture.rows(
                        session,
                        "SELECT table_name, column_name, column_default, is_nullable"
                                + " FROM information_schema.columns WHERE table_schema = 'public'"
                                + " ORDER BY 1, ordinal_position"));
        seen.add(SqlFixture.rows(session, "SELECT indexdef FROM pg_indexes ORDER BY 1"));
        seen.add(
                SqlFixture.rows(
                        session, "SELECT conname, contype FROM pg_constraint ORDER BY 1, 2"));
        for (String table : TABLES) {
            for (String column : COLUMNS) {
                for (String query :
                        List.of(
                                "SELECT * FROM %1$s WHERE %2$s = 7 ORDER BY 1, 2",
                                "SELECT * FROM %1$s WHERE %2$s BETWEEN 3 AND 12 ORDER BY 1, 2",
                                "SELECT count(*), sum(%2$s) FROM %1$s")) {
                    String answer;
                    try {
                        answer = SqlFixture.rows(session, query.formatted(table, column));
                    } catch (SqlException e) {
                        if (session.status() != TransactionStatus.IDLE) {
                            session.execute("ROLLBACK TO seen");
                        }
                        answer = e.code();
                    }
                    seen.add(answer);
                }
            }
        }
        return String.join("\n", seen);
    }
}

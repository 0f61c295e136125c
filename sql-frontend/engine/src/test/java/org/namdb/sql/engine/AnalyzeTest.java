package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.sql.language.result.Result;

/// ANALYZE, beyond what PostgreSQL's answers show: what plans make of it, and who sees it.
class AnalyzeTest {
    private final SqlFixture db = new SqlFixture();

    @AfterEach
    void close() {
        db.close();
    }

    private static String plan(SqlSession session, String query) {
        return SqlFixture.rows(session, "EXPLAIN " + query);
    }

    private String plan(String query) {
        return plan(db.session, query);
    }

    /// How many rows the first line of a plan expects.
    private double expected(String query) {
        String plan = plan(query);
        return Double.parseDouble(plan.replaceAll("(?s)^.*?\\(rows=(\\d+).*", "$1"));
    }

    @Test
    void rowsAreEstimatedByWhatWasLearned() {
        db.run(
                "CREATE TABLE t (id INT PRIMARY KEY, k INT, s TEXT, n INT, d DATE);"
                        + " INSERT INTO t SELECT i, i % 50, 'text ' || i, CASE WHEN i % 4 = 0 THEN i END,"
                        + " DATE '2024-01-01' + i FROM generate_series(1, 40000) g (i); ANALYZE t");
        assertThat(expected("SELECT id FROM t")).isEqualTo(40000);
        assertThat(expected("SELECT id FROM t WHERE k = 7")).isCloseTo(800, within(80.0));
        assertThat(expected("SELECT id FROM t WHERE k <> 7")).isCloseTo(39200, within(80.0));
        assertThat(expected("SELECT id FROM t WHERE k IN (7, 8, 9)"))
                .isCloseTo(2400, within(240.0));
        assertThat(expected("SELECT id FROM t WHERE k = 77")).isLessThan(5);
        assertThat(expected("SELECT id FROM t WHERE n IS NULL")).isCloseTo(30000, within(600.0));
        assertThat(expected("SELECT id FROM t WHERE n IS NOT NULL"))
                .isCloseTo(10000, within(600.0));
        assertThat(expected("SELECT k FROM t WHERE id BETWEEN 10001 AND 20000"))
                .isCloseTo(10000, within(600.0));
        assertThat(expected("SELECT k FROM t WHERE id > 10000 AND id <= 10100"))
                .isCloseTo(100, within(30.0));
        assertThat(expected("SELECT k FROM t WHERE id > 50000")).isLessThan(5);
        assertThat(expected("SELECT k FROM t WHERE d < DATE '2024-01-01' + 20000"))
                .isCloseTo(20000, within(1000.0));
        assertThat(expected("SELECT k FROM t WHERE s = 'text 5'")).isEqualTo(1);
        assertThat(expected("SELECT k FROM t WHERE s LIKE 'text 1%'"))
                .isCloseTo(11111, within(1500.0));
        assertThat(expected("SELECT k FROM t WHERE id = 5 AND k = 5")).isEqualTo(1);
        assertThat(expected("SELECT k, count(*) FROM t GROUP BY k")).isEqualTo(50);
        assertThat(expected("SELECT s, count(*) FROM t GROUP BY s")).isEqualTo(40000);
        assertThat(expected("SELECT a.id FROM t a JOIN t b ON a.n = b.id + 0")).isPositive();
        // More rows than the sample may lack in a row: the first id that it has is a bound.
        assertThat(expected("SELECT a.s FROM t a JOIN t b ON a.k = b.k WHERE b.id <= 400"))
                .isCloseTo(320_000, within(60_000.0));
    }

    /// The number of different values of a column of more rows than are sampled.
    @Test
    void differentValuesAreCountedInAllRows() {
        db.run(
                "CREATE TABLE t (id INT PRIMARY KEY, few INT, seventh INT);"
                        + " INSERT INTO t SELECT i, i / 30000, i / 7 FROM generate_series(0, 89999) g (i); ANALYZE t");
        String learned =
                db.rows("SELECT n_distinct FROM pg_stats WHERE tablename = 't' ORDER BY attname");
        List<Double> distinct = new ArrayList<>();
        for (String each : learned.split("; ", -1)) {
            distinct.add(Double.valueOf(each));
        }
        assertThat(distinct.get(0)).isCloseTo(3, within(0.1));
        assertThat(distinct.get(1)).isEqualTo(-1);
        assertThat(distinct.get(2)).isCloseTo(-1.0 / 7, within(0.015));
    }

    /// A table that was made for few rows has many, and the other way around: the smaller one is
    /// hashed, and joins begin where there are few rows.
    @Test
    void joinsFollowWhatWasLearned() {
        db.run(
                "CREATE TABLE big (id INT PRIMARY KEY, k INT);"
                        + " CREATE TABLE small (id INT PRIMARY KEY, k INT) WITH (expected_rows = 1000000);"
                        + " INSERT INTO big SELECT i, i FROM generate_series(1, 5000) g (i);"
                        + " INSERT INTO small SELECT i, i FROM generate_series(1, 50) g (i)");
        String join = "SELECT count(*) FROM big JOIN small ON big.k = small.k";
        assertThat(plan(join)).contains("Scan on big").matches("(?s).*small.*big.*");
        db.run("ANALYZE");
        assertThat(plan(join)).matches("(?s).*big.*small.*");
        assertThat(db.rows(join)).isEqualTo("50");
    }

    /// An index that finds half of the rows is worse than a scan; one that finds few is not.
    @Test
    void pathsFollowWhatWasLearned() {
        db.run(
                "CREATE TABLE t (id INT PRIMARY KEY, k INT); CREATE INDEX t_k ON t (k);"
                        + " INSERT INTO t SELECT i, CASE WHEN i % 2 = 0 THEN 0 ELSE i END FROM generate_series(1, 10000) g (i)");
        assertThat(plan("SELECT id FROM t WHERE k = 0")).contains("t_k");
        db.run("ANALYZE t (k)");
        assertThat(plan("SELECT id FROM t WHERE k = 0")).doesNotContain("t_k");
        assertThat(plan("SELECT id FROM t WHERE k = 7")).contains("t_k");
        assertThat(db.rows("SELECT count(*) FROM t WHERE k = 0")).isEqualTo("5000");
    }

    /// A plan that is kept is made anew.
    @Test
    void aPlanThatIsKeptLearns() {
        db.run(
                "CREATE TABLE t (id INT PRIMARY KEY, k INT); CREATE INDEX t_k ON t (k);"
                        + " INSERT INTO t SELECT i, 0 FROM generate_series(1, 3000) g (i)");
        PreparedStatement prepared = db.session.prepare("SELECT count(*) FROM t WHERE k = 0");
        try (Result result = prepared.execute()) {
            assertThat(result.next()).isTrue();
        }
        long before = db.session.lastVerbs().verbs();
        db.run("ANALYZE t");
        try (Result result = prepared.execute()) {
            assertThat(result.next()).isTrue();
            assertThat(result.int64(0)).isEqualTo(3000);
        }
        assertThat(db.session.lastVerbs().verbs()).isLessThan(before);
    }

    @Test
    void statisticsArePartOfADataDirectory(@TempDir Path directory) {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(64 << 20)
                        .withJournal(JournalOptions.in(directory));
        String query =
                "SELECT tablename, reltuples, n_distinct FROM pg_class JOIN pg_stats ON relname = tablename";
        String before;
        try (SqlDatabase database = SqlDatabase.embedded(options);
                SqlSession session = database.session()) {
            SqlFixture.run(
                    session,
                    "CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t SELECT i FROM generate_series(1, 300) g (i);"
                            + " ANALYZE; CREATE TABLE u (id INT PRIMARY KEY); DROP TABLE u");
            before = SqlFixture.rows(session, query);
        }
        try (SqlDatabase database = SqlDatabase.embedded(options);
                SqlSession session = database.session()) {
            assertThat(SqlFixture.rows(session, query)).isEqualTo(before).isEqualTo("t|300|-1");
            SqlFixture.rows(session, "SELECT * FROM t WHERE id = 1");
            assertThat(plan(session, "SELECT id FROM t")).contains("rows=300");
        }
    }

    /// The hidden table can't be made while a transaction runs.
    @Test
    void theFirstOneIsNotInABlock() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY); BEGIN; INSERT INTO t VALUES (1)");
        try (Result result = db.session.execute("ANALYZE")) {
            assertThat(result.tag()).isEqualTo("ANALYZE");
            assertThat(result.notices()).hasSize(1);
        }
        db.run("COMMIT; BEGIN; ANALYZE; COMMIT");
        assertThat(db.rows("SELECT reltuples FROM pg_class WHERE relname = 't'")).isEqualTo("1");
    }

    @Test
    void oneThatIsCancelledKeepsNothing() {
        db.run(
                "CREATE TABLE t (id INT PRIMARY KEY);"
                        + " INSERT INTO t SELECT i FROM generate_series(1, 100000) g (i); SET statement_timeout = 1");
        assertThat(db.error("ANALYZE t")).startsWith("57014");
        db.run("RESET statement_timeout");
        assertThat(db.rows("SELECT reltuples FROM pg_class WHERE relname = 't'")).isEqualTo("-1");
        db.run("ANALYZE t");
        assertThat(db.rows("SELECT reltuples FROM pg_class WHERE relname = 't'"))
                .isEqualTo("100000");
    }

    /// A row of statistics is longer than a row of the hidden table.
    @Test
    void manyColumnsWithLongValues() {
        StringBuilder columns = new StringBuilder();
        StringBuilder values = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            columns.append(", c").append(i).append(" VARCHAR(120)");
            values.append(", repeat('x', 100) || i + ").append(i);
        }
        db.run(
                "CREATE TABLE t (id INT PRIMARY KEY"
                        + columns
                        + "); INSERT INTO t SELECT i"
                        + values
                        + " FROM generate_series(1, 200) g (i); ANALYZE t");
        assertThat(
                        db.rows(
                                "SELECT count(*) FROM pg_stats WHERE tablename = 't' AND n_distinct = -1"))
                .isEqualTo("31");
    }
}

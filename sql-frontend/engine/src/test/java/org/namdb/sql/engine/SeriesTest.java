package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `generate_series` in FROM.
class SeriesTest {
    private final SqlFixture db = new SqlFixture();

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void integersUpAndDown() {
        assertThat(db.rows("SELECT * FROM generate_series(1, 3)")).isEqualTo("1; 2; 3");
        assertThat(db.rows("SELECT i FROM generate_series(1, 6, 2) AS s(i)")).isEqualTo("1; 3; 5");
        assertThat(db.rows("SELECT s.s FROM generate_series(3, -3, -3) s")).isEqualTo("3; 0; -3");
        assertThat(db.rows("SELECT * FROM generate_series(3, 1)")).isEmpty();
        assertThat(db.rows("SELECT * FROM generate_series(1, NULL)")).isEmpty();
        assertThat(db.rows("SELECT * FROM generate_series(2147483646, 2147483647)"))
                .isEqualTo("2147483646; 2147483647");
        assertThat(
                        db.rows(
                                "SELECT count(*) FROM generate_series(9223372036854775806, 9223372036854775807)"))
                .isEqualTo("2");
        assertThat(
                        db.rows(
                                "SELECT pg_typeof(a), pg_typeof(b) FROM generate_series(1, 1) s(a), generate_series(1::bigint, 1) t(b)"))
                .isEqualTo("integer|bigint");
        assertThat(db.rows("SELECT sum(i) FROM generate_series(?::int, ?) s(i)", 1, 4))
                .isEqualTo("10");
    }

    @Test
    void timestamps() {
        assertThat(
                        db.rows(
                                "SELECT t FROM generate_series('2024-01-31'::timestamp, '2024-04-30', '1 month') AS s(t)"))
                .isEqualTo(
                        "2024-01-31 00:00:00; 2024-02-29 00:00:00; 2024-03-29 00:00:00; 2024-04-29 00:00:00");
        assertThat(
                        db.rows(
                                "SELECT * FROM generate_series(DATE '2024-01-02', DATE '2024-01-01', INTERVAL '-12 hours')"))
                .isEqualTo(
                        "2024-01-02 00:00:00+00; 2024-01-01 12:00:00+00; 2024-01-01 00:00:00+00");
    }

    @Test
    void filtersJoinsAndSubqueries() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
        assertThat(db.run("INSERT INTO t SELECT i, i * i FROM generate_series(1, 5000) s(i)"))
                .isEqualTo("INSERT 0 5000");
        assertThat(
                        db.rows(
                                "SELECT t.v FROM generate_series(4999, 5002) s(i) LEFT JOIN t ON t.id = s.i ORDER BY i"))
                .isEqualTo("24990001; 25000000; null; null");
        assertThat(db.rows("SELECT i FROM generate_series(1, 10) s(i) WHERE i % 4 = 0"))
                .isEqualTo("4; 8");
        assertThat(
                        db.rows(
                                "SELECT id, (SELECT sum(i) FROM generate_series(1, t.id) s(i)) FROM t WHERE id < 4 ORDER BY id"))
                .isEqualTo("1|1; 2|3; 3|6");
        assertThat(db.rows("SELECT i FROM generate_series(1, 9000000000000000000) s(i) LIMIT 2"))
                .isEqualTo("1; 2");
        assertThat(db.rows("EXPLAIN SELECT * FROM generate_series(1, 10)"))
                .contains("Function Scan on generate_series  (rows=10)");
    }

    @Test
    void whatIsNoSeries() {
        assertThat(db.error("SELECT * FROM generate_series(1, 2, 0)"))
                .isEqualTo("22023 step size cannot equal zero");
        assertThat(db.error("SELECT * FROM generate_series('a'::text, 'b'::text)"))
                .startsWith("42883");
        assertThat(db.error("SELECT * FROM generate_series(1)")).startsWith("42883");
        assertThat(db.rows("SELECT * FROM upper('x')")).isEqualTo("X");
        assertThat(db.error("SELECT * FROM nonsense(1)")).startsWith("42883");
        assertThat(db.error("SELECT * FROM generate_series(1, 2) s(a, b)")).startsWith("42P10");
    }

    /// 4 MB hold a thousand rows, and not two hundred thousand.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "generate_series(1, 3) AS a (i), generate_series(1, 200000) AS b (j)",
                "generate_series(1, 200000) AS b (j), generate_series(1, 3) AS a (i)",
                "generate_series(1, 3) AS a (i) JOIN generate_series(1, 200000) AS b (j) ON i < j"
            })
    void theLargerSideOfAJoinOfAllPairsIsNotKept(String tables) {
        db.run("SET work_mem = '4MB'; SET temp_file_limit = 0");
        String[] counts =
                db.rows("SELECT count(*), max(i), max(j) FROM " + tables).split("\\|", -1);
        assertThat(Integer.parseInt(counts[0])).isBetween(599_990, 600_000);
        assertThat(counts[1]).isEqualTo("3");
        assertThat(counts[2]).isEqualTo("200000");
    }
}

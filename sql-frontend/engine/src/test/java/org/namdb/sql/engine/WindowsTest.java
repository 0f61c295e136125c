package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Window functions on many rows, and frames against subqueries that say the same. What they answer
/// is in the golden files.
class WindowsTest {
    @Test
    void numbersAndRanksNeedNoMemoryButThatOfTheSort() {
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run("CREATE TABLE t (id INT PRIMARY KEY, k INT, s TEXT)");
            fixture.run(
                    "INSERT INTO t SELECT n, n % 100, repeat('x', 50) FROM generate_series(1, 20000) AS g (n)");
            fixture.run("SET work_mem = '256kB'");
            assertThat(
                            fixture.rows(
                                    "SELECT max(n), max(r), max(d), count(s) FROM (SELECT s, row_number()"
                                            + " OVER w AS n, rank() OVER w AS r, dense_rank() OVER w AS d"
                                            + " FROM t WINDOW w AS (ORDER BY k)) AS q"))
                    .isEqualTo("20000|19801|100|20000");
            assertThat(
                            fixture.rows(
                                    "SELECT max(a), count(*) FROM (SELECT sum(id) OVER (PARTITION BY k)"
                                            + " AS a FROM t) AS q"))
                    .isEqualTo("2010000|20000");
            assertThat(fixture.error("SELECT sum(id) OVER (ORDER BY k) FROM t"))
                    .startsWith("53200");
            fixture.run("SET work_mem = '64MB'");
            assertThat(
                            fixture.rows(
                                    "SELECT max(a) FROM (SELECT sum(id) OVER (ORDER BY k) AS a FROM t)"
                                            + " AS q"))
                    .isEqualTo("200010000");
        }
    }

    @Test
    void offsetsBeyondAllRowsTakeAllOfThem() {
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run("CREATE TABLE t (id INT PRIMARY KEY)");
            fixture.run("INSERT INTO t VALUES (1), (2), (3)");
            String sum =
                    "SELECT sum(id) OVER (ORDER BY id %s BETWEEN %s AND %s) FROM t ORDER BY id";
            String before = Long.MAX_VALUE + " PRECEDING";
            String behind = Long.MAX_VALUE + " FOLLOWING";
            for (String unit : List.of("ROWS", "GROUPS")) {
                assertThat(fixture.rows(sum.formatted(unit, before, "CURRENT ROW")))
                        .isEqualTo("1; 3; 6");
                assertThat(fixture.rows(sum.formatted(unit, "CURRENT ROW", behind)))
                        .isEqualTo("6; 5; 3");
                assertThat(fixture.rows(sum.formatted(unit, before, behind))).isEqualTo("6; 6; 6");
                assertThat(fixture.rows(sum.formatted(unit, before, before)))
                        .isEqualTo("null; null; null");
                assertThat(fixture.rows(sum.formatted(unit, behind, behind)))
                        .isEqualTo("null; null; null");
            }
        }
    }

    /// A failure names its seed.
    @Test
    void framesTakeTheRowsThatTheirWordsSay() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run("CREATE TABLE t (id INT PRIMARY KEY, k INT, v INT)");
            for (int id = 1; id <= 60; id++) {
                String value = random.nextInt(5) == 0 ? "NULL" : "" + random.nextInt(100);
                fixture.run(
                        "INSERT INTO t VALUES (%d, %d, %s)"
                                .formatted(id, random.nextInt(20), value));
            }
            for (int i = 0; i < 60; i++) {
                int from = random.nextInt(-4, 6);
                int to = random.nextInt(from, 8);
                boolean isByValue = random.nextBoolean();
                String column = isByValue ? "k" : "id";
                String call =
                        random.nextBoolean()
                                ? "sum(v)"
                                : random.nextBoolean() ? "count(v)" : "max(v)";
                String window =
                        "SELECT id, %s OVER (ORDER BY %s %s BETWEEN %s AND %s) FROM t ORDER BY id"
                                .formatted(
                                        call,
                                        column,
                                        isByValue ? "RANGE" : "ROWS",
                                        bound(from),
                                        bound(to));
                String subquery =
                        ("SELECT id, (SELECT %s FROM t AS q WHERE q.%2$s BETWEEN p.%2$s + %3$d AND"
                                        + " p.%2$s + %4$d) FROM t AS p ORDER BY id")
                                .formatted(call, column, from, to);
                assertThat(fixture.rows(window))
                        .as("-Dnamdb.seed=%d: %s", seed, window)
                        .isEqualTo(fixture.rows(subquery));
            }
        }
    }

    private static String bound(int offset) {
        return offset < 0 ? -offset + " PRECEDING" : offset + " FOLLOWING";
    }
}

package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;

/// Ranges, prefixes and orders of primary keys.
class KeyOrderTest {
    private final SqlFixture db = new SqlFixture();

    @AfterEach
    void close() {
        db.close();
    }

    private boolean isByKey(String sql) {
        return db.rows("EXPLAIN " + sql).contains("using t_pkey on t");
    }

    @Test
    void rangesAndOrdersAreRead() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
        db.run("INSERT INTO t SELECT i, i + 1 FROM generate_series(-1000, 1000) g (i)");
        assertThat(db.rows("SELECT id FROM t WHERE id BETWEEN -2 AND 1 ORDER BY id"))
                .isEqualTo("-2; -1; 0; 1");
        assertThat(db.session.lastVerbs().roundTrips()).isLessThan(10);
        assertThat(db.rows("SELECT min(id), max(id) FROM t")).isEqualTo("-1000|1000");
        assertThat(db.rows("SELECT v FROM t ORDER BY id DESC LIMIT 2")).isEqualTo("1001; 1000");
        assertThat(isByKey("SELECT * FROM t WHERE id BETWEEN 1 AND 2")).isTrue();
        assertThat(isByKey("SELECT * FROM t ORDER BY id LIMIT 1")).isTrue();
        assertThat(isByKey("SELECT max(id) FROM t")).isTrue();
        assertThat(isByKey("DELETE FROM t WHERE id BETWEEN 1 AND 2")).isTrue();
        assertThat(isByKey("SELECT * FROM t WHERE id = 5")).as("one read").isFalse();
        assertThat(isByKey("SELECT * FROM t WHERE v BETWEEN 1 AND 2")).isFalse();
        assertThat(db.run("UPDATE t SET id = id + 5000 WHERE id BETWEEN 0 AND 9"))
                .isEqualTo("UPDATE 10");
        assertThat(db.rows("SELECT count(*) FROM t WHERE id BETWEEN 0 AND 9")).isEqualTo("0");
        assertThat(db.rows("SELECT id FROM t ORDER BY id DESC LIMIT 1")).isEqualTo("5009");
        db.run("TRUNCATE t");
        assertThat(db.rows("SELECT max(id) FROM t")).isEqualTo("null");
    }

    /// Whether a range is read by the index, or by a scan, is decided when its bounds are known.
    @Test
    void onlyLargeRangesAreScanned() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT); CREATE INDEX t_v ON t (v)");
        db.run(
                "INSERT INTO t SELECT i, CASE WHEN i % 100 > 0 THEN i END FROM generate_series(1, 20000) g (i)");
        assertThat(db.rows("SELECT count(*) FROM t WHERE id > 0")).isEqualTo("20000");
        db.run("PREPARE p AS SELECT count(*), min(v), max(v) FROM t WHERE id > $1");
        assertThat(db.rows("EXECUTE p (19950)")).isEqualTo("50|19951|19999");
        assertThat(db.session.lastVerbs().roundTrips()).isLessThan(12);
        assertThat(db.rows("EXECUTE p (100)")).isEqualTo("19900|101|19999");
        long scanned = db.session.lastVerbs().bytes();
        assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("20000");
        assertThat(scanned).isLessThan(db.session.lastVerbs().bytes() * 11 / 10);
        assertThat(db.rows("SELECT count(*) FROM t WHERE v < 19000")).isEqualTo("18810");
        assertThat(db.rows("SELECT count(*) FROM t WHERE v IS NOT NULL AND v < 19000"))
                .isEqualTo("18810");
        assertThat(db.rows("SELECT count(*) FROM t WHERE v >= 19999")).isEqualTo("1");
        assertThat(db.session.lastVerbs().roundTrips()).isLessThan(12);
    }

    /// Nothing is kept of the rows that are changed, however many there are.
    @Test
    void rangesAreChangedWhileTheyAreRead() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT, c TEXT); SET work_mem = '64kB'");
        db.run("INSERT INTO t SELECT i, 0, repeat('x', 100) FROM generate_series(1, 30000) g (i)");
        for (String range : new String[] {"id > 100", "id BETWEEN 101 AND 3500"}) {
            long rows = Long.parseLong(db.rows("SELECT count(*) FROM t WHERE " + range));
            assertThat(db.run("BEGIN; UPDATE t SET v = v + 1 WHERE " + range))
                    .isEqualTo("BEGIN, UPDATE " + rows);
            assertThat(db.run("UPDATE t SET v = v + 1 WHERE " + range)).isEqualTo("UPDATE " + rows);
            assertThat(db.rows("SELECT count(*) FROM t WHERE v = 2")).isEqualTo("" + rows);
            assertThat(db.run("DELETE FROM t WHERE " + range)).isEqualTo("DELETE " + rows);
            assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("" + (30_000 - rows));
            db.run("ROLLBACK");
        }
        assertThat(db.run("DELETE FROM t WHERE id > 20000")).isEqualTo("DELETE 10000");
        assertThat(db.rows("SELECT count(*), max(id), sum(v) FROM t")).isEqualTo("20000|20000|0");
    }

    @Test
    void keysOfSeveralColumnsAreFoundByTheFirst() {
        db.run("CREATE TABLE t (a TEXT, b DATE, c INT, PRIMARY KEY (a, b))");
        db.run(
                "INSERT INTO t SELECT 'a' || i % 50, DATE '2026-01-01' + i, i FROM generate_series(1, 3000) g (i)");
        assertThat(isByKey("SELECT * FROM t WHERE a = 'a7' AND b > '2030-01-01'")).isTrue();
        assertThat(db.rows("SELECT c FROM t WHERE a = 'a7' ORDER BY b LIMIT 2")).isEqualTo("7; 57");
        assertThat(db.rows("SELECT c FROM t WHERE a = 'a7' ORDER BY a DESC, b DESC LIMIT 1"))
                .isEqualTo("2957");
    }

    @Test
    void aTableCanDoWithout() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY) WITH (ordered = false)");
        assertThat(isByKey("SELECT max(id) FROM t")).isFalse();
        db.run("CREATE INDEX t_i ON t (id)");
        assertThat(db.rows("EXPLAIN SELECT max(id) FROM t")).contains("using t_i");
        assertThat(db.error("CREATE TABLE u (id INT) WITH (ordered = 'often')"))
                .startsWith("22023")
                .contains("ordered");
    }

    /// It is dropped with the key, and has its name.
    @Test
    void theKeyChanges() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
        db.run("INSERT INTO t SELECT i, -i FROM generate_series(1, 100) g (i)");
        db.run("ALTER TABLE t RENAME COLUMN id TO number");
        assertThat(isByKey("SELECT max(number) FROM t")).isTrue();
        db.run("ALTER TABLE t DROP CONSTRAINT t_pkey, ADD CONSTRAINT k PRIMARY KEY (number)");
        assertThat(db.rows("EXPLAIN SELECT max(number) FROM t")).contains("using k on t");
        db.run("ALTER TABLE t DROP CONSTRAINT k");
        assertThat(db.database.engine().indexNames()).isEmpty();
        db.run("ALTER TABLE t ADD PRIMARY KEY (v)");
        assertThat(isByKey("SELECT max(v) FROM t")).isTrue();
        assertThat(db.rows("SELECT max(v) FROM t")).isEqualTo("-1");
        db.run("INSERT INTO t VALUES (5, -5000)");
        assertThat(db.error("ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (number)"))
                .startsWith("23505");
        assertThat(isByKey("SELECT min(v) FROM t")).isTrue();
        assertThat(db.rows("SELECT min(v) FROM t")).isEqualTo("-5000");
        db.run("ALTER TABLE t ADD COLUMN w INT NOT NULL DEFAULT 3; ALTER TABLE t RENAME TO u");
        assertThat(db.rows("EXPLAIN SELECT max(v) FROM u")).contains("using t_pkey on u");
        db.run("CREATE TABLE t (id INT PRIMARY KEY)");
        assertThat(db.rows("EXPLAIN SELECT max(id) FROM t")).contains("using t_pkey1 on t");
        db.run("DROP TABLE t, u");
        assertThat(db.database.engine().indexNames()).isEmpty();
    }

    @Test
    void aDumpKeepsIt() throws IOException {
        db.run(
                "CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE u (id INT PRIMARY KEY) WITH (ordered = false)");
        StringWriter out = new StringWriter();
        SqlDump.write(db.session, out);
        assertThat(out.toString().split("ordered = false", -1)).hasSize(2);
        assertThat(out.toString())
                .contains("PRIMARY KEY (\"id\")\n) WITH (ordered = false)".replace("\"", ""));
    }

    @Test
    void rowsThatComeAndGoAreFoundInOrder() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
        TreeMap<Integer, Integer> model = new TreeMap<>();
        for (int round = 0; round < 300; round++) {
            int from = random.nextInt(500);
            int to = from + random.nextInt(60);
            switch (random.nextInt(3)) {
                case 0 -> {
                    db.run("DELETE FROM t WHERE id BETWEEN %d AND %d".formatted(from, to));
                    model.subMap(from, true, to, true).clear();
                }
                default -> {
                    db.run(
                            "INSERT INTO t SELECT i, %d FROM generate_series(%d, %d) g (i) ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v"
                                    .formatted(round, from, to));
                    for (int id = from; id <= to; id++) {
                        model.put(id, round);
                    }
                }
            }
            int low = random.nextInt(500);
            int high = low + random.nextInt(40);
            StringBuilder expected = new StringBuilder();
            model.subMap(low, true, high, true)
                    .forEach((id, v) ->
                            expected.append(expected.isEmpty() ? "" : "; ")
                                    .append(id)
                                    .append("|")
                                    .append(v));
            assertThat(
                            db.rows(
                                    "SELECT id, v FROM t WHERE id BETWEEN %d AND %d ORDER BY id"
                                            .formatted(low, high)))
                    .isEqualTo(expected.toString());
        }
    }
}

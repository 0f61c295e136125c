package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// INSERT, UPDATE and DELETE over a real database.
class ChangesTest {
    private SqlFixture db;

    @BeforeEach
    void open() {
        db = new SqlFixture();
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void rowsComeBackAsTheyWereInserted() {
        assertThat(
                        db.run(
                                "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10), n NUMERIC(8,2) DEFAULT 1.5)"))
                .isEqualTo("CREATE TABLE");
        assertThat(db.run("INSERT INTO t VALUES (1, 'a', 2), (2, NULL, 3.456)"))
                .isEqualTo("INSERT 0 2");
        assertThat(db.run("INSERT INTO t (id) VALUES (3)")).isEqualTo("INSERT 0 1");
        assertThat(db.rows("SELECT * FROM t ORDER BY id"))
                .isEqualTo("1|a|2.00; 2|null|3.46; 3|null|1.50");
    }

    /// What is inserted must not be read by the statement itself: rows of a range, of a join or in
    /// an order are kept in temporary files beyond work_mem.
    @Test
    void rowsOfTheTableItselfAreInsertedBeyondWorkMemory() {
        db.run(
                "CREATE TABLE t (id INT PRIMARY KEY, v TEXT);"
                        + " INSERT INTO t SELECT i, 'text ' || i FROM generate_series(1, 20000) g (i);"
                        + " SET work_mem = '64kB'");
        for (String rows :
                new String[] {
                    "SELECT id + 100000, v FROM t WHERE id > 10",
                    "SELECT a.id + 200000, b.v FROM t a JOIN t b ON a.id = b.id WHERE a.id <= 20000",
                    "SELECT id + 300000, v FROM t WHERE id <= 20000 ORDER BY v",
                    "SELECT id, v FROM t WHERE id <= 20000 ON CONFLICT DO NOTHING",
                }) {
            db.run("INSERT INTO t " + rows);
        }
        db.run("RESET work_mem");
        assertThat(db.rows("SELECT count(*), count(DISTINCT id) FROM t")).isEqualTo("79990|79990");
        assertThat(db.rows("SELECT count(*) FROM t WHERE v <> 'text ' || id % 100000"))
                .isEqualTo("0");
    }

    @Test
    void everyTypeIsKept() {
        db.run(
                """
                CREATE TABLE t (a SMALLINT, b INT, c BIGINT, d NUMERIC(10,3), e REAL, f DOUBLE PRECISION,
                  g BOOLEAN, h CHAR(5), i VARCHAR(5), j TEXT, k DATE, l TIME, m TIMESTAMP, n BYTEA, o UUID, p VARCHAR(7 BYTES))
                """);
        String values =
                "1, 2, 3, 4.5, 1.25, 1e300, TRUE, 'ab', 'äöü', 'long', '2026-01-31', '10:11:12.5',"
                        + " '2026-01-31 10:00:00.000001', '\\x00ff00', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'seven77'";
        db.run("INSERT INTO t VALUES (" + values + ")");
        db.run("INSERT INTO t (a) VALUES (NULL)");
        assertThat(db.rows("SELECT * FROM t ORDER BY a"))
                .isEqualTo(
                        "1|2|3|4.500|1.25|1e+300|t|ab   |äöü|long|2026-01-31|10:11:12.5|"
                                + "2026-01-31 10:00:00.000001|\\x00ff00|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|seven77; "
                                + "null|null|null|null|null|null|null|null|null|null|null|null|null|null|null|null");
    }

    @Test
    void valuesThatDoNotFitAreRefused() {
        db.run(
                "CREATE TABLE t (a SMALLINT, b VARCHAR(3), c NUMERIC(4,1), d VARCHAR(3 BYTES), e TEXT)");
        assertThat(db.error("INSERT INTO t (a) VALUES (40000)"))
                .startsWith("22003 smallint out of range");
        assertThat(db.error("INSERT INTO t (b) VALUES ('abcd')"))
                .isEqualTo("22001 value too long for type character varying(3)");
        assertThat(db.error("INSERT INTO t (c) VALUES (1000)"))
                .startsWith("22003 numeric field overflow");
        assertThat(db.error("INSERT INTO t (d) VALUES ('ää')")).startsWith("22001");
        assertThat(db.error("INSERT INTO t (e) VALUES (repeat('x', 1048577))")).startsWith("22001");
        assertThat(db.error("INSERT INTO t VALUES ('x')")).startsWith("22P02");
        assertThat(db.error("INSERT INTO t VALUES (1,2,3,4,5,6)"))
                .isEqualTo("42601 INSERT has more expressions than target columns");
        assertThat(db.error("INSERT INTO t (a, x) VALUES (1, 2)"))
                .isEqualTo("42703 column \"x\" of relation \"t\" does not exist");
    }

    @Test
    void constraintsAreKept() {
        db.run(
                "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL CHECK (a > 0), b VARCHAR(20) UNIQUE)");
        db.run("INSERT INTO t VALUES (1, 1, 'x')");
        assertThat(db.error("INSERT INTO t VALUES (2, NULL, 'y')"))
                .isEqualTo(
                        "23502 null value in column \"a\" of relation \"t\" violates not-null constraint"
                                + " / Failing row contains (2, null, y).");
        assertThat(db.error("INSERT INTO t VALUES (2, 0, 'y')"))
                .isEqualTo(
                        "23514 new row for relation \"t\" violates check constraint \"t_a_check\""
                                + " / Failing row contains (2, 0, y).");
        assertThat(db.error("INSERT INTO t VALUES (1, 1, 'z')"))
                .isEqualTo(
                        "23505 duplicate key value violates unique constraint \"t_pkey\" / Key (id)=(1) already exists.");
        assertThat(db.error("INSERT INTO t VALUES (3, 1, 'x')"))
                .isEqualTo(
                        "23505 duplicate key value violates unique constraint \"t_b_key\" / Key (b)=(x) already exists.");
        assertThat(db.error("INSERT INTO t VALUES (3, 1, 'q'), (4, 1, 'q')")).startsWith("23505");
        assertThat(db.run("INSERT INTO t VALUES (5, 1, NULL), (6, 1, NULL)"))
                .isEqualTo("INSERT 0 2");
        assertThat(db.error("UPDATE t SET a = -1 WHERE id = 1")).startsWith("23514");
        assertThat(db.error("UPDATE t SET b = 'x' WHERE id = 5")).startsWith("23505");
        assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("3");
    }

    @Test
    void keysOfManyRowsMoveAtOnce() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT UNIQUE)");
        db.run("INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)");
        assertThat(db.run("UPDATE t SET id = id + 1, v = v + 10")).isEqualTo("UPDATE 3");
        assertThat(db.rows("SELECT * FROM t ORDER BY id")).isEqualTo("2|20; 3|30; 4|40");
        assertThat(db.error("UPDATE t SET id = 9")).startsWith("23505");
        assertThat(db.error("UPDATE t SET v = 40 WHERE id = 2")).startsWith("23505");
        assertThat(db.rows("SELECT id FROM t WHERE v = 30")).isEqualTo("3");
    }

    @Test
    void returningGivesWhatWasDone() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
        assertThat(db.rows("INSERT INTO t VALUES (1, 10), (2, 20) RETURNING id, v * 2 AS twice"))
                .isEqualTo("1|20; 2|40");
        assertThat(db.rows("UPDATE t SET v = v + 1 WHERE id = 1 RETURNING *")).isEqualTo("1|11");
        assertThat(db.rows("DELETE FROM t WHERE id = 2 RETURNING v")).isEqualTo("20");
    }

    @Test
    void conflictsAreResolved() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10) UNIQUE, n INT DEFAULT 0)");
        db.run("INSERT INTO t VALUES (1, 'a', 1)");
        assertThat(db.run("INSERT INTO t VALUES (1, 'b', 1), (2, 'b', 1) ON CONFLICT DO NOTHING"))
                .isEqualTo("INSERT 0 1");
        assertThat(
                        db.rows(
                                "INSERT INTO t VALUES (9, 'a', 5) ON CONFLICT (name) DO UPDATE SET n = t.n + excluded.n"
                                        + " RETURNING *"))
                .isEqualTo("1|a|6");
        assertThat(
                        db.run(
                                "INSERT INTO t VALUES (2, 'z', 5) ON CONFLICT (id) DO UPDATE SET n = 7 WHERE t.n > 100"))
                .isEqualTo("INSERT 0 0");
        assertThat(db.error("INSERT INTO t VALUES (3, 'a', 5) ON CONFLICT (id) DO NOTHING"))
                .startsWith("23505");
        assertThat(db.error("INSERT INTO t VALUES (3, 'a', 5) ON CONFLICT (n) DO NOTHING"))
                .startsWith("42P10");
        assertThat(
                        db.error(
                                "INSERT INTO t VALUES (5, 'q', 5), (5, 'q', 6) ON CONFLICT (id) DO UPDATE SET n = 1"))
                .startsWith("21000");
    }

    @Test
    void otherTablesAreUsed() {
        db.run(
                "CREATE TABLE a (id INT PRIMARY KEY, v INT); CREATE TABLE b (id INT PRIMARY KEY, w INT)");
        db.run(
                "INSERT INTO a VALUES (1, 0), (2, 0), (3, 0); INSERT INTO b VALUES (1, 10), (2, 20)");
        assertThat(db.run("UPDATE a SET v = b.w FROM b WHERE a.id = b.id")).isEqualTo("UPDATE 2");
        assertThat(db.rows("SELECT * FROM a ORDER BY id")).isEqualTo("1|10; 2|20; 3|0");
        assertThat(db.run("DELETE FROM a USING b WHERE a.id = b.id AND b.w = 10"))
                .isEqualTo("DELETE 1");
        assertThat(db.run("UPDATE a SET v = (SELECT max(w) FROM b) WHERE id = 3"))
                .isEqualTo("UPDATE 1");
        assertThat(db.run("INSERT INTO a SELECT id + 100, w FROM b")).isEqualTo("INSERT 0 2");
        assertThat(db.run("INSERT INTO a SELECT id + 1000, v FROM a")).isEqualTo("INSERT 0 4");
        assertThat(db.rows("SELECT count(*), sum(v) FROM a")).isEqualTo("8|140");
    }

    @Test
    void tablesWithoutAKeyKeepEveryRow() {
        db.run("CREATE TABLE t (a INT)");
        db.run("INSERT INTO t VALUES (1), (1), (2)");
        assertThat(db.rows("SELECT * FROM t ORDER BY a")).isEqualTo("1; 1; 2");
        assertThat(db.run("UPDATE t SET a = a + 1 WHERE a = 1")).isEqualTo("UPDATE 2");
        assertThat(db.run("DELETE FROM t WHERE a = 2")).isEqualTo("DELETE 3");
        assertThat(db.error("SELECT rowid FROM t")).startsWith("42703");
    }

    @Test
    void rowsOfOtherTablesAreInsertedWhileTheyAreRead() {
        db.run(
                "CREATE TABLE a (id INT PRIMARY KEY, v INT); CREATE TABLE b (id INT PRIMARY KEY, v INT)");
        db.run("SET work_mem = '64kB'");
        db.run("INSERT INTO a SELECT i, -i FROM generate_series(1, 5000) s (i)");
        db.run("INSERT INTO b SELECT id, v FROM a WHERE id > 100");
        assertThat(db.rows("SELECT count(*), min(id), sum(v) FROM b"))
                .isEqualTo("4900|101|-12497450");
        // A scan of its own rows gives none that it inserts; other queries are collected before.
        assertThat(db.run("INSERT INTO b SELECT id + 5000, v FROM b")).isEqualTo("INSERT 0 4900");
        assertThat(db.rows("SELECT count(*), max(id), sum(v) FROM b"))
                .isEqualTo("9800|10000|-24994900");
        db.run("INSERT INTO b SELECT id + 10000, (SELECT max(v) FROM b) FROM a");
        db.run("INSERT INTO b SELECT id + 20000, max(v) FROM b WHERE id <= 200 GROUP BY id");
        assertThat(db.rows("SELECT count(*), max(id) FROM b")).isEqualTo("14900|20200");
    }

    /// What is read later may depend on what was changed before: then all is read before. Here it
    /// does not, and nothing is kept.
    @Test
    void rowsAreChangedWhileTheyAreRead() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT, u INT UNIQUE)");
        db.run("CREATE INDEX ON t (w)");
        db.run("INSERT INTO t SELECT i, i, i, i FROM generate_series(1, 5000) s (i)");
        db.run("SET work_mem = '64kB'");
        assertThat(db.run("UPDATE t SET v = v + 1, w = -w")).isEqualTo("UPDATE 5000");
        assertThat(db.rows("SELECT count(*), sum(v), sum(w), sum(u) FROM t"))
                .isEqualTo("5000|12507500|-12502500|12502500");
        assertThat(db.run("BEGIN; UPDATE t SET v = 0; UPDATE t SET v = v + 1 WHERE v = 0"))
                .isEqualTo("BEGIN, UPDATE 5000, UPDATE 5000");
        assertThat(db.run("DELETE FROM t WHERE v = 1 AND id > 1000")).isEqualTo("DELETE 4000");
        assertThat(db.rows("SELECT count(*), sum(v) FROM t")).isEqualTo("1000|1000");
        db.run("ROLLBACK");
        assertThat(db.rows("SELECT count(*), sum(v) FROM t")).isEqualTo("5000|12507500");
        assertThat(db.error("UPDATE t SET v = v + 1 RETURNING v")).startsWith("53200");
        assertThat(db.run("DELETE FROM t")).isEqualTo("DELETE 5000");
        assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("0");
    }

    /// Each of these depends on rows that it changes itself: all are read first, and spilled.
    @Test
    void rowsThatAreCollectedAreSpilled() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT CHECK (v < 9000), u INT UNIQUE)");
        db.run("INSERT INTO t SELECT i, i, i FROM generate_series(1, 5000) s (i)");
        db.run("SET work_mem = '64kB'");
        assertThat(db.run("UPDATE t SET u = u + 1")).isEqualTo("UPDATE 5000");
        assertThat(db.run("UPDATE t SET id = 5001 - id")).isEqualTo("UPDATE 5000");
        assertThat(db.rows("SELECT count(*), sum(id * v), sum(u - v) FROM t"))
                .isEqualTo("5000|20845835000|5000");
        assertThat(db.error("UPDATE t SET id = id + 1, v = v + 4000")).startsWith("23514");
        assertThat(db.error("UPDATE t SET id = id % 4999 + 1, u = u + 1")).startsWith("23505");
        assertThat(
                        db.run(
                                "UPDATE t SET v = (SELECT max(v) FROM t x WHERE x.id = t.id - 1) WHERE id > 1"))
                .isEqualTo("UPDATE 4999");
        assertThat(db.rows("SELECT count(*), sum(id + v) FROM t")).isEqualTo("5000|25009999");
        // Each row is found three times, the first of them counts.
        db.run("CREATE TABLE s (id INT PRIMARY KEY, t INT, n INT)");
        db.run("INSERT INTO s SELECT i, i / 3, 0 FROM generate_series(3, 15002) s (i)");
        assertThat(db.run("UPDATE t SET v = n + 7 FROM s WHERE s.t = t.id"))
                .isEqualTo("UPDATE 5000");
        assertThat(db.rows("SELECT count(*), min(v), max(v) FROM t")).isEqualTo("5000|7|7");
        assertThat(db.run("BEGIN; DELETE FROM t USING s WHERE s.t = t.id; ROLLBACK"))
                .isEqualTo("BEGIN, DELETE 5000, ROLLBACK");
        assertThat(db.run("DELETE FROM t WHERE EXISTS (SELECT 1 FROM t x WHERE x.id = t.id + 1)"))
                .isEqualTo("DELETE 4999");
        assertThat(db.rows("SELECT id FROM t")).isEqualTo("5000");
        db.run("SET temp_file_limit = '16kB'");
        assertThat(db.error("UPDATE s SET id = id + 1")).startsWith("53400");
        assertThat(db.rows("SELECT count(*), min(id) FROM s")).isEqualTo("15000|3");
    }

    /// The row that violates a constraint follows changed ones.
    @Test
    void whatWasChangedBeforeAFailureIsUndone() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT CHECK (v < 5000))");
        db.run("INSERT INTO t SELECT i, i FROM generate_series(1, 4999) s (i)");
        assertThat(db.error("UPDATE t SET v = v + 1")).startsWith("23514");
        assertThat(db.rows("SELECT count(*), sum(v) FROM t")).isEqualTo("4999|12497500");
    }

    @Test
    void manyRowsAreOneStatement() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT UNIQUE)");
        StringBuilder values = new StringBuilder("INSERT INTO t VALUES (0, 0)");
        for (int i = 1; i < 2000; i++) {
            values.append(", (").append(i).append(", ").append(i).append(')');
        }
        assertThat(db.run(values.toString())).isEqualTo("INSERT 0 2000");
        assertThat(db.run("UPDATE t SET v = v + 1")).isEqualTo("UPDATE 2000");
        assertThat(db.run("DELETE FROM t WHERE id >= 1000")).isEqualTo("DELETE 1000");
        assertThat(db.rows("SELECT count(*), min(v), max(v) FROM t")).isEqualTo("1000|1|1000");
    }
}

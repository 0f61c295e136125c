package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/// Generated columns, besides what the golden files have.
class GeneratedColumnsTest {
    @Test
    void theyAreRestored() throws IOException {
        String dump;
        try (SqlFixture db = new SqlFixture()) {
            db.run(
                    "CREATE TABLE t (id INT PRIMARY KEY, \"A\" INT, b INT GENERATED ALWAYS AS"
                            + " (\"A\" + 1) STORED UNIQUE, c TEXT DEFAULT 'x');"
                            + "INSERT INTO t VALUES (1, 10), (2, NULL)");
            StringWriter out = new StringWriter();
            SqlDump.write(db.session, out);
            dump = out.toString();
        }
        assertThat(dump).contains("GENERATED ALWAYS AS (\"A\" + 1) STORED");
        try (SqlFixture db = new SqlFixture()) {
            SqlFixture.restore(db.session, dump);
            assertThat(db.rows("SELECT * FROM t ORDER BY id"))
                    .isEqualTo("1|10|11|x; 2|null|null|x");
            assertThat(db.rows("UPDATE t SET \"A\" = 5 WHERE id = 2 RETURNING b")).isEqualTo("6");
            assertThat(db.error("INSERT INTO t VALUES (3, 5)")).startsWith("23505");
        }
    }

    @Test
    void theyAreMadeOfLongValues() {
        try (SqlFixture db = new SqlFixture()) {
            db.run(
                    "CREATE TABLE t (id INT PRIMARY KEY, n INT, long TEXT, size INT GENERATED ALWAYS"
                            + " AS (length(long) + n) STORED);"
                            + "INSERT INTO t VALUES (1, 1, repeat('x', 5000)), (2, 2, 'short')");
            assertThat(db.rows("SELECT size FROM t ORDER BY id")).isEqualTo("5001; 7");
            db.run("UPDATE t SET n = 10");
            assertThat(db.rows("SELECT size FROM t ORDER BY id")).isEqualTo("5010; 15");
            db.run("UPDATE t SET n = 20 WHERE id = 1");
            assertThat(db.rows("SELECT size FROM t ORDER BY id")).isEqualTo("5020; 15");
            db.run("ALTER TABLE t ADD COLUMN twice TEXT GENERATED ALWAYS AS (long || long) STORED");
            assertThat(db.rows("SELECT length(twice), twice = long || long FROM t ORDER BY id"))
                    .isEqualTo("10000|t; 10|t");
            db.run("INSERT INTO t VALUES (1, 0, '') ON CONFLICT (id) DO UPDATE SET n = 30");
            assertThat(db.rows("SELECT size, length(twice) FROM t WHERE id = 1"))
                    .isEqualTo("5030|10000");
        }
    }
}

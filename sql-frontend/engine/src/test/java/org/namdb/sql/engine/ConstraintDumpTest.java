package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/// Dumps of constraints that not all rows fulfil, and of what has no columns.
class ConstraintDumpTest {
    private static final String CONSTRAINTS =
            "SELECT conname, convalidated, pg_get_constraintdef(oid) FROM pg_constraint"
                    + " WHERE conrelid = 'child'::regclass ORDER BY conname";

    @Test
    void whatIsNotValidIsRestoredSo() throws IOException {
        String dump;
        try (SqlFixture db = new SqlFixture()) {
            db.run(
                    "CREATE TABLE parent (id INT PRIMARY KEY);"
                            + "CREATE TABLE child (id INT PRIMARY KEY, parent_id INT, n INT);"
                            + "INSERT INTO child VALUES (1, 9, -5);"
                            + "ALTER TABLE child ADD CONSTRAINT a CHECK (n > 0) NOT VALID,"
                            + " ADD CONSTRAINT b CHECK (n > -9), ADD CONSTRAINT c FOREIGN KEY"
                            + " (parent_id) REFERENCES parent ON DELETE CASCADE NOT VALID");
            StringWriter out = new StringWriter();
            SqlDump.write(db.session, out);
            dump = out.toString();
        }
        try (SqlFixture db = new SqlFixture()) {
            SqlFixture.restore(db.session, dump);
            assertThat(db.rows("SELECT * FROM child")).isEqualTo("1|9|-5");
            assertThat(db.rows(CONSTRAINTS))
                    .isEqualTo(
                            "a|f|CHECK ((n > 0)) NOT VALID; b|t|CHECK ((n > -9));"
                                    + " c|f|FOREIGN KEY (parent_id) REFERENCES parent(id) ON DELETE"
                                    + " CASCADE NOT VALID; child_pkey|t|PRIMARY KEY (id)");
            assertThat(db.error("INSERT INTO child VALUES (2, NULL, -1)")).startsWith("23514");
            assertThat(db.error("INSERT INTO child VALUES (2, 9, 1)")).startsWith("23503");
        }
    }

    @Test
    void whatHasNoColumnsIsRestored() throws IOException {
        String dump;
        try (SqlFixture db = new SqlFixture()) {
            db.run(
                    "CREATE TABLE empty (); INSERT INTO empty DEFAULT VALUES;"
                            + "CREATE VIEW nothing AS SELECT FROM empty");
            StringWriter out = new StringWriter();
            SqlDump.write(db.session, out);
            dump = out.toString();
        }
        try (SqlFixture db = new SqlFixture()) {
            SqlFixture.restore(db.session, dump);
            assertThat(db.rows("SELECT count(*) FROM empty, nothing")).isEqualTo("1");
        }
    }
}

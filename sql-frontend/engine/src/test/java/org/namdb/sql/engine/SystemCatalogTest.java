package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.namdb.sql.language.result.Result;

/// What clients look up in `pg_catalog` and `information_schema`, and what they call for it.
class SystemCatalogTest {
    private static SqlFixture db;

    @BeforeAll
    static void open() {
        db = new SqlFixture();
        db.run(
                "CREATE TABLE parent (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE);"
                        + "CREATE TABLE child (a INT, b BIGINT, parent INT REFERENCES parent ON DELETE"
                        + " CASCADE, v NUMERIC(10, 2) DEFAULT 1, PRIMARY KEY (b, a), CHECK (v > 0));"
                        + "CREATE TABLE loose (x TEXT);");
    }

    @AfterAll
    static void close() {
        db.close();
    }

    @Test
    void relationsAreReadLikeTables() {
        assertThat(
                        db.rows(
                                "SELECT c.relname, n.nspname FROM pg_class c JOIN pg_namespace n"
                                        + " ON n.oid = c.relnamespace WHERE c.relkind = 'r' ORDER BY 1"))
                .isEqualTo("child|public; loose|public; parent|public");
        assertThat(
                        db.rows(
                                "SELECT attname, format_type(atttypid, atttypmod), attnotnull, attnum"
                                        + " FROM pg_catalog.pg_attribute WHERE attrelid = 'child'::regclass"
                                        + " ORDER BY attnum"))
                .isEqualTo("a|integer|t|1; b|bigint|t|2; parent|integer|f|3; v|numeric(10,2)|f|4");
        assertThat(db.rows("SELECT count(*) FROM pg_attribute WHERE attrelid = 'loose'::regclass"))
                .isEqualTo("1");
        assertThat(
                        db.rows(
                                "SELECT table_name, column_name, data_type, is_nullable, column_default"
                                        + " FROM information_schema.columns WHERE column_name IN ('v', 'name')"
                                        + " ORDER BY 1"))
                .isEqualTo("child|v|numeric|YES|1; parent|name|character varying|NO|null");
    }

    @Test
    void aStringConstantIsADefaultOfItsType() {
        db.run(
                "CREATE TABLE defaults (id INT PRIMARY KEY, a VARCHAR(5) DEFAULT 'it''s', b CHAR(2)"
                        + " DEFAULT 'x', c DATE DEFAULT '2024-02-29', d TEXT DEFAULT upper('x'),"
                        + " e INT DEFAULT 5)");
        String shown = "'it''s'::character varying; 'x'::bpchar; '2024-02-29'::date; upper('x'); 5";
        assertThat(
                        db.rows(
                                "SELECT column_default FROM information_schema.columns WHERE table_name"
                                        + " = 'defaults' AND column_name <> 'id' ORDER BY"
                                        + " ordinal_position"))
                .isEqualTo(shown);
        assertThat(
                        db.rows(
                                "SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid ="
                                        + " 'defaults'::regclass ORDER BY adnum"))
                .isEqualTo(shown);
        db.run("INSERT INTO defaults (id) VALUES (1); DROP TABLE defaults");
    }

    @Test
    void keysAndConstraintsAreThere() {
        assertThat(
                        db.rows(
                                "SELECT conname, contype, pg_get_constraintdef(oid), conkey"
                                        + " FROM pg_constraint WHERE conrelid = 'child'::regclass ORDER BY 1"))
                .isEqualTo(
                        "child_parent_fkey|f|FOREIGN KEY (parent) REFERENCES parent(id) ON DELETE"
                                + " CASCADE|{3}; child_pkey|p|PRIMARY KEY (b, a)|{2,1};"
                                + " child_v_check|c|CHECK ((v > 0))|null");
        assertThat(
                        db.rows(
                                "SELECT pg_get_indexdef('child_pkey'::regclass), indkey FROM pg_index"
                                        + " WHERE indexrelid = 'child_pkey'::regclass"))
                .isEqualTo("CREATE UNIQUE INDEX child_pkey ON public.child USING btree (b, a)|2 1");
    }

    @Test
    void aNewTableIsThereAtOnceAndHasItsNumberForLife() {
        PreparedStatement count =
                db.session.prepare("SELECT count(*) FROM pg_class WHERE relname LIKE 'later%'");
        assertThat(first(count)).isEqualTo("0");
        db.run("CREATE TABLE later (id INT PRIMARY KEY)");
        assertThat(first(count)).isEqualTo("2");
        String number = db.rows("SELECT 'later'::regclass::oid");
        db.run("CREATE TABLE later_still (id INT PRIMARY KEY); ALTER TABLE later ADD COLUMN x INT");
        assertThat(db.rows("SELECT 'later'::regclass::oid")).isEqualTo(number);
        assertThat(db.rows("SELECT " + number + "::regclass")).isEqualTo("later");
        db.run("DROP TABLE later, later_still");
        assertThat(first(count)).isEqualTo("0");
    }

    private static String first(PreparedStatement statement) {
        try (Result result = statement.execute()) {
            assertThat(result.next()).isTrue();
            return result.text(0);
        }
    }

    @Test
    void itCanNotBeChanged() {
        assertThat(db.error("DELETE FROM pg_class")).startsWith("42501");
        assertThat(db.error("INSERT INTO information_schema.tables DEFAULT VALUES"))
                .startsWith("42501");
        assertThat(db.error("SELECT * FROM pg_catalog.pg_nothing")).startsWith("42P01");
    }

    @Test
    void aTableOfTheUserHidesARelationOfTheCatalog() {
        db.run("CREATE TABLE pg_am (id INT PRIMARY KEY)");
        assertThat(db.rows("SELECT count(*) FROM pg_am")).isEqualTo("0");
        assertThat(db.rows("SELECT count(*) FROM pg_catalog.pg_am")).isEqualTo("3");
        db.run("DROP TABLE pg_am");
    }

    @Test
    void rowNumbersCountEachPartition() {
        String numbered =
                "SELECT i % 3 AS p, i, row_number() OVER (PARTITION BY i % 3 ORDER BY i DESC) AS n"
                        + " FROM generate_series(1, 7) AS s (i)";
        assertThat(db.rows(numbered + " ORDER BY p, n"))
                .isEqualTo("0|6|1; 0|3|2; 1|7|1; 1|4|2; 1|1|3; 2|5|1; 2|2|2");
        assertThat(db.rows("SELECT * FROM (" + numbered + ") AS t WHERE i = 4")).isEqualTo("1|4|2");
        assertThat(db.rows("SELECT i FROM (" + numbered + ") AS t WHERE n = 1 ORDER BY i"))
                .isEqualTo("5; 6; 7");
        assertThat(
                        db.rows(
                                "SELECT (SELECT sum(n) FROM (SELECT row_number() OVER (ORDER BY i) AS n"
                                        + " FROM generate_series(1, 3) AS s (i) WHERE i <= j) AS t)"
                                        + " FROM generate_series(1, 3) AS u (j)"))
                .isEqualTo("1; 3; 6");
    }

    @Test
    void regularExpressions() {
        assertThat(
                        db.rows(
                                "SELECT 'abc' ~ '^a.c$', 'abc' ~ 'B', 'abc' ~* 'B', 'abc' !~ 'b', 'ab' !~* 'C'"))
                .isEqualTo("t|f|t|f|t");
        assertThat(
                        db.rows(
                                "SELECT NULL ~ 'a', 'a' OPERATOR(pg_catalog.~) 'a' COLLATE pg_catalog.\"C\""))
                .isEqualTo("null|t");
        assertThat(db.error("SELECT 'a' ~ '('")).startsWith("2201B");
    }

    @Test
    void functionsOfTheSession() {
        assertThat(
                        db.rows(
                                "SELECT set_config('work_mem', '1MB', false), current_setting('work_mem')"))
                .isEqualTo("1MB|1MB");
        assertThat(db.rows("SELECT current_setting('no.such', true)")).isEqualTo("null");
        assertThat(db.error("SELECT current_setting('no.such')")).startsWith("42704");
        assertThat(db.run("PREPARE p AS SELECT 1")).isEqualTo("PREPARE");
        assertThat(db.run("DISCARD ALL")).isEqualTo("DISCARD ALL");
        assertThat(db.rows("SHOW work_mem")).isEqualTo("64MB");
        assertThat(db.error("EXECUTE p")).startsWith("26000");
    }
}

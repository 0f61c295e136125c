package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.namdb.simulated.SimDisk;
import org.namdb.sql.engine.catalog.SqlView;
import org.namdb.sql.engine.catalog.ViewTable;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// Views in dumps, after restarts, and in two compute servers. What they answer is in the golden
/// files.
class ViewsTest {
    private static final String TABLES =
            "CREATE TABLE t (id INT PRIMARY KEY, \"Odd\" TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b')";

    @Test
    void aConditionOnAViewReachesTheTable() {
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run(TABLES + "; CREATE VIEW v (n, o) AS SELECT * FROM t");
            assertThat(fixture.rows("EXPLAIN SELECT o FROM v WHERE n = 2"))
                    .isEqualTo(fixture.rows("EXPLAIN SELECT \"Odd\" AS o FROM t WHERE id = 2"));
        }
    }

    @Test
    void lockingAViewIsRefused() {
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run(TABLES + "; CREATE VIEW v AS SELECT * FROM t");
            assertThat(fixture.error("SELECT * FROM t JOIN v ON v.id = t.id FOR UPDATE"))
                    .startsWith("0A000 FOR UPDATE of a view");
            assertThat(fixture.rows("SELECT t.id FROM t JOIN v ON v.id = t.id FOR UPDATE OF t"))
                    .isNotEmpty();
        }
    }

    @Test
    void theTextFollowsAnotherNameOfATable() {
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run(
                    TABLES
                            + "; CREATE VIEW v AS SELECT t.id, (SELECT max(t.id) FROM t) AS m FROM t"
                            + " JOIN public.t AS u ON u.id = t.id -- of t\n"
                            + "; ALTER TABLE t RENAME TO \"T two\"; CREATE TABLE t (id INT)");
            assertThat(fixture.rows("SELECT * FROM v ORDER BY id")).isEqualTo("1|2; 2|2");
            assertThat(fixture.rows("SELECT definition FROM pg_views"))
                    .isEqualTo(
                            "SELECT t.id, (SELECT max(t.id) FROM \"T two\" AS t) AS m FROM"
                                    + " \"T two\" AS t JOIN \"T two\" AS u ON u.id = t.id;");
            assertThat(fixture.error("ALTER TABLE \"T two\" RENAME COLUMN id TO number"))
                    .startsWith("0A000");
            fixture.run("ALTER TABLE \"T two\" RENAME COLUMN \"Odd\" TO word");
        }
    }

    @Test
    void aViewThatHasLostItsMeaningIsReportedWhereItIsRead() {
        try (SqlFixture fixture = new SqlFixture()) {
            SqlView view =
                    new SqlView(
                            "v",
                            List.of(new SqlView.Column("a", SqlType.INTEGER)),
                            "SELECT 1 AS a FROM a_table_with_a_long_name_that_is_not_there",
                            Set.of(),
                            Ownership.BOOTSTRAP);
            ViewTable.store(fixture.database.engine(), new TreeMap<>(Map.of("v", view)));
            assertThatThrownBy(() -> fixture.rows("SELECT * FROM v"))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> {
                                assertThat(e.state()).isEqualTo(SqlState.UNDEFINED_TABLE);
                                assertThat(e.column()).isEqualTo(15);
                                assertThat(e.context()).isEqualTo("view \"v\"");
                            });
            fixture.run("DROP VIEW v");
        }
    }

    @Test
    void aDumpMakesThemAgain() throws IOException {
        StringWriter dump = new StringWriter();
        String shown = "SELECT viewname, viewowner, definition FROM pg_views ORDER BY 1";
        String expected;
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run(
                    "CREATE TABLE t (id INT PRIMARY KEY, \"Odd\" TEXT); CREATE ROLE ada;"
                            + "CREATE VIEW z AS SELECT * FROM t; CREATE VIEW y AS SELECT \"Odd\", 1 AS"
                            + " \"One\" FROM z; CREATE VIEW a AS SELECT y.*, z.id FROM y, z;"
                            + "ALTER VIEW y OWNER TO ada; GRANT SELECT ON a TO ada");
            SqlDump.write(fixture.session, dump);
            expected = fixture.rows(shown);
        }
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run(dump.toString());
            assertThat(fixture.rows(shown)).isEqualTo(expected);
            StringWriter again = new StringWriter();
            SqlDump.write(fixture.session, again);
            assertThat(again).hasToString(dump.toString());
        }
    }

    @Test
    void aViewOutlastsACrash() {
        SimDisk disk = new SimDisk();
        try (SqlDatabase database = SqlFixture.open(disk);
                SqlSession session = database.session()) {
            SqlFixture.run(session, TABLES + "; CREATE VIEW v AS SELECT * FROM t");
            SimDisk crashed = disk.crashed(new SplittableRandom(1));
            try (SqlDatabase after = SqlFixture.open(crashed);
                    SqlSession again = after.session()) {
                assertThat(SqlFixture.rows(again, "SELECT * FROM v ORDER BY 1"))
                        .isEqualTo("1|a; 2|b");
            }
        }
    }

    @Test
    void anotherComputeServersViewIsFoundAndReplaced() {
        try (TwoSqlServers servers = new TwoSqlServers()) {
            SqlSession a = servers.a;
            SqlSession b = servers.b;
            SqlFixture.run(a, TABLES + "; CREATE VIEW v AS SELECT id FROM t");
            assertThat(SqlFixture.rows(b, "SELECT max(id) FROM v")).isEqualTo("2");
            SqlFixture.run(a, "CREATE OR REPLACE VIEW v AS SELECT 10 * id AS id FROM t");
            assertThat(SqlFixture.rows(b, "SELECT max(id) FROM v")).isEqualTo("20");
            SqlFixture.run(a, "DROP VIEW v");
            assertThat(SqlFixture.error(b, "SELECT * FROM v")).startsWith("42P01");
        }
    }
}

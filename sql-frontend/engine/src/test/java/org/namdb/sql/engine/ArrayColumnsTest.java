package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.simulated.SimDisk;

/// Arrays in columns, views and routines, after whatever they are kept by.
class ArrayColumnsTest {
    /// One column for each type, and an array that is longer than a record has space for.
    private static final String MADE =
            """
            CREATE TABLE t (id INT PRIMARY KEY, a SMALLINT[], b BIGINT[], c NUMERIC(10, 3)[], d NUMERIC[],
                e REAL[], f DOUBLE PRECISION[], g BOOLEAN[], h CHAR(4)[], i VARCHAR(5)[], j TEXT[], k DATE[],
                l TIME[], m TIMESTAMP[], n TIMESTAMPTZ[], o INTERVAL[], p BYTEA[], q UUID[]);
            SET TIME ZONE 'Asia/Tokyo';
            INSERT INTO t VALUES (1, '{-32768,NULL}', '{9223372036854775807}', '{1.5,-0.001}',
                '{1234567890123456789012345.678901}', '{0.1,NaN}', '{1e300,-0.1,Infinity}', '{t,f,NULL}',
                '{ab,"c "}', '{"a b",""}', ARRAY['"', chr(92), NULL, 'null', '{}', 'é,'], '{2024-02-29,0044-03-15 BC}',
                '{23:59:59.999999}', '{1999-12-31 23:59:59.5}', '{2024-07-01 12:00+09}', '{1 mon -2 days 03:04:05.6}',
                ARRAY[decode('00ff5c', 'hex')], '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}');
            INSERT INTO t (id, j, a) SELECT 2, array_agg(i::text ORDER BY i), '{}' FROM generate_series(1, 3000) AS g (i);
            CREATE VIEW v AS SELECT id, c, j[1:3] AS first FROM t;
            CREATE FUNCTION f(x INT[], OUT y TEXT[], OUT z CHAR[]) LANGUAGE plpgsql AS $$
            BEGIN
                y := x::text[] || 'end'::text;
                z := x::text[];
            END $$;
            """;

    private static final String READ =
            "SELECT t.*, v.first, f.y, f.z FROM t, v, f(ARRAY[t.id, 7]) AS f WHERE v.id = t.id ORDER BY 1";

    @Test
    void aDumpMakesThemAgain() throws IOException {
        StringWriter dump = new StringWriter();
        String expected;
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run(MADE);
            expected = fixture.rows(READ);
            fixture.run("SET TIME ZONE 'America/New_York'");
            SqlDump.write(fixture.session, dump);
        }
        try (SqlFixture fixture = new SqlFixture()) {
            SqlFixture.restore(fixture.session, dump.toString());
            fixture.run("SET TIME ZONE 'Asia/Tokyo'");
            assertThat(fixture.rows(READ)).isEqualTo(expected);
        }
    }

    @Test
    void aSliceWithoutAnEndEvaluatesItsArrayOnce() {
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run("CREATE SEQUENCE s");
            String slice = "SELECT (string_to_array(nextval('s')::text || ',x', ','))[1:]";
            assertThat(fixture.rows(slice)).isEqualTo("{1,x}");
            assertThat(fixture.rows(slice)).isEqualTo("{2,x}");
        }
    }

    @Test
    void theyOutlastACrash() {
        SimDisk disk = new SimDisk();
        try (SqlDatabase database = SqlFixture.open(disk);
                SqlSession session = database.session()) {
            SqlFixture.run(session, MADE);
            String expected = SqlFixture.rows(session, READ);
            SimDisk crashed = disk.crashed(new SplittableRandom(1));
            try (SqlDatabase after = SqlFixture.open(crashed);
                    SqlSession again = after.session()) {
                SqlFixture.run(again, "SET TIME ZONE 'Asia/Tokyo'");
                assertThat(SqlFixture.rows(again, READ)).isEqualTo(expected);
                assertThat(SqlFixture.rows(again, "SELECT cardinality(j) FROM t WHERE id = 2"))
                        .isEqualTo("3000");
                SqlFixture.run(again, "ANALYZE t; UPDATE t SET j[1] = 'x' WHERE id = 2");
                assertThat(SqlFixture.rows(again, "SELECT j[1:2] FROM t WHERE 'x' = ANY (j)"))
                        .isEqualTo("{x,2}");
            }
        }
    }
}

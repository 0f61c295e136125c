package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.commit.AbortCause;
import org.namdb.simulated.SimDisk;
import org.namdb.sql.language.result.Result;

/// Sequences with concurrent threads, schema changes and crashes. What they answer is in the golden
/// files.
class SequencesTest {
    private static final int THREADS = 4;
    private static final int VALUES = 500;

    @Test
    void valuesThatManyThreadsGetAreDifferent() throws InterruptedException {
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run("CREATE SEQUENCE s CACHE 5");
            Set<Long> values = new ConcurrentSkipListSet<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                threads.add(
                        Thread.ofVirtual()
                                .start(() -> {
                                    try (SqlSession session = fixture.database.session()) {
                                        for (int j = 0; j < VALUES; j++) {
                                            values.add(value(session, "SELECT nextval('s')"));
                                        }
                                    }
                                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(values).hasSize(THREADS * VALUES);
            assertThat(value(fixture.session, "SELECT last_value FROM s"))
                    .isEqualTo(THREADS * VALUES);
        }
    }

    private static long value(SqlSession session, String query) {
        try (Result result = session.execute(query)) {
            assertThat(result.next()).isTrue();
            return result.int64(0);
        }
    }

    /// The block holds up the schema change, which holds up all that begins: `nextval` in the block
    /// may not wait for it.
    @Test
    void aBlockGetsValuesWhileASchemaChangeWaitsForIt() throws InterruptedException {
        try (SqlFixture fixture = new SqlFixture();
                SqlSession other = fixture.database.session()) {
            fixture.run("CREATE SEQUENCE s; CREATE TABLE t (id INT PRIMARY KEY); BEGIN");
            fixture.rows("SELECT * FROM t");
            CountDownLatch begun = new CountDownLatch(1);
            Thread change =
                    Thread.ofPlatform()
                            .start(() -> {
                                begun.countDown();
                                SqlFixture.run(
                                        other, "SET lock_timeout = '20s'; CREATE TABLE u (id INT)");
                            });
            begun.await();
            Thread.sleep(100); // it waits for the block by now
            for (int i = 1; i <= 100; i++) { // some of them reserve a range
                assertThat(fixture.rows("SELECT nextval('s')")).isEqualTo(Integer.toString(i));
            }
            assertThat(change.isAlive()).isTrue();
            fixture.run("COMMIT");
            change.join();
            assertThat(fixture.rows("SELECT count(*) FROM u")).isEqualTo("0");
        }
    }

    @Test
    void noValueIsGivenAgainAfterACrash() {
        SimDisk disk = new SimDisk();
        try (SqlDatabase database = SqlFixture.open(disk);
                SqlSession session = database.session()) {
            SqlFixture.run(session, "CREATE SEQUENCE s; CREATE SEQUENCE unused START 5");
            for (int i = 1; i <= 40; i++) {
                assertThat(value(session, "SELECT nextval('s')")).isEqualTo(i);
                if (i % 13 == 0) {
                    assertThat(nextAfterACrash(disk))
                            .isGreaterThan(i)
                            .isLessThanOrEqualTo(i + 2 + 2 * 32);
                }
            }
            SqlFixture.rows(session, "SELECT setval('s', 1000)");
            assertThat(nextAfterACrash(disk)).isEqualTo(1001);
            SqlFixture.run(session, "ALTER SEQUENCE s RESTART");
            assertThat(nextAfterACrash(disk)).isEqualTo(1);
            SqlFixture.rows(session, "SELECT nextval('s')");
        }
        try (SqlDatabase database = SqlFixture.open(disk);
                SqlSession session = database.session()) {
            assertThat(value(session, "SELECT nextval('s')"))
                    .as("no gap where it was closed")
                    .isEqualTo(2);
            assertThat(value(session, "SELECT nextval('unused')")).isEqualTo(5);
        }
    }

    private static long nextAfterACrash(SimDisk disk) {
        SimDisk crashed = disk.crashed(new SplittableRandom(1));
        try (SqlDatabase after = SqlFixture.open(crashed);
                SqlSession session = after.session()) {
            return value(session, "SELECT nextval('s')");
        }
    }

    /// A reservation costs what a small transaction does, once for 33 values or more.
    @Test
    void valuesAreReservedWhereUsersHaveAllSessions() {
        try (SqlDatabase database =
                        SqlDatabase.embedded(
                                EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20).withSlots(2));
                SqlSession session = database.session()) {
            SqlFixture.run(session, "CREATE TABLE t (id SERIAL PRIMARY KEY, n INT)");
            try (SqlSession _ = database.session()) {
                SqlFixture.run(session, "INSERT INTO t (n) VALUES (10), (20)");
                assertThat(value(session, "SELECT max(id) FROM t")).isEqualTo(2);
                assertThatThrownBy(database::session).hasMessageContaining("too many clients");
            }
        }
    }

    @Test
    void aThousandValuesTakeFewReservations() {
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run("CREATE SEQUENCE s");
            fixture.rows("SELECT nextval('s')");
            long before = reservations(fixture);
            fixture.rows(
                    "SELECT count(*) FROM (SELECT nextval('s') FROM generate_series(1, 990))"
                            + " AS a (n) WHERE n > 0");
            assertThat(reservations(fixture) - before).isBetween(2L, 32L);
        }
    }

    /// Transactions that have committed, the queries' own among them.
    private static long reservations(SqlFixture fixture) {
        return fixture.database
                .engine()
                .transactions()
                .outcomes()
                .getOrDefault(AbortCause.COMMITTED, 0L);
    }

    /// Each compute server reserves for itself; a change of the sequence ends what others have.
    @Test
    void twoComputeServersGetDifferentValues() {
        try (TwoSqlServers servers = new TwoSqlServers()) {
            SqlSession a = servers.a;
            SqlSession b = servers.b;
            SqlFixture.run(a, "CREATE SEQUENCE s");
            Set<Long> values = new TreeSet<>();
            for (int i = 0; i < 100; i++) {
                values.add(value(a, "SELECT nextval('s')"));
                values.add(value(b, "SELECT nextval('s')"));
            }
            assertThat(values).hasSize(200);
            SqlFixture.run(a, "ALTER SEQUENCE s CACHE 10"); // b has given more than a
            for (int i = 0; i < 100; i++) {
                values.add(value(a, "SELECT nextval('s')"));
                values.add(value(b, "SELECT nextval('s')"));
            }
            assertThat(values).hasSize(400);
            SqlFixture.run(b, "ALTER SEQUENCE s INCREMENT BY 10 RESTART WITH 100000");
            assertThat(value(a, "SELECT nextval('s')")).isEqualTo(100_000);
            assertThat(value(b, "SELECT nextval('s')")).isEqualTo(100_420);
            SqlFixture.run(a, "DROP SEQUENCE s; CREATE SEQUENCE s");
            assertThat(value(b, "SELECT nextval('s')")).isEqualTo(1);
        }
    }

    @Test
    void aDumpMakesThemAgain() throws IOException {
        String dump;
        String expected;
        String state =
                "SELECT sequencename, data_type, start_value, min_value, max_value, increment_by, cycle, cache_size,"
                        + " last_value FROM pg_sequences ORDER BY 1";
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run(
                    "CREATE SEQUENCE \"Odd one\" AS INT INCREMENT -2 MINVALUE -100 START 50 CACHE 3"
                            + " CYCLE MAXVALUE 60; CREATE SEQUENCE fresh;"
                            + "CREATE TABLE t (id SERIAL PRIMARY KEY, n BIGINT GENERATED ALWAYS AS"
                            + " IDENTITY (START 7), m INT GENERATED BY DEFAULT AS IDENTITY, a"
                            + " BIGINT DEFAULT nextval('\"Odd one\"'));"
                            + "ALTER SEQUENCE t_m_seq RENAME TO renamed;"
                            + "INSERT INTO t (m) VALUES (1), (DEFAULT)");
            fixture.run(
                    "CREATE ROLE ada; GRANT USAGE ON SEQUENCE fresh TO ada;"
                            + "ALTER SEQUENCE \"Odd one\" OWNER TO ada; ALTER TABLE t OWNER TO ada");
            StringWriter out = new StringWriter();
            SqlDump.write(fixture.session, out);
            dump = out.toString();
            expected = fixture.rows(state);
        }
        try (SqlFixture fixture = new SqlFixture()) {
            SqlFixture.restore(fixture.session, dump);
            assertThat(fixture.rows(state)).isEqualTo(expected);
            assertThat(fixture.rows("INSERT INTO t DEFAULT VALUES RETURNING *"))
                    .isEqualTo("3|9|2|46");
            assertThat(fixture.rows("SELECT pg_get_serial_sequence('t', 'id')"))
                    .isEqualTo("public.t_id_seq");
            assertThat(fixture.rows("SELECT nextval('fresh')")).isEqualTo("1");
            StringWriter out = new StringWriter();
            SqlDump.write(fixture.session, out);
            assertThat(new TreeSet<>(fixture.database.catalog().sequences().keySet()))
                    .containsExactly("Odd one", "fresh", "renamed", "t_id_seq", "t_n_seq");
            fixture.run("DROP TABLE t");
            assertThat(fixture.rows("SELECT sequencename FROM pg_sequences ORDER BY 1"))
                    .isEqualTo("Odd one; fresh");
        }
    }
}

package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.namdb.memory.client.ServerUsage;
import org.namdb.simulated.SimDisk;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;

/// Temporary tables as other sessions see them, and when their memory is freed. What statements
/// answer is in the golden files.
class TemporaryTablesTest {
    private static final String MADE =
            "CREATE TEMP TABLE t (id SERIAL PRIMARY KEY, word TEXT UNIQUE, long TEXT);"
                    + "CREATE INDEX t_id ON t (id, word);"
                    + "INSERT INTO t (word, long) VALUES ('a', repeat('x', 5000))";

    private static List<String> stored(SqlDatabase database) {
        return database.engine().tableNames().stream()
                .filter(name -> name.contains("pg_temp_"))
                .toList();
    }

    private static long used(SqlDatabase database) {
        return database.engine().usage().stream().mapToLong(ServerUsage::usedBytes).sum();
    }

    private static @Nullable String only(PreparedStatement prepared) {
        try (Result result = prepared.execute()) {
            assertThat(result.next()).isTrue();
            return result.text(0);
        }
    }

    @Test
    void othersSeeNothingOfThem() throws IOException {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession owner = database.session();
                SqlSession other = database.session()) {
            owner.run(MADE, _ -> {});

            assertThat(SqlFixture.rows(owner, "SELECT count(*) FROM t")).isEqualTo("1");
            assertThatThrownBy(() -> other.execute("SELECT * FROM t"))
                    .hasMessage("relation \"t\" does not exist");
            assertThat(
                            SqlFixture.rows(
                                    other,
                                    "SELECT relname FROM pg_class WHERE relname LIKE '%t%'"
                                            + " AND relname NOT LIKE 'pg_%' ORDER BY 1"))
                    .isEmpty();
            assertThat(other.catalog().tables()).isEmpty();
            StringWriter dump = new StringWriter();
            SqlDump.write(owner, dump);
            assertThat(dump.toString()).doesNotContain("pg_temp").doesNotContain("word");
        }
    }

    @Test
    void twoSessionsHaveTablesOfOneName() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession first = database.session();
                SqlSession second = database.session()) {
            first.run("CREATE TEMP TABLE t (a INT); INSERT INTO t VALUES (1)", _ -> {});
            second.run("CREATE TEMP TABLE t (b TEXT); INSERT INTO t VALUES ('two')", _ -> {});
            // The same text is another plan for each.
            assertThat(SqlFixture.rows(first, "SELECT * FROM t")).isEqualTo("1");
            assertThat(SqlFixture.rows(second, "SELECT * FROM t")).isEqualTo("two");
            first.execute("DROP TABLE t");
            assertThat(SqlFixture.rows(second, "SELECT * FROM t")).isEqualTo("two");
        }
    }

    @Test
    void preparedStatementFollowsTheHiddenTable() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession session = database.session()) {
            session.run("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)", _ -> {});
            PreparedStatement prepared = session.prepare("SELECT a FROM t");
            assertThat(only(prepared)).isEqualTo("1");
            session.run("CREATE TEMP TABLE t (a INT); INSERT INTO t VALUES (2)", _ -> {});
            assertThat(only(prepared)).isEqualTo("2");
            session.execute("DISCARD TEMP");
            assertThat(only(prepared)).isEqualTo("1");
        }
    }

    @Test
    void anotherSessionsTableCannotBeReached() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession owner = database.session();
                SqlSession other = database.session()) {
            owner.execute("CREATE TEMP TABLE t (a INT)");
            String name = stored(database).getFirst();
            for (String statement :
                    List.of("SELECT * FROM " + name, "DROP TABLE " + name, "TRUNCATE " + name)) {
                assertThatThrownBy(() -> other.execute(statement))
                        .isInstanceOfSatisfying(
                                SqlException.class,
                                e ->
                                        assertThat(e.state())
                                                .isEqualTo(SqlState.FEATURE_NOT_SUPPORTED))
                        .hasMessage("cannot access temporary tables of other sessions");
            }
        }
    }

    @Test
    void viewsOfThemAreRefused() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession session = database.session()) {
            session.execute("CREATE TEMP TABLE t (a INT)");
            assertThatThrownBy(() -> session.execute("CREATE VIEW v AS SELECT a FROM t"))
                    .hasMessageContaining("views of temporary tables are not supported");
        }
    }

    @Test
    void theEndOfASessionFreesTheirMemory() {
        try (SqlDatabase database = SqlDatabase.embedded()) {
            long[] after = new long[6];
            for (int round = 0; round < after.length; round++) {
                try (SqlSession session = database.session()) {
                    session.run(MADE, _ -> {});
                    assertThat(stored(database)).isNotEmpty();
                }
                assertThat(stored(database)).isEmpty();
                assertThat(database.catalog().sequences()).isEmpty();
                after[round] = used(database);
            }
            assertThat(after[5]).isEqualTo(after[3]);
        }
    }

    @Test
    void aRollbackAndOnCommitDropFreeTheirMemory() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession session = database.session()) {
            session.run("BEGIN;" + MADE + ";ROLLBACK", _ -> {});
            assertThat(stored(database)).isEmpty();
            session.run(
                    "BEGIN; CREATE TEMP TABLE t (a INT) ON COMMIT DROP;"
                            + "INSERT INTO t VALUES (1); COMMIT",
                    _ -> {});
            assertThat(stored(database)).isEmpty();
        }
    }

    @Test
    void whatARunningTransactionHoldsUpIsDroppedByALaterSession() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession other = database.session()) {
            other.execute("CREATE TABLE p (a INT)");
            SqlSession session = database.session();
            session.run(MADE, _ -> {});
            other.run("BEGIN; SELECT * FROM p", _ -> {});
            session.close();
            assertThat(stored(database)).isNotEmpty();
            other.execute("COMMIT");
            try (SqlSession later = database.session()) {
                later.execute("CREATE TEMP TABLE t (a INT)");
            }
            assertThat(stored(database)).isEmpty();
        }
    }

    @Test
    void aKilledProcessLeavesNothing() {
        SimDisk disk = new SimDisk();
        try (SqlDatabase killed = SqlFixture.open(disk);
                SqlSession session = killed.session()) {
            session.run(MADE + "; CREATE TABLE p (a INT); INSERT INTO p VALUES (1)", _ -> {});
            try (SqlDatabase database = SqlFixture.open(disk.crashed(new SplittableRandom(1)));
                    SqlSession reader = database.session()) {
                assertThat(stored(database)).isEmpty();
                assertThat(database.catalog().sequences()).isEmpty();
                assertThat(SqlFixture.rows(reader, "SELECT * FROM p")).isEqualTo("1");
            }
        }
    }

    @Test
    void anotherComputeServerDropsThoseOfOneThatHasEnded() {
        try (TwoSqlServers servers = new TwoSqlServers()) {
            servers.a.run(MADE, _ -> {});
            assertThat(SqlFixture.error(servers.b, "SELECT * FROM t"))
                    .contains("relation \"t\" does not exist");
            endTemporary(servers.other);
            assertThat(stored(servers.other)).isNotEmpty();

            servers.first.close(); // session a is not
            endTemporary(servers.other);
            assertThat(stored(servers.other)).isEmpty();
        }
    }

    /// A session with a temporary table ends, and looks for what others have left.
    private static void endTemporary(SqlDatabase database) {
        try (SqlSession session = database.session()) {
            session.execute("CREATE TEMP TABLE own (a INT)");
        }
    }
}

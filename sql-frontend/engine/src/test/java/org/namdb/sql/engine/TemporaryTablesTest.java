package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringWriter;
import java.time.Duration;
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
                .filter(name -> name.contains("nam:temp:"))
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
            other.run(
                    "CREATE TABLE t (id SERIAL, a TEXT); INSERT INTO t (a) VALUES ('permanent')",
                    _ -> {});
            StringWriter dump = new StringWriter();
            SqlDump.write(owner, dump);
            assertThat(dump.toString()).doesNotContain("temp").doesNotContain("word");
            assertThat(dump.toString()).contains("\nCOPY t (id, a) FROM").contains("1\tpermanent");
        }
    }

    /// A comment on one is no concern of others, nor is it left when the session has ended.
    @Test
    void aCommentLeavesTheCatalogToOthers() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession other = database.session()) {
            try (SqlSession owner = database.session()) {
                owner.run("CREATE TEMP TABLE c (x INT); COMMENT ON TABLE c IS 'mine'", _ -> {});
                assertThat(SqlFixture.rows(other, "SELECT count(*) FROM pg_description"))
                        .isEqualTo("0");
                assertThat(SqlFixture.rows(owner, "SELECT description FROM pg_description"))
                        .isEqualTo("mine");
            }
            assertThat(SqlFixture.rows(other, "SELECT count(*) FROM pg_class WHERE relname = 'c'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void whatTheyDependOnIsKept() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession owner = database.session();
                SqlSession other = database.session()) {
            other.run("CREATE SEQUENCE kept; CREATE SEQUENCE renamed", _ -> {});
            owner.run(
                    "CREATE TEMP TABLE d (a INT DEFAULT nextval('kept'),"
                            + " b INT DEFAULT nextval('renamed'), v INT)",
                    _ -> {});
            assertThatThrownBy(() -> other.execute("DROP SEQUENCE kept"))
                    .hasMessageContaining("because other objects depend on it");
            other.run("ALTER SEQUENCE renamed RENAME TO other_name", _ -> {});
            assertThat(SqlFixture.rows(owner, "INSERT INTO d (v) VALUES (7) RETURNING *"))
                    .isEqualTo("1|1|7");
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
            String name = '"' + stored(database).getFirst() + '"';
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
            long tableBytes = 0;
            for (int round = 0; round < after.length; round++) {
                try (SqlSession session = database.session()) {
                    long before = used(database);
                    session.run(MADE, _ -> {});
                    assertThat(stored(database)).isNotEmpty();
                    tableBytes = used(database) - before;
                }
                assertThat(stored(database)).isEmpty();
                assertThat(database.catalog().sequences()).isEmpty();
                after[round] = used(database);
            }
            // Garbage of the catalog's own rows may wait for its collection.
            assertThat(after[5] - after[1]).isLessThan(tableBytes / 2);
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
    void anySessionTriesAgainAfterAWhile() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession other = database.session()) {
            other.execute("CREATE TABLE p (a INT)");
            SqlSession session = database.session();
            session.run(MADE, _ -> {});
            other.run("BEGIN; SELECT * FROM p", _ -> {});
            session.close();
            TemporarySchemas soon = new TemporarySchemas(database, Duration.ZERO);
            TemporarySchemas later = new TemporarySchemas(database, Duration.ofDays(1));
            soon.dropLeft();
            later.dropLeft();
            assertThat(stored(database)).isNotEmpty();
            other.execute("COMMIT");
            later.retry();
            assertThat(stored(database)).isNotEmpty();
            soon.retry();
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

    private static void assertRefused(SqlSession session, String sql, SqlState state) {
        assertThatThrownBy(() -> session.run(sql, _ -> {}))
                .as(sql)
                .isInstanceOfSatisfying(
                        SqlException.class, e -> assertThat(e.state()).as(sql).isEqualTo(state));
    }

    @Test
    void noRelationGetsANameInATemporarySchema() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession owner = database.session();
                SqlSession session = database.session()) {
            owner.run(MADE, _ -> {});
            List<String> before = stored(database);
            String schema = before.getFirst().replaceAll("\\..*", "");
            session.run(
                    "CREATE TABLE p (a INT); CREATE SEQUENCE s; CREATE VIEW v AS SELECT 1 AS a;"
                            + "CREATE TEMP TABLE own (a INT)",
                    _ -> {});
            for (String prefix :
                    List.of(
                            "pg_temp_0_7",
                            "pg_temp_99999999999999999999_1",
                            schema,
                            "nam:temp:x")) {
                for (String template :
                        List.of(
                                "CREATE TABLE %s (a INT)",
                                "CREATE TEMP TABLE %s (a INT)",
                                "CREATE TABLE %s AS SELECT 1 AS a",
                                "CREATE TABLE n (a INT CONSTRAINT %s PRIMARY KEY)",
                                "CREATE TEMP TABLE n (a INT CONSTRAINT %s UNIQUE)",
                                "CREATE TABLE n (a INT GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME %s))",
                                "CREATE INDEX %s ON p (a)",
                                "CREATE INDEX %s ON own (a)",
                                "CREATE VIEW %s AS SELECT 1 AS a",
                                "CREATE SEQUENCE %s",
                                "ALTER TABLE p ADD CONSTRAINT %s UNIQUE (a)",
                                "ALTER TABLE p RENAME TO %s",
                                "ALTER TABLE own RENAME TO %s",
                                "ALTER SEQUENCE s RENAME TO %s",
                                "ALTER VIEW v RENAME TO %s")) {
                    assertRefused(
                            session,
                            template.formatted('"' + prefix + ".t\n2\""),
                            prefix.startsWith("nam:")
                                    ? SqlState.INVALID_NAME
                                    : SqlState.RESERVED_NAME);
                }
            }
            assertThat(stored(database)).containsAll(before).hasSize(before.size() + 1);
            // It is an odd name of a permanent table, and no way to one of another session.
            session.execute("CREATE TABLE \"public." + before.getFirst() + "\" (a INT)");
            assertThat(stored(database)).containsAll(before);
            assertThat(SqlFixture.rows(owner, "SELECT count(*) FROM t")).isEqualTo("1");
        }
    }

    @Test
    void onlyTablesCanBeTemporary() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession session = database.session()) {
            session.execute("CREATE VIEW v AS SELECT 1 AS a");
            for (String sql :
                    List.of(
                            "CREATE VIEW pg_temp.w AS SELECT 1 AS a",
                            "CREATE SEQUENCE pg_temp.s",
                            "ALTER VIEW v RENAME TO \"pg_temp.w\"")) {
                assertRefused(session, sql, SqlState.FEATURE_NOT_SUPPORTED);
            }
        }
    }

    @Test
    void aLostTableIsNotTakenForAPermanentOneOfItsName() {
        try (TwoSqlServers servers = new TwoSqlServers()) {
            servers.a.run(
                    "CREATE TABLE t (id SERIAL PRIMARY KEY, word TEXT); CREATE INDEX i ON t (word);"
                            + "CREATE TABLE other (a INT);"
                            + "INSERT INTO t (word) VALUES ('permanent')",
                    _ -> {});
            servers.a.run("CREATE TEMP TABLE t (id SERIAL PRIMARY KEY, word TEXT)", _ -> {});
            servers.a.run("CREATE INDEX i ON t (word); SELECT * FROM t", _ -> {});
            stored(servers.other).forEach(servers.other.engine()::dropTable);

            for (String sql :
                    List.of(
                            "SELECT * FROM t",
                            "INSERT INTO t (word) VALUES ('lost')",
                            "UPDATE t SET word = 'lost'",
                            "DELETE FROM t",
                            "TRUNCATE t",
                            "DROP TABLE t",
                            "DROP TABLE IF EXISTS t",
                            "ALTER TABLE t ADD COLUMN n INT",
                            "DROP INDEX i",
                            "ANALYZE t",
                            "CREATE VIEW v AS SELECT * FROM t",
                            "CREATE TABLE n (t INT REFERENCES t)",
                            "SELECT 't'::regclass::text")) {
                assertRefused(servers.a, sql, SqlState.UNDEFINED_TABLE);
            }
            assertThatThrownBy(() -> servers.a.execute("SELECT * FROM t"))
                    .hasMessage("temporary relation \"t\" does not exist any more");
            assertThat(SqlFixture.rows(servers.a, "SELECT count(*) FROM other")).isEqualTo("0");
            assertThat(SqlFixture.rows(servers.b, "SELECT word FROM t")).isEqualTo("permanent");
            servers.a.execute("CREATE TEMP TABLE t (word TEXT)");
            assertThat(SqlFixture.rows(servers.a, "SELECT count(*) FROM t")).isEqualTo("0");
            assertRefused(servers.a, "DROP INDEX i", SqlState.UNDEFINED_TABLE);
            servers.a.execute("DROP TABLE t");
            assertThat(SqlFixture.rows(servers.a, "SELECT word FROM t")).isEqualTo("permanent");
            assertRefused(servers.a, "DROP INDEX i", SqlState.UNDEFINED_TABLE);
            servers.a.run("DISCARD TEMP; DROP INDEX i", _ -> {});
        }
    }

    @Test
    void sequencesEndWithTheirSession() {
        try (SqlDatabase database = SqlDatabase.embedded()) {
            try (SqlSession session = database.session()) {
                session.run(
                        "CREATE TEMP TABLE t (a SERIAL, b INT GENERATED ALWAYS AS IDENTITY"
                                + " (SEQUENCE NAME named)); INSERT INTO t DEFAULT VALUES;"
                                + "ALTER SEQUENCE t_a_seq OWNED BY NONE",
                        _ -> {});
                session.execute("CREATE TABLE p (a INT)");
                assertRefused(
                        session,
                        "ALTER SEQUENCE t_a_seq OWNED BY p.a",
                        SqlState.NOT_IN_PREREQUISITE_STATE);
                assertThat(database.catalog().sequences()).hasSize(2);
            }
            assertThat(database.catalog().sequences()).isEmpty();
        }
    }

    @Test
    void onCommitNeedsNoRights() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession session = database.session()) {
            session.run(
                    "CREATE ROLE r; BEGIN; CREATE TEMP TABLE d (a INT) ON COMMIT DROP;"
                            + "CREATE TEMP TABLE e (a INT) ON COMMIT DELETE ROWS;"
                            + "INSERT INTO e VALUES (1); SET ROLE r; COMMIT; RESET ROLE",
                    _ -> {});
            assertThat(SqlFixture.rows(session, "SELECT count(*) FROM e")).isEqualTo("0");
            assertThat(SqlFixture.error(session, "SELECT * FROM d")).contains("does not exist");
            session.run("SET ROLE r; DISCARD ALL", _ -> {});
            assertThat(stored(database)).isEmpty();
        }
    }

    @Test
    void aLongNameIsAnalyzedAndDropped() {
        String name = "n".repeat(63);
        try (SqlDatabase database = SqlDatabase.embedded()) {
            try (SqlSession session = database.session()) {
                session.run(
                        "CREATE TEMP TABLE %1$s (a INT UNIQUE); INSERT INTO %1$s VALUES (1);"
                                        .formatted(name)
                                + "ANALYZE "
                                + name,
                        _ -> {});
                assertThat(stored(database)).isNotEmpty();
            }
            assertThat(stored(database)).isEmpty();
        }
    }

    @Test
    void theSchemaMayBeNamedAsItIsShown() {
        try (SqlDatabase database = SqlDatabase.embedded();
                SqlSession session = database.session()) {
            session.run("CREATE TEMP TABLE t (a INT)", _ -> {});
            String schema =
                    SqlFixture.rows(
                            session,
                            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'pg_temp%'");
            session.run("INSERT INTO %1$s.t VALUES (1)".formatted(schema), _ -> {});
            assertThat(
                            SqlFixture.rows(
                                    session,
                                    "SELECT t.a FROM %1$s.t WHERE '%1$s.t'::regclass = 't'::regclass"
                                            .formatted(schema)))
                    .isEqualTo("1");
            assertRefused(session, "SELECT * FROM pg_temp_0_0.t", SqlState.UNDEFINED_TABLE);
            session.run("DROP TABLE %1$s.t".formatted(schema), _ -> {});
            assertThat(stored(database)).isEmpty();
        }
    }

    /// A session with a temporary table ends, and looks for what others have left.
    private static void endTemporary(SqlDatabase database) {
        try (SqlSession session = database.session()) {
            session.execute("CREATE TEMP TABLE own (a INT)");
        }
    }
}

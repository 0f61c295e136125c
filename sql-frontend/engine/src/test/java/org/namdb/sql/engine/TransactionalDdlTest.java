package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.Session;
import org.namdb.compute.journal.JournalException;
import org.namdb.memory.client.ServerUsage;
import org.namdb.simulated.SimDisk;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.timestamp.SlotsExhaustedException;

/// DDL in transaction blocks: what other sessions see of it, what a rollback or a crash leaves, and
/// conflicts. What it answers is in the golden files.
class TransactionalDdlTest {
    /// One statement of each kind, by which all that there is changes.
    private static final List<String> STATEMENTS =
            List.of(
                    "CREATE TABLE made (id SERIAL PRIMARY KEY, word TEXT UNIQUE, t INT REFERENCES t)",
                    "INSERT INTO history VALUES (1)",
                    "INSERT INTO made (word, t) VALUES ('a', 1), ('b', 2)",
                    "CREATE INDEX made_t ON made (t)",
                    "ALTER TABLE t ADD COLUMN more INT DEFAULT 7",
                    "CREATE INDEX t_more ON t (more)",
                    "UPDATE t SET more = id",
                    "ALTER TABLE t RENAME COLUMN word TO text",
                    "ALTER TABLE t RENAME TO renamed",
                    "CREATE VIEW v AS SELECT text FROM renamed",
                    "CREATE SEQUENCE s START 5",
                    "SELECT nextval('s')",
                    "CREATE FUNCTION twice(n INT) RETURNS INT LANGUAGE plpgsql AS 'BEGIN RETURN 2 * n; END'",
                    "CREATE ROLE clerk",
                    "GRANT SELECT ON renamed TO clerk",
                    "ALTER TABLE gone ADD CONSTRAINT positive CHECK (id > 0)",
                    "DROP INDEX gone_word",
                    "DROP TABLE gone");

    private static final String BEFORE =
            "CREATE TABLE history (version INT); CREATE TABLE t (id INT PRIMARY KEY, word TEXT UNIQUE);"
                    + "INSERT INTO t VALUES (1, 'one'), (2, 'two');"
                    + "CREATE TABLE gone (id SERIAL PRIMARY KEY, word TEXT);"
                    + "CREATE INDEX gone_word ON gone (word); INSERT INTO gone (word) VALUES ('x')";

    /// What a session sees of all that.
    private static String seen(SqlSession session) {
        List<String> seen = new ArrayList<>();
        for (String query :
                List.of(
                        "SELECT relname, relkind FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'public')"
                                + " ORDER BY 1",
                        "SELECT proname FROM pg_proc WHERE proname = 'twice'",
                        "SELECT rolname FROM pg_roles ORDER BY 1",
                        "SELECT table_name, column_name FROM information_schema.columns"
                                + " WHERE table_schema = 'public' ORDER BY 1, 2",
                        "SELECT conname FROM pg_constraint ORDER BY 1",
                        "SELECT grantee, table_name FROM information_schema.role_table_grants"
                                + " WHERE grantee = 'clerk' ORDER BY 1, 2")) {
            seen.add(SqlFixture.rows(session, query));
        }
        for (String table : List.of("history", "t", "renamed", "made", "gone", "v")) {
            if (SqlFixture.rows(session, "SELECT 1 FROM pg_class WHERE relname = '" + table + "'")
                    .equals("1")) {
                seen.add(
                        table
                                + ": "
                                + SqlFixture.rows(
                                        session, "SELECT * FROM " + table + " ORDER BY 1"));
            }
        }
        return String.join("\n", seen);
    }

    private static List<Long> usedBytes(SqlDatabase database) {
        return database.engine().usage().stream().map(ServerUsage::usedBytes).toList();
    }

    @Test
    void aRollbackLeavesNothing() {
        try (SqlFixture fixture = new SqlFixture(2)) {
            fixture.run(BEFORE);
            String before = seen(fixture.session);
            List<String> names = fixture.database.engine().tableNames();
            List<Long> bytes = List.of();
            for (int round = 0; round < 6; round++) {
                fixture.run("BEGIN");
                STATEMENTS.forEach(fixture::run);
                assertThat(seen(fixture.session)).isNotEqualTo(before);
                fixture.run("ROLLBACK");
                assertThat(seen(fixture.session)).isEqualTo(before);
                assertThat(fixture.database.engine().tableNames()).isEqualTo(names);
                if (round == 2) {
                    bytes = usedBytes(fixture.database);
                }
            }
            assertThat(usedBytes(fixture.database)).isEqualTo(bytes);
            STATEMENTS.forEach(fixture::run);
        }
    }

    /// The same as without a block, statement by statement.
    @Test
    void aCommitMakesWhatTheStatementsMakeAlone() {
        String expected;
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run(BEFORE);
            STATEMENTS.forEach(fixture::run);
            expected = seen(fixture.session);
        }
        try (SqlFixture fixture = new SqlFixture();
                SqlSession other = fixture.database.session()) {
            fixture.run(BEFORE);
            String before = seen(other);
            fixture.run("BEGIN");
            for (String statement : STATEMENTS) {
                fixture.run(statement);
                assertThat(seen(other)).as(statement).isEqualTo(before);
            }
            assertThat(seen(fixture.session)).isEqualTo(expected);
            fixture.run("COMMIT");
            assertThat(seen(fixture.session)).isEqualTo(expected);
            assertThat(seen(other)).isEqualTo(expected);
            assertThat(SqlFixture.rows(other, "SELECT nextval('s'), twice(4)")).isEqualTo("6|8");
            SqlFixture.run(other, "INSERT INTO made (word, t) VALUES ('c', 1)");
            assertThat(SqlFixture.rows(other, "SELECT max(id) FROM made")).isEqualTo("3");
            assertThat(SqlFixture.error(other, "INSERT INTO made (word) VALUES ('a')"))
                    .startsWith("23505");
            assertThat(SqlFixture.error(other, "DELETE FROM renamed")).startsWith("23503");
            assertThat(SqlFixture.rows(other, "SELECT id FROM renamed WHERE more = 2"))
                    .isEqualTo("2");
        }
    }

    @Test
    void aCommitFreesWhatWasDropped() {
        try (SqlFixture fixture = new SqlFixture()) {
            List<Long> bytes = List.of();
            for (int round = 0; round < 6; round++) {
                fixture.run("BEGIN; CREATE TABLE a (id INT PRIMARY KEY, word TEXT UNIQUE)");
                fixture.run(
                        "INSERT INTO a SELECT n, 'w' || n FROM generate_series(1, 200) AS n(n)");
                fixture.run("CREATE INDEX ON a (word); COMMIT; BEGIN");
                fixture.run("ALTER TABLE a ADD COLUMN more INT; DROP INDEX a_word_idx; COMMIT");
                fixture.run("BEGIN; CREATE TABLE b (id INT); DROP TABLE b; DROP TABLE a; COMMIT");
                if (round == 2) {
                    bytes = usedBytes(fixture.database);
                }
            }
            assertThat(usedBytes(fixture.database)).isEqualTo(bytes);
        }
    }

    @Test
    void tablesChangeTheirNames() {
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run("CREATE TABLE a (id INT); INSERT INTO a VALUES (1)");
            fixture.run("CREATE TABLE b (id INT); INSERT INTO b VALUES (2)");
            fixture.run(
                    "BEGIN; ALTER TABLE a RENAME TO c; ALTER TABLE b RENAME TO a;"
                            + "ALTER TABLE c RENAME TO b; INSERT INTO a VALUES (3)");
            assertThat(fixture.rows("SELECT * FROM a ORDER BY 1")).isEqualTo("2; 3");
            fixture.run("COMMIT");
            assertThat(fixture.rows("SELECT * FROM a ORDER BY 1")).isEqualTo("2; 3");
            assertThat(fixture.rows("SELECT * FROM b")).isEqualTo("1");
        }
    }

    @Test
    void aTableGetsTheNameThatAnotherOneHadBefore() {
        for (List<String> names : List.of(List.of("a", "b", "c"), List.of("c", "b", "a"))) {
            String first = names.get(0);
            String second = names.get(1);
            String third = names.get(2);
            try (SqlFixture fixture = new SqlFixture()) {
                fixture.run("CREATE TABLE " + first + " AS SELECT 1 AS id");
                fixture.run("CREATE TABLE " + second + " AS SELECT 2 AS id");
                fixture.run("BEGIN; ALTER TABLE " + second + " RENAME TO " + third);
                fixture.run("ALTER TABLE " + first + " RENAME TO " + second + "; COMMIT");
                assertThat(fixture.rows("SELECT * FROM " + second)).isEqualTo("1");
                assertThat(fixture.rows("SELECT * FROM " + third)).isEqualTo("2");
                assertThat(fixture.error("SELECT * FROM " + first)).startsWith("42P01");
            }
        }
    }

    @Test
    void aWriteToATableWhoseRowsWereCopiedIsAConflict() {
        for (String change :
                List.of(
                        "INSERT INTO t VALUES (3, 'three')",
                        "DELETE FROM t WHERE id = 1",
                        "UPDATE t SET word = 'uno' WHERE id = 1")) {
            for (String ddl :
                    List.of(
                            "ALTER TABLE t ADD COLUMN more INT",
                            "CREATE INDEX ON t (word)",
                            "CREATE UNIQUE INDEX ON t (word)",
                            "ALTER TABLE t ADD CHECK (id < 100)")) {
                try (SqlFixture fixture = new SqlFixture();
                        SqlSession other = fixture.database.session()) {
                    fixture.run(BEFORE);
                    fixture.run("BEGIN; DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (4, 'x')");
                    fixture.run("INSERT INTO t VALUES (2, 'again')");
                    fixture.run(ddl);
                    SqlFixture.run(other, change);
                    assertThat(fixture.error("COMMIT")).as(change + ddl).startsWith("40001");
                    assertThat(
                                    fixture.rows(
                                            "SELECT count(*) FROM information_schema.columns"
                                                    + " WHERE table_name = 't'"))
                            .isEqualTo("2");
                    fixture.run("BEGIN; UPDATE t SET word = 'y' WHERE id = 2");
                    fixture.run(ddl + "; COMMIT");
                }
            }
        }
    }

    /// Nothing of the block is left when a row of it has lost a conflict.
    @Test
    void aConflictLeavesTheSchemaAsItWas() {
        try (SqlFixture fixture = new SqlFixture();
                SqlSession other = fixture.database.session()) {
            fixture.run(BEFORE);
            String before = seen(fixture.session);
            fixture.run("BEGIN; UPDATE t SET word = 'mine' WHERE id = 1");
            fixture.run("CREATE TABLE made (id INT PRIMARY KEY); INSERT INTO made VALUES (1)");
            SqlFixture.run(other, "UPDATE t SET word = 'one' WHERE id = 1");
            assertThat(fixture.error("COMMIT")).startsWith("40001");
            assertThat(seen(fixture.session)).isEqualTo(before);
            fixture.run("CREATE TABLE made (id INT PRIMARY KEY)");
            assertThat(fixture.rows("SELECT * FROM made")).isEmpty();
        }
    }

    @Test
    void aCommitWaitsForOtherTransactionsWithALimit() {
        try (SqlFixture fixture = new SqlFixture();
                SqlSession other = fixture.database.session()) {
            fixture.run(BEFORE);
            String before = seen(fixture.session);
            SqlFixture.run(other, "BEGIN; SELECT * FROM t");
            fixture.run("SET lock_timeout = '50ms'; BEGIN; CREATE TABLE made (id INT)");
            fixture.run("INSERT INTO made VALUES (1)");
            assertThat(fixture.error("COMMIT")).startsWith("55P03");
            assertThat(seen(fixture.session)).isEqualTo(before);
            SqlFixture.run(other, "COMMIT");
            fixture.run("BEGIN; CREATE TABLE made (id INT); COMMIT");
        }
    }

    /// Another session's DDL waits for the block's end, and holds up nothing meanwhile.
    @Test
    void otherDdlWaitsForTheBlock() throws Exception {
        try (SqlFixture fixture = new SqlFixture();
                SqlSession other = fixture.database.session();
                SqlSession third = fixture.database.session();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            fixture.run("BEGIN; CREATE TABLE made (id INT)");
            SqlFixture.run(other, "SET lock_timeout = '20ms'");
            assertThat(SqlFixture.error(other, "CREATE TABLE mine (id INT)")).startsWith("55P03");
            SqlFixture.run(other, "BEGIN");
            assertThat(SqlFixture.error(other, "CREATE TABLE mine (id INT)")).startsWith("55P03");
            SqlFixture.run(other, "ROLLBACK; SET lock_timeout = '1min'");
            Future<String> made =
                    threads.submit(() -> SqlFixture.run(other, "CREATE TABLE mine (id INT)"));
            assertThat(SqlFixture.rows(third, "SELECT 1 FROM pg_class WHERE relname = 'mine'"))
                    .isEmpty();
            fixture.run("INSERT INTO made VALUES (1); COMMIT");
            assertThat(made.get()).isEqualTo("CREATE TABLE");
            assertThat(SqlFixture.rows(third, "SELECT * FROM mine")).isEmpty();
        }
    }

    @Test
    void aClosedSessionLeavesNothing() {
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run(BEFORE);
            String before = seen(fixture.session);
            List<String> names = fixture.database.engine().tableNames();
            try (SqlSession other = fixture.database.session()) {
                SqlFixture.run(other, "BEGIN");
                STATEMENTS.forEach(statement -> SqlFixture.run(other, statement));
            }
            assertThat(seen(fixture.session)).isEqualTo(before);
            assertThat(fixture.database.engine().tableNames()).isEqualTo(names);
            STATEMENTS.forEach(fixture::run);
        }
    }

    @Test
    void aTableThatDoesNotFitIntoATransactionIsRefused() {
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run(
                    "CREATE TABLE t (id INT PRIMARY KEY, word TEXT); INSERT INTO t SELECT n,"
                            + " repeat('x', 100) FROM generate_series(1, 20000) AS n(n)");
            fixture.run("SET transaction_memory = '1MB'; BEGIN");
            assertThat(fixture.error("ALTER TABLE t ADD COLUMN more INT")).startsWith("53200");
            fixture.run("ROLLBACK");
            fixture.run("ALTER TABLE t ADD COLUMN more INT");
            assertThat(fixture.rows("SELECT count(*) FROM t")).isEqualTo("20000");
        }
    }

    @Test
    void manyRowsAreCopied() {
        try (SqlFixture fixture = new SqlFixture()) {
            fixture.run("CREATE TABLE t (id INT PRIMARY KEY, word TEXT UNIQUE)");
            fixture.run("INSERT INTO t SELECT n, 'w' || n FROM generate_series(1, 20000) AS n(n)");
            fixture.run("BEGIN; DELETE FROM t WHERE id % 2 = 0; ALTER TABLE t ADD COLUMN n INT");
            fixture.run("UPDATE t SET n = id; CREATE INDEX ON t (n); COMMIT");
            assertThat(fixture.rows("SELECT count(*), min(n), max(n) FROM t WHERE n > 100"))
                    .isEqualTo("9950|101|19999");
            assertThat(fixture.rows("SELECT id FROM t WHERE n = 501")).isEqualTo("501");
            assertThat(fixture.error("INSERT INTO t VALUES (2, 'w3')")).startsWith("23505");
        }
    }

    @Test
    void aCommitNeedsNoSessionOfUsers() {
        try (SqlDatabase database =
                        SqlDatabase.embedded(
                                EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20).withSlots(2));
                SqlSession session = database.session()) {
            SqlFixture.run(session, "CREATE TABLE t (id SERIAL PRIMARY KEY, n INT)");
            try (SqlSession _ = database.session()) {
                SqlFixture.run(session, "INSERT INTO t (n) VALUES (10), (20)");
                SqlFixture.run(session, "BEGIN; CREATE INDEX t_n ON t (n); COMMIT");
                assertThat(SqlFixture.rows(session, "SELECT id FROM t WHERE n = 20"))
                        .isEqualTo("2");
                assertThatThrownBy(database::session).hasMessageContaining("too many clients");
            }
        }
    }

    private static String seenAfterACrash(SimDisk disk, long seed) {
        SimDisk crashed = disk.crashed(new SplittableRandom(seed));
        try (SqlDatabase after = SqlFixture.open(crashed);
                SqlSession session = after.session()) {
            return seen(session);
        }
    }

    @Test
    void aCrashBeforeTheCommitLeavesNothingAndOneAfterItAll() {
        SimDisk disk = new SimDisk();
        try (SqlDatabase database = SqlFixture.open(disk);
                SqlSession session = database.session()) {
            SqlFixture.run(session, BEFORE);
            String before = seen(session);
            SqlFixture.run(session, "BEGIN");
            STATEMENTS.forEach(statement -> SqlFixture.run(session, statement));
            assertThat(seenAfterACrash(disk, 1)).isEqualTo(before);
            SqlFixture.run(session, "COMMIT");
            assertThat(seenAfterACrash(disk, 2)).isEqualTo(seen(session));
            SqlFixture.run(session, "BEGIN; CREATE TABLE alone (id INT); COMMIT");
            assertThat(seenAfterACrash(disk, 3)).isEqualTo(seen(session));
        }
    }

    /// It is run as a transaction of its own.
    @Test
    void aRenameOutsideOfABlockOutlivesACrash() {
        SimDisk disk = new SimDisk();
        try (SqlDatabase database = SqlFixture.open(disk);
                SqlSession session = database.session()) {
            SqlFixture.run(
                    session,
                    "CREATE TABLE t (id INT PRIMARY KEY, n INT UNIQUE);"
                            + " CREATE TABLE child (id INT PRIMARY KEY, n INT REFERENCES t (n));"
                            + " CREATE VIEW v AS SELECT id FROM t; INSERT INTO t VALUES (1, 10)");
            SqlFixture.run(session, "ALTER TABLE t RENAME COLUMN n TO m");
            SqlFixture.run(session, "ALTER TABLE t RENAME TO u; ALTER VIEW v RENAME TO w");
            SqlFixture.run(session, "INSERT INTO u VALUES (2, 20)");
        }
        try (SqlDatabase after = SqlFixture.open(disk.crashed(new SplittableRandom(1)));
                SqlSession session = after.session()) {
            assertThat(SqlFixture.rows(session, "SELECT m FROM u WHERE m > 1 ORDER BY m"))
                    .isEqualTo("10; 20");
            assertThat(SqlFixture.rows(session, "SELECT count(*) FROM w")).isEqualTo("2");
            assertThat(SqlFixture.error(session, "INSERT INTO child VALUES (1, 30)"))
                    .startsWith("23503");
            SqlFixture.run(session, "INSERT INTO child VALUES (1, 20)");
        }
    }

    /// Of what the journal has written and not forced, a crash keeps anything.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aCrashLeavesAllOfTheBlockOrNothing(long seed) {
        SimDisk disk = new SimDisk();
        try (SqlDatabase database = SqlFixture.open(disk);
                SqlSession session = database.session()) {
            SqlFixture.run(session, BEFORE);
            String before = seen(session);
            SqlFixture.run(session, "SET durability = none; BEGIN");
            STATEMENTS.forEach(statement -> SqlFixture.run(session, statement));
            SqlFixture.run(session, "COMMIT");
            assertThat(seenAfterACrash(disk, seed)).isIn(before, seen(session));
        }
    }

    /// The commit forces the journal several times: what makes the rows durable makes the names so.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void aDiskThatFailsAtTheCommitKeepsAllOfTheBlockOrNothing(int force) {
        SimDisk disk = new SimDisk();
        SqlDatabase database = SqlFixture.open(disk);
        try {
            SqlSession session = database.session();
            SqlFixture.run(session, BEFORE);
            String before = seen(session);
            SqlFixture.run(session, "BEGIN");
            STATEMENTS.forEach(statement -> SqlFixture.run(session, statement));
            String within = seen(session);
            disk.failForces(force);
            try {
                SqlFixture.run(session, "COMMIT");
            } catch (SqlException e) {
                assertThat(e.state()).isEqualTo(SqlState.IO_ERROR);
            }
            for (int seed = 0; seed < 12; seed++) {
                assertThat(seenAfterACrash(disk, seed)).isIn(before, within);
            }
        } finally {
            assertThatCode(database::close)
                    .satisfiesAnyOf(
                            thrown -> assertThat(thrown).isNull(),
                            thrown -> assertThat(thrown).isInstanceOf(JournalException.class));
        }
    }

    @Test
    void anotherComputeServerSeesItAtTheCommit() {
        try (TwoSqlServers servers = new TwoSqlServers()) {
            SqlSession a = servers.a;
            SqlSession b = servers.b;
            SqlFixture.run(a, BEFORE);
            String before = seen(b);
            for (String end : List.of("ROLLBACK", "COMMIT")) {
                SqlFixture.run(a, "BEGIN");
                STATEMENTS.forEach(statement -> SqlFixture.run(a, statement));
                String within = seen(a);
                assertThat(seen(b)).isEqualTo(before);
                SqlFixture.run(a, end);
                assertThat(seen(a)).isEqualTo(end.equals("COMMIT") ? within : before);
                assertThat(seen(b)).isEqualTo(seen(a));
            }
            SqlFixture.run(b, "BEGIN; ALTER TABLE made ADD COLUMN n INT; UPDATE made SET n = id");
            SqlFixture.run(a, "SET lock_timeout = '50ms'");
            assertThat(SqlFixture.error(a, "CREATE TABLE mine (id INT)")).startsWith("55P03");
            SqlFixture.run(b, "COMMIT");
            assertThat(SqlFixture.rows(a, "SELECT id, n FROM made ORDER BY 1"))
                    .isEqualTo("1|1; 2|2");
        }
    }

    @Test
    void aCommitStandsThoughNoSessionIsLeftToDeleteTheRowOfASequence() {
        EmbeddedOptions options = EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20).withSlots(2);
        List<Session> reserve = new ArrayList<>();
        try (SqlDatabase database = SqlDatabase.embedded(options);
                SqlSession session = database.session();
                SqlSession _ = database.session()) {
            SqlFixture.run(session, "CREATE SEQUENCE s");
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    reserve.add(database.engine().reservedSession());
                                }
                            })
                    .isInstanceOf(SlotsExhaustedException.class);
            SqlFixture.run(session, "BEGIN; DROP SEQUENCE s; CREATE TABLE t (n INT); COMMIT");
            SqlFixture.run(session, "INSERT INTO t VALUES (1)");
            reserve.forEach(Session::close);
        }
    }
}

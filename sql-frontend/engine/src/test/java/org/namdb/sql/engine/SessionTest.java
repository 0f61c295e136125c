package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.fabric.VerbTally;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.type.SqlType;

/// Transaction blocks, settings, prepared statements, and what a session reports of itself.
class SessionTest {
    private SqlFixture db;

    @BeforeEach
    void open() {
        db = new SqlFixture();
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 10), (2, 20)");
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void blocksCommitAndRollBack() {
        assertThat(db.run("BEGIN; UPDATE t SET v = 11 WHERE id = 1; ROLLBACK"))
                .isEqualTo("BEGIN, UPDATE 1, ROLLBACK");
        assertThat(db.rows("SELECT v FROM t WHERE id = 1")).isEqualTo("10");
        db.run("BEGIN; UPDATE t SET v = 11 WHERE id = 1; INSERT INTO t VALUES (3, 30)");
        assertThat(db.rows("SELECT * FROM t ORDER BY id")).isEqualTo("1|11; 2|20; 3|30");
        assertThat(db.session.status()).isEqualTo(TransactionStatus.ACTIVE);
        assertThat(db.session.snapshot().writtenRows()).isEqualTo(2);
        db.run("COMMIT");
        assertThat(db.session.status()).isEqualTo(TransactionStatus.IDLE);
        assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("3");
    }

    /// With a back reference the time is exponential; a constant would take it before it is run.
    @Test
    @Timeout(60)
    void aRegularExpressionThatTakesTooLongIsCancelled() {
        db.run("SET statement_timeout = 100");
        for (String operand : List.of("repeat('a', 100)", "repeat('a', 99 + id)")) {
            for (String pattern : List.of("'((a+)+)\\2b'", "ANY (ARRAY['((a+)+)\\2b'])")) {
                assertThatThrownBy(() -> db.rows("SELECT " + operand + " ~ " + pattern + " FROM t"))
                        .isInstanceOfSatisfying(
                                SqlException.class,
                                e -> assertThat(e.state()).isEqualTo(SqlState.QUERY_CANCELED));
            }
        }
    }

    @Test
    void resultsAreReadByTheNamesOfTheirColumns() {
        try (Result rows =
                db.session.execute(
                        "SELECT id, v AS \"V\", v AS id, NULL AS n FROM t WHERE id = 1")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.int64("id")).isEqualTo(1);
            assertThat(rows.text("V")).isEqualTo("10");
            assertThat(rows.value("V")).isEqualTo(10L);
            assertThat(rows.isNull("n")).isTrue();
            assertThatThrownBy(() -> rows.value("v"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the result has no column v; it has [id, V, id, n]");
        }
    }

    @Test
    void aFailedBlockCanOnlyEnd() {
        db.run("BEGIN; UPDATE t SET v = 99");
        assertThat(db.error("SELECT 1/0")).startsWith("22012");
        assertThat(db.session.status()).isEqualTo(TransactionStatus.FAILED);
        assertThat(db.error("SELECT 1")).startsWith("25P02");
        assertThat(db.run("COMMIT")).isEqualTo("ROLLBACK");
        assertThat(db.rows("SELECT v FROM t ORDER BY id")).isEqualTo("10; 20");
        assertThat(db.error("SELEC 1")).startsWith("42601");
        assertThat(db.session.status()).isEqualTo(TransactionStatus.IDLE);
    }

    @Test
    void savepointsUndoAPart() {
        db.run(
                "BEGIN; UPDATE t SET v = 11 WHERE id = 1; SAVEPOINT a; UPDATE t SET v = 12; INSERT"
                        + " INTO t VALUES (3, 0)");
        assertThat(db.error("INSERT INTO t VALUES (3, 1)")).startsWith("23505");
        db.run("ROLLBACK TO a");
        assertThat(db.rows("SELECT v FROM t ORDER BY id")).isEqualTo("11; 20");
        db.run("SAVEPOINT b; RELEASE a");
        assertThat(db.error("ROLLBACK TO b")).startsWith("3B001");
        db.run("ROLLBACK");
        assertThat(db.error("SAVEPOINT x")).startsWith("25P01");
    }

    @Test
    void conflictsAreErrorsInABlock() {
        try (SqlSession other = db.database.session()) {
            db.run("BEGIN; SELECT v FROM t WHERE id = 1");
            SqlFixture.run(other, "UPDATE t SET v = 15 WHERE id = 1");
            assertThat(db.rows("SELECT v FROM t WHERE id = 1")).isEqualTo("10");
            assertThat(db.error("UPDATE t SET v = 16 WHERE id = 1"))
                    .startsWith("40001 could not serialize access due to concurrent update");
            db.run("ROLLBACK");
            db.run("BEGIN; INSERT INTO t VALUES (7, 1)");
            SqlFixture.run(other, "INSERT INTO t VALUES (7, 2)");
            assertThat(db.error("COMMIT")).startsWith("40001");
            assertThat(db.error("INSERT INTO t VALUES (7, 3)")).startsWith("23505");
        }
    }

    /// Unique indexes are tables, and tables without a key have one, that no user has made.
    @Test
    void aConflictIsReportedInTheWordsOfTheSchema() {
        db.run(
                "CREATE TABLE u (id INT PRIMARY KEY, v INT UNIQUE, w VARCHAR(9), x DATE UNIQUE);"
                        + " CREATE TABLE bare (a INT)");
        db.run("INSERT INTO bare VALUES (1); INSERT INTO u VALUES (1, 1, 'a', '2026-01-01')");
        assertThat(conflict("INSERT INTO u VALUES (7, 7)", "INSERT INTO u VALUES (7, 8)"))
                .isEqualTo("Another transaction has changed Key (id)=(7) of table \"u\".");
        assertThat(conflict("INSERT INTO u VALUES (8, 9)", "INSERT INTO u VALUES (9, 9)"))
                .isEqualTo(
                        "Another transaction has changed Key (v)=(9) of table \"u\", constraint"
                                + " \"u_v_key\".");
        assertThat(
                        conflict(
                                "INSERT INTO u VALUES (11, 11, 'c', '2026-01-02')",
                                "INSERT INTO u VALUES (12, 12, 'c', '2026-01-02')"))
                .isEqualTo(
                        "Another transaction has changed Key (x) of table \"u\", constraint"
                                + " \"u_x_key\".");
        assertThat(conflict("UPDATE bare SET a = 2", "UPDATE bare SET a = 3"))
                .isEqualTo("Another transaction has changed a row of table \"bare\".");
    }

    /// The detail of the error of the first, after the second.
    private String conflict(String first, String second) {
        try (SqlSession other = db.database.session()) {
            db.run("SET namdb.block_attempts = 1");
            db.run("BEGIN; " + first);
            SqlFixture.run(other, second);
            String error = db.error("COMMIT");
            assertThat(error).startsWith("40001 could not serialize access due to concurrent");
            return error.substring(error.indexOf(" / ") + 3);
        }
    }

    @Test
    void readOnlyBlocksChangeNothing() {
        db.run("BEGIN READ ONLY");
        assertThat(db.error("DELETE FROM t"))
                .isEqualTo("25006 cannot execute DELETE in a read-only transaction");
        db.run("ROLLBACK; SET default_transaction_read_only = on");
        assertThat(db.error("INSERT INTO t VALUES (9, 9)")).startsWith("25006");
        assertThat(db.error("CREATE TABLE x (a INT)")).startsWith("25006");
        db.run("RESET default_transaction_read_only; INSERT INTO t VALUES (9, 9)");
    }

    @Test
    void isolationIsWhatItIs() {
        assertThat(db.rows("SHOW transaction_isolation")).isEqualTo("repeatable read");
        assertThat(db.error("BEGIN ISOLATION LEVEL SERIALIZABLE")).startsWith("0A000");
        db.run("SET namdb.allow_serializable_downgrade = on; BEGIN ISOLATION LEVEL SERIALIZABLE");
        assertThat(db.rows("SHOW transaction_isolation")).isEqualTo("serializable");
        db.run("COMMIT; BEGIN ISOLATION LEVEL READ COMMITTED; COMMIT");
    }

    @Test
    void settingsGoBackWithTheirTransaction() {
        assertThat(db.run("SET work_mem = '8MB'")).isEqualTo("SET");
        assertThat(db.rows("SHOW work_mem")).isEqualTo("8MB");
        db.run("BEGIN; SET work_mem = 4096; SET LOCAL statement_timeout = '5s'");
        assertThat(db.rows("SHOW work_mem")).isEqualTo("4MB");
        assertThat(db.rows("SHOW statement_timeout")).isEqualTo("5s");
        db.run("ROLLBACK");
        assertThat(db.rows("SHOW work_mem")).isEqualTo("8MB");
        assertThat(db.rows("SHOW statement_timeout")).isEqualTo("0");
        assertThat(db.error("SET nonsense = 1")).startsWith("42704");
        assertThat(db.error("SET work_mem = 'x'")).startsWith("22023");
        assertThat(db.error("SET server_version = 'x'")).startsWith("55P02");
        db.run("SET client_encoding = 'UTF8'; SET application_name = 'test'; RESET ALL");
        assertThat(db.rows("SHOW ALL")).contains("timezone|UTC");
    }

    @Test
    void parametersAreTyped() {
        assertThat(db.rows("SELECT v FROM t WHERE id = ?", 2)).isEqualTo("20");
        assertThat(db.rows("SELECT v FROM t WHERE id = $1 OR v = $2 ORDER BY v", "2", 10L))
                .isEqualTo("10; 20");
        PreparedStatement insert = db.session.prepare("INSERT INTO t VALUES (?, ?)");
        insert.setInt64(1, 5).setNull(2).execute();
        insert.execute(6, (short) 60);
        assertThat(db.rows("SELECT * FROM t WHERE id > 4 ORDER BY id")).isEqualTo("5|null; 6|60");
        assertThatThrownBy(() -> insert.execute(7))
                .isInstanceOfSatisfying(
                        SqlException.class,
                        e -> assertThat(e.state()).isEqualTo(SqlState.UNDEFINED_PARAMETER));
        assertThatThrownBy(() -> insert.execute(7, LocalDate.EPOCH))
                .isInstanceOfSatisfying(
                        SqlException.class,
                        e -> assertThat(e.state()).isEqualTo(SqlState.DATATYPE_MISMATCH));
        assertThat(db.rows("SELECT CAST(? AS NUMERIC(5,1))", new BigDecimal("2.5")))
                .isEqualTo("2.5");
    }

    @Test
    void statementsArePreparedInSql() {
        db.run("PREPARE q (INT) AS SELECT v FROM t WHERE id = $1");
        assertThat(db.rows("EXECUTE q (1 + 1)")).isEqualTo("20");
        assertThat(db.error("PREPARE q AS SELECT 1")).startsWith("42P05");
        db.run("ALTER TABLE t ADD COLUMN w INT");
        assertThat(db.rows("EXECUTE q (1)")).isEqualTo("10");
        db.run("DEALLOCATE q");
        assertThat(db.error("EXECUTE q (1)")).startsWith("26000");
    }

    @Test
    void plansFollowTheSchema() {
        PreparedStatement all = db.session.prepare("SELECT * FROM t WHERE id = ?");
        try (Result before = all.execute(1)) {
            assertThat(before.columns()).hasSize(2);
        }
        db.run("ALTER TABLE t ADD COLUMN w INT DEFAULT 5");
        try (Result after = all.execute(1)) {
            assertThat(after.next()).isTrue();
            assertThat(after.int64(2)).isEqualTo(5);
        }
        db.run("DROP TABLE t");
        assertThatThrownBy(() -> all.execute(1)).hasMessage("relation \"t\" does not exist");
    }

    @Test
    void statementsAreCancelled() throws InterruptedException {
        db.run("CREATE TABLE big (a INT)");
        StringBuilder values = new StringBuilder("INSERT INTO big VALUES (0)");
        for (int i = 1; i < 2000; i++) {
            values.append(", (").append(i).append(')');
        }
        db.run(values.toString());
        String slow = "SELECT count(*) FROM big a, big b, big c WHERE a.a + b.a + c.a < 0";
        db.run("SET statement_timeout = 50");
        assertThat(db.error(slow)).isEqualTo("57014 canceling statement due to statement timeout");
        db.run("SET statement_timeout = 0");
        CountDownLatch done = new CountDownLatch(1);
        Thread canceller =
                Thread.startVirtualThread(() -> {
                    while (done.getCount() > 0) {
                        db.session.cancel();
                        Thread.onSpinWait();
                    }
                });
        assertThat(db.error(slow)).isEqualTo("57014 canceling statement due to user request");
        done.countDown();
        canceller.join();
        assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("2");
    }

    @Test
    void aPointQueryIsOneRoundTrip() {
        PreparedStatement point = db.session.prepare("SELECT v FROM t WHERE id = $1");
        db.run("BEGIN; SELECT count(*) FROM t");
        VerbTally verbs = verbs(point, 2, 20);
        assertThat(verbs.roundTrips()).isEqualTo(1);
        assertThat(verbs.reads()).isBetween(1L, 2L); // the second, of the guard, where READs land
        assertThat(verbs.verbs()).isEqualTo(verbs.reads());
        db.run("COMMIT");
    }

    /// Announce a snapshot, read the chain's head and the slots: 1. The row: 1. Withdraw the
    /// announcement: 1. It is more after a commit, as the chain grows then, and for every sixteenth
    /// transaction of a session, which reads the low watermark.
    @Test
    void aPointQueryOfItsOwnIsThreeRoundTrips() {
        PreparedStatement point = db.session.prepare("SELECT v FROM t WHERE id = $1");
        VerbTally least = verbs(point, 1, 10);
        for (int i = 0; i < 32; i++) {
            VerbTally verbs = verbs(point, 2, 20);
            least = verbs.verbs() < least.verbs() ? verbs : least;
        }
        assertThat(least.roundTrips()).isEqualTo(3);
        assertThat(least.reads()).isEqualTo(4);
        assertThat(least.writes()).isEqualTo(2);
        assertThat(least.verbs()).isEqualTo(6);
    }

    private VerbTally verbs(PreparedStatement point, int id, long expected) {
        try (Result result = point.execute(id)) {
            assertThat(result.next()).isTrue();
            assertThat(result.int64(0)).isEqualTo(expected);
        }
        return db.session.lastVerbs();
    }

    @Test
    void plansAreKeptByTheDeclaredTypesToo() {
        String sql = "SELECT $1 + 1 > 2";
        assertThat(db.session.prepare(sql).parameterTypes()).containsExactly(SqlType.INTEGER);
        assertThat(db.session.prepare(sql, List.of(SqlType.DOUBLE)).parameterTypes())
                .containsExactly(SqlType.DOUBLE);
        assertThat(db.session.prepare(sql).parameterTypes()).containsExactly(SqlType.INTEGER);
    }

    @Test
    void sessionsAreCounted() {
        try (SqlDatabase small =
                SqlDatabase.embedded(
                        EmbeddedOptions.DEFAULT.withMemoryBytes(64L << 20).withSlots(1))) {
            SqlSession only = small.session();
            assertThatThrownBy(small::session)
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> assertThat(e.state()).isEqualTo(SqlState.TOO_MANY_SESSIONS));
            only.close();
            small.session().close();
            assertThat(small.sessionCount()).isZero();
        }
    }

    @Test
    void definitionsWaitForTransactions() {
        try (SqlSession other = db.database.session()) {
            SqlFixture.run(other, "BEGIN; SELECT * FROM t");
            db.run("SET lock_timeout = 20");
            assertThat(db.error("ALTER TABLE t ADD COLUMN w INT")).startsWith("55P03");
            SqlFixture.run(other, "COMMIT");
            db.run("SET lock_timeout = 0");
            assertThat(db.run("ALTER TABLE t ADD COLUMN w INT")).isEqualTo("ALTER TABLE");
        }
    }

    @Test
    void plansAreExplained() {
        assertThat(db.rows("EXPLAIN SELECT v FROM t WHERE id = 1")).isNotEmpty();
        assertThat(db.rows("EXPLAIN UPDATE t SET v = 1 WHERE id = 1")).startsWith("Update on t");
        assertThat(db.rows("EXPLAIN (ANALYZE, VERBS) UPDATE t SET v = v WHERE id = 1"))
                .containsPattern(
                        "Statement: expected [^;]*; +counted  READ [1-9]\\d*, WRITE [1-9]\\d*, CAS"
                                + " \\d+, (SEND \\d+, )?\\d+ bytes, round trips [1-9]");
        assertThat(db.rows("EXPLAIN ANALYZE DELETE FROM t WHERE id = 1")).startsWith("Delete on t");
        assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("1");
    }
}

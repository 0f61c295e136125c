package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;

/// A transaction block that loses a conflict is run again where the client can't tell.
class BlockReplayTest {
    private static final int THREADS = 4;
    private static final int BLOCKS = 100;

    private final SqlFixture db = new SqlFixture();
    private final SqlSession other = db.database.session();

    @BeforeEach
    void create() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, word TEXT)");
        db.run("INSERT INTO t VALUES (1, 10, 'one'), (2, 20, 'two'), (3, 30, 'three')");
    }

    @AfterEach
    void close() {
        other.close();
        db.close();
    }

    private void elsewhere(String script) {
        SqlFixture.run(other, script);
    }

    private String table() {
        return db.rows("SELECT id, n FROM t ORDER BY id");
    }

    @Test
    void aCommitThatLosesIsRunAgain() {
        db.run("BEGIN; UPDATE t SET n = n + 1 WHERE id = 1");
        elsewhere("UPDATE t SET n = n + 5 WHERE id = 1");
        assertThat(db.run("COMMIT")).isEqualTo("COMMIT");
        assertThat(table()).isEqualTo("1|16; 2|20; 3|30");
    }

    @Test
    void aStatementThatLosesIsRunAgainAfterThoseBeforeIt() {
        db.run("BEGIN; UPDATE t SET n = n * 2 WHERE id = 3");
        assertThat(db.rows("SELECT n FROM t WHERE id = 2")).isEqualTo("20");
        elsewhere("UPDATE t SET n = n + 5 WHERE id = 1");
        assertThat(db.rows("UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n")).isEqualTo("16");
        assertThat(db.rows("SELECT n FROM t WHERE id = 3")).isEqualTo("60");
        db.run("COMMIT");
        assertThat(table()).isEqualTo("1|16; 2|20; 3|60");
    }

    @Test
    void whatTheClientHasReadMustBeTheSame() {
        for (String read :
                List.of(
                        "SELECT n FROM t WHERE id = 1",
                        "SELECT count(*) FROM t WHERE n < 12",
                        "SELECT n FROM t ORDER BY n LIMIT 1",
                        "UPDATE t SET word = 'x' WHERE n = 10",
                        "UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n",
                        "SELECT n FROM t WHERE id = 1 FOR UPDATE")) {
            db.run("BEGIN");
            db.rows(read);
            elsewhere("UPDATE t SET n = n + 5 WHERE id = 1");
            assertThat(db.error("UPDATE t SET n = 7 WHERE id = 1; COMMIT"))
                    .as(read)
                    .startsWith("40001 could not serialize access due to concurrent update");
            db.run("ROLLBACK");
            elsewhere("UPDATE t SET n = 10 WHERE id = 1");
        }
        assertThat(table()).isEqualTo("1|10; 2|20; 3|30");
    }

    @Test
    void aRowThatIsLockedFirstIsTheLatestOne() {
        db.run("BEGIN");
        assertThat(db.rows("SELECT n FROM t WHERE id = 2")).isEqualTo("20");
        elsewhere("UPDATE t SET n = n + 5 WHERE id = 1");
        assertThat(db.rows("SELECT n FROM t WHERE id = 1 FOR UPDATE")).isEqualTo("15");
        db.run("UPDATE t SET n = 16 WHERE id = 1; COMMIT");
        assertThat(table()).isEqualTo("1|16; 2|20; 3|30");
    }

    /// ```
    /// other   BEGIN, update 1 to 15                  COMMIT
    /// block          BEGIN, read 2, update 1: waits          16, COMMIT
    /// ```
    @Test
    void aBlockWaitsForAnotherThatHasChangedItsRow() throws InterruptedException {
        db.database.rowClaims().maxWaitNanos = Long.MAX_VALUE / 2;
        elsewhere("BEGIN; UPDATE t SET n = n + 5 WHERE id = 1");
        db.run("BEGIN; SELECT n FROM t WHERE id = 2");
        String[] value = new String[1];
        Thread waiting =
                awaitWait(() ->
                        value[0] = db.rows("UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n"));
        elsewhere("COMMIT");
        waiting.join();
        assertThat(value[0]).isEqualTo("16");
        db.run("COMMIT");
        assertThat(table()).isEqualTo("1|16; 2|20; 3|30");
    }

    /// ```
    /// block   BEGIN, read much, update 1                   update 2: all again  COMMIT
    /// other                               update 1: waits                       12
    /// third                               update 2
    /// ```
    @Test
    void aBlockThatIsRunAgainKeepsItsRows() throws InterruptedException {
        db.database.rowClaims().maxWaitNanos = Long.MAX_VALUE / 2;
        db.run("BEGIN; SELECT count(*) FROM generate_series(1, 100000)");
        db.run("UPDATE t SET n = n + 1 WHERE id = 1");
        String[] value = new String[1];
        Thread waiting =
                awaitWait(() -> {
                    elsewhere("BEGIN");
                    value[0] =
                            SqlFixture.rows(
                                    other, "UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n");
                    elsewhere("COMMIT");
                });
        try (SqlSession third = db.database.session()) {
            SqlFixture.run(third, "UPDATE t SET n = n + 5 WHERE id = 2");
        }
        db.run("UPDATE t SET n = n + 1 WHERE id = 2");
        assertThat(waiting.isAlive()).isTrue();
        db.run("COMMIT");
        waiting.join();
        assertThat(value[0]).isEqualTo("12");
        assertThat(table()).isEqualTo("1|12; 2|26; 3|30");
    }

    @Test
    void aRowThatIsLockedForUpdateIsWaitedFor() throws InterruptedException {
        db.database.rowClaims().maxWaitNanos = Long.MAX_VALUE / 2;
        db.run("BEGIN");
        assertThat(db.rows("SELECT n FROM t WHERE id = 1 FOR UPDATE")).isEqualTo("10");
        String[] value = new String[1];
        Thread waiting =
                awaitWait(() -> {
                    elsewhere("BEGIN");
                    value[0] = SqlFixture.rows(other, "SELECT n FROM t WHERE id = 1 FOR UPDATE");
                    elsewhere("COMMIT");
                });
        db.run("UPDATE t SET n = 16 WHERE id = 1; COMMIT");
        waiting.join();
        assertThat(value[0]).isEqualTo("16");
    }

    private static Thread awaitWait(Runnable work) {
        Thread thread = Thread.ofPlatform().start(work);
        while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        return thread;
    }

    @Test
    void savepointsAreSetAgain() {
        db.run("BEGIN; UPDATE t SET n = n + 1 WHERE id = 2; SAVEPOINT a");
        db.run("UPDATE t SET n = 0 WHERE id = 3; ROLLBACK TO a; SAVEPOINT b");
        db.run("UPDATE t SET n = n + 1 WHERE id = 1; RELEASE b; ROLLBACK TO a");
        elsewhere("UPDATE t SET n = n + 5 WHERE id IN (1, 2)");
        db.run("UPDATE t SET n = n + 1 WHERE id = 3; COMMIT");
        assertThat(table()).isEqualTo("1|15; 2|26; 3|31");
    }

    @Test
    void aSavepointCanBeReturnedToAfterAConflict() {
        db.run("BEGIN; UPDATE t SET n = n + 1 WHERE id = 2; SAVEPOINT a");
        elsewhere("UPDATE t SET n = n + 5 WHERE id = 1");
        assertThat(db.error("UPDATE t SET n = n + 1 WHERE id = 1")).startsWith("40001");
        db.run("ROLLBACK TO a");
        assertThat(db.rows("SELECT n FROM t WHERE id < 3 ORDER BY id")).isEqualTo("10; 21");
        db.run("COMMIT");
        assertThat(table()).isEqualTo("1|15; 2|21; 3|30");
    }

    /// ```
    /// the block   update 2, savepoint, update 3, release, read 1     update 1: a conflict
    /// again       update 2, savepoint, update 3: division by zero
    /// ```
    @Test
    void aPartOfABlockIsNothingToGoOnWith() {
        db.run("BEGIN; UPDATE t SET n = n + 1 WHERE id = 2; SAVEPOINT a");
        db.run("UPDATE t SET n = 60 / (n - 25) WHERE id = 3; RELEASE a");
        elsewhere("UPDATE t SET n = 25 WHERE id IN (1, 3)");
        assertThat(db.error("UPDATE t SET n = n + 1 WHERE id = 1")).startsWith("40001");
        assertThat(db.session.status()).isEqualTo(TransactionStatus.FAILED);
        assertThat(db.error("ROLLBACK TO a")).startsWith("3B001");
        assertThat(db.run("COMMIT")).isEqualTo("ROLLBACK");
        assertThat(table()).isEqualTo("1|25; 2|20; 3|25");
    }

    @Test
    void timesAreThoseOfBefore() {
        db.run("CREATE TABLE times (id INT PRIMARY KEY, a TIMESTAMPTZ, b TIMESTAMPTZ)");
        db.run("BEGIN");
        db.run("INSERT INTO times VALUES (1, now(), statement_timestamp())");
        String before = db.rows("SELECT now(), (SELECT b FROM times)");
        db.run("UPDATE t SET n = n + 1 WHERE id = 1");
        elsewhere("UPDATE t SET n = n + 5 WHERE id = 1");
        db.run("COMMIT");
        assertThat(db.rows("SELECT a, b FROM times")).isEqualTo(before);
    }

    @Test
    void aBlockThatHasLostItsPlaceIsNotRunAgain() {
        db.run("CREATE SEQUENCE numbers");
        db.run("CREATE FUNCTION two() RETURNS INT LANGUAGE plpgsql AS 'BEGIN RETURN 2; END'");
        for (String statement :
                List.of(
                        "SELECT two()",
                        "SET LOCAL work_mem = '8MB'",
                        "SELECT set_config('work_mem', '8MB', true)",
                        "SELECT setval('numbers', 7)",
                        "CREATE TABLE more (id INT)",
                        "SAVEPOINT a; SELECT 1 / 0; ROLLBACK TO a",
                        "SELECT repeat('x', 200000)")) {
            db.run("BEGIN; UPDATE t SET n = n + 1 WHERE id = 1");
            for (String each : statement.split("; ", -1)) {
                try {
                    db.run(each);
                } catch (SqlException e) {
                    assertThat(e).hasMessage("division by zero");
                }
            }
            elsewhere("UPDATE t SET n = n + 5 WHERE id = 1");
            assertThat(db.error("COMMIT")).as(statement).startsWith("40001");
            assertThat(db.session.status()).isEqualTo(TransactionStatus.IDLE);
        }
        assertThat(table()).isEqualTo("1|45; 2|20; 3|30");
    }

    @Test
    void theCommitOfAFailedBlockIsARollback() {
        for (String failing : List.of("SELECT nosuch FROM t", "SELECT 1 / 0")) {
            for (String savepoint : List.of("", "SAVEPOINT a; UPDATE t SET n = 0 WHERE id = 2")) {
                db.run("BEGIN; UPDATE t SET n = 0 WHERE id = 1; " + savepoint);
                String _ = db.error(failing);
                assertThat(db.session.status()).as(failing).isEqualTo(TransactionStatus.FAILED);
                assertThat(db.run("COMMIT")).as(failing + savepoint).isEqualTo("ROLLBACK");
                assertThat(table()).isEqualTo("1|10; 2|20; 3|30");
            }
        }
        db.run("BEGIN; UPDATE t SET n = 0 WHERE id = 1");
        assertThatThrownBy(() -> db.rows("SELECT n FROM t WHERE id = ?", "x"))
                .isInstanceOf(SqlException.class);
        assertThat(db.run("COMMIT")).isEqualTo("ROLLBACK");
        assertThat(table()).isEqualTo("1|10; 2|20; 3|30");
    }

    @Test
    void chainedBlocksAreRunAgainEachByItself() {
        db.run("BEGIN; UPDATE t SET n = n + 1 WHERE id = 1");
        elsewhere("UPDATE t SET n = n + 5 WHERE id = 1");
        assertThat(db.run("COMMIT AND CHAIN")).isEqualTo("COMMIT");
        db.run("UPDATE t SET n = 0 WHERE id = 3; ROLLBACK AND CHAIN");
        db.run("UPDATE t SET n = n + 1 WHERE id = 2");
        elsewhere("UPDATE t SET n = n + 5 WHERE id = 2");
        assertThat(db.run("COMMIT AND CHAIN")).isEqualTo("COMMIT");
        assertThat(table()).isEqualTo("1|16; 2|26; 3|30");
        db.run("UPDATE t SET n = 4 WHERE id = 3");
        elsewhere("UPDATE t SET n = 3 WHERE id = 3");
        assertThat(db.error("COMMIT AND CHAIN")).startsWith("40001");
        assertThat(db.session.status()).isEqualTo(TransactionStatus.IDLE);
    }

    @Test
    void aResultThatIsLeftIsNotReadAgain() {
        db.run("BEGIN; UPDATE t SET n = n + 1 WHERE id = 1");
        try (Result result = db.session.execute("SELECT * FROM t")) {
            assertThat(result.next()).isTrue();
        }
        elsewhere("UPDATE t SET n = n + 5 WHERE id = 1");
        assertThat(db.error("COMMIT")).startsWith("40001");
    }

    @Test
    void aFailureOfWhatIsRunAgainIsTheConflict() {
        db.run("BEGIN; INSERT INTO t VALUES (4, 40)");
        elsewhere("INSERT INTO t VALUES (4, 41)");
        assertThat(db.error("COMMIT")).startsWith("40001");
        db.run("BEGIN; UPDATE t SET n = 100 / (n - 15) WHERE id = 1");
        elsewhere("UPDATE t SET n = 15 WHERE id = 1");
        assertThat(db.error("COMMIT")).startsWith("40001");
        assertThat(table()).isEqualTo("1|15; 2|20; 3|30; 4|41");
    }

    @Test
    void aSettingSwitchesItOff() {
        db.run("SET namdb.block_attempts = 1");
        db.run("BEGIN; UPDATE t SET n = n + 1 WHERE id = 1");
        elsewhere("UPDATE t SET n = n + 5 WHERE id = 1");
        assertThat(db.error("COMMIT")).startsWith("40001");
    }

    @Test
    void schemaChangesInBetweenAreNoticed() {
        db.run("BEGIN; UPDATE t SET n = n + 1 WHERE id = 1");
        elsewhere("UPDATE t SET n = n + 5 WHERE id = 1");
        assertThat(SqlFixture.error(other, "SET lock_timeout = 10; ALTER TABLE t ADD c INT"))
                .startsWith("55P03");
        db.run("COMMIT");
        assertThat(table()).isEqualTo("1|16; 2|20; 3|30");
    }

    /// Threads count in blocks of four kinds: each count that was committed is there, each value
    /// that was read and then written was the last one, and two rows that are always changed
    /// together are seen so.
    @Test
    @Timeout(300)
    void countersCountEachCommitOnce() throws InterruptedException {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        db.run("INSERT INTO t SELECT i, 0 FROM generate_series(11, 16) AS g (i)");
        AtomicLong[] counts = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
        AtomicLong lost = new AtomicLong();
        SplittableRandom random = new SplittableRandom(seed);
        List<Thread> threads =
                IntStream.range(0, THREADS)
                        .mapToObj(i -> random.split())
                        .map(own -> Thread.ofPlatform().unstarted(() -> count(own, counts, lost)))
                        .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(db.rows("SELECT n FROM t WHERE id > 10 ORDER BY id"))
                .isEqualTo(
                        "%1$d; %1$d; %2$d; %2$d; %3$d; 0"
                                .formatted(counts[0].get(), counts[1].get(), counts[2].get()));
        assertThat(counts[0].get() + counts[1].get() + counts[2].get() + lost.get())
                .isEqualTo(THREADS * BLOCKS);
        assertThat(counts[0].get()).isPositive();
    }

    private void count(SplittableRandom random, AtomicLong[] counts, AtomicLong lost) {
        try (SqlSession session = db.database.session()) {
            for (int i = 0; i < BLOCKS; i++) {
                int kind = random.nextInt(3);
                try {
                    SqlFixture.run(session, "BEGIN");
                    String both = SqlFixture.rows(session, "SELECT n FROM t WHERE id = 16");
                    switch (kind) {
                        case 0 -> { // what it gives is always the same
                            SqlFixture.run(session, "UPDATE t SET n = n + 1 WHERE id = 11");
                            SqlFixture.run(session, "UPDATE t SET n = n + 1 WHERE id = 12");
                        }
                        case 1 -> { // the client sees the value
                            String n =
                                    SqlFixture.rows(
                                            session,
                                            "UPDATE t SET n = n + 1 WHERE id = 13 RETURNING n");
                            SqlFixture.run(session, "UPDATE t SET n = " + n + " WHERE id = 14");
                        }
                        default -> { // the client computes the value
                            String first =
                                    SqlFixture.rows(session, "SELECT n FROM t WHERE id = 11");
                            assertThat(SqlFixture.rows(session, "SELECT n FROM t WHERE id = 12"))
                                    .isEqualTo(first);
                            String n = SqlFixture.rows(session, "SELECT n FROM t WHERE id = 15");
                            SqlFixture.run(
                                    session,
                                    "UPDATE t SET n = %d WHERE id = 15"
                                            .formatted(Integer.parseInt(n) + 1));
                        }
                    }
                    assertThat(both).isEqualTo("0");
                    SqlFixture.run(session, "COMMIT");
                    counts[kind].incrementAndGet();
                } catch (SqlException e) {
                    assertThat(e.code()).isEqualTo("40001");
                    SqlFixture.run(session, "ROLLBACK");
                    lost.incrementAndGet();
                }
            }
        }
    }
}

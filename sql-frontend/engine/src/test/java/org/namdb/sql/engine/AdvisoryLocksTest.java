package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.sql.engine.SqlFixture.error;
import static org.namdb.sql.engine.SqlFixture.rows;
import static org.namdb.sql.engine.SqlFixture.run;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.schema.SchemaLeases;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.sql.language.error.SqlException;

/// Advisory locks between sessions of one compute server, and of two.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdvisoryLocksTest {
    private static final int SLOTS = 32;
    private static final long BYTES = 64L << 20;

    private final ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
    private final MemoryServer memory =
            new MemoryServer(fabric, 0, BYTES, DatabaseLayout.reservedBytes(0, SLOTS));
    private final List<Region> regions = List.of(memory.region());
    private final NamDb first;
    private final NamDb second;
    private final SqlDatabase one;
    private final SqlDatabase other;
    private final SqlSession a;
    private final SqlSession b;

    /// Of the other compute server.
    private final SqlSession c;

    AdvisoryLocksTest() {
        DatabaseLayout.format(fabric, regions, SLOTS, Duration.ofMinutes(10));
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(1)
                        .withMemoryBytes(BYTES)
                        .withSlots(8)
                        .withMaintenanceInterval(Duration.ofMillis(1));
        first = AttachedDatabase.open(options, fabric, regions);
        second = AttachedDatabase.open(options, fabric, regions);
        one = SqlDatabase.of(first);
        other = SqlDatabase.of(second);
        a = one.session();
        b = one.session();
        c = other.session();
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        c.close();
        other.close();
        second.close();
        one.close();
        first.close();
        memory.close();
        fabric.close();
    }

    private static String tryLock(SqlSession session, String function, String key) {
        return rows(session, "SELECT pg_try_advisory_" + function + "(" + key + ")");
    }

    private static CompletableFuture<String> async(SqlSession session, String sql) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return rows(session, sql);
                    } catch (SqlException e) {
                        return e.code();
                    }
                },
                work -> Thread.ofVirtual().start(work));
    }

    private void awaitWaiters(int count) throws InterruptedException {
        String waiters = "SELECT count(*) FROM pg_locks WHERE NOT granted";
        try (SqlSession observer = one.session()) {
            while (!rows(observer, waiters).equals(Integer.toString(count))) {
                Thread.sleep(1);
            }
        }
    }

    /// A second request of the session that has it is granted, and counted.
    @Test
    void locksOfASessionAreCounted() {
        for (SqlSession session : List.of(b, c)) {
            run(a, "SELECT pg_advisory_lock(7)");
            assertThat(tryLock(a, "lock", "7")).isEqualTo("t");
            assertThat(tryLock(session, "lock", "7")).isEqualTo("f");
            assertThat(rows(a, "SELECT pg_advisory_unlock(7)")).isEqualTo("t");
            assertThat(tryLock(session, "lock", "7")).isEqualTo("f");
            assertThat(rows(a, "SELECT pg_advisory_unlock(7)")).isEqualTo("t");
            assertThat(rows(a, "SELECT pg_advisory_unlock(7)")).isEqualTo("f");
            assertThat(tryLock(session, "lock", "7")).isEqualTo("t");
            assertThat(tryLock(a, "lock", "7")).isEqualTo("f");
            assertThat(tryLock(a, "lock", "0, 7")).isEqualTo("t");
            run(session, "SELECT pg_advisory_unlock_all()");
            run(a, "SELECT pg_advisory_unlock_all()");
        }
    }

    /// The statement is run again behind the caller's back, and has taken the locks once.
    @Test
    void aStatementThatLosesAConflictHasTakenItsLocksOnce() throws Exception {
        run(a, "CREATE TABLE t (id INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 0)");
        run(b, "SELECT pg_advisory_lock(8)");
        CompletableFuture<String> change =
                async(
                        a,
                        "UPDATE t SET n = CASE WHEN pg_try_advisory_lock(7) AND"
                                + " pg_advisory_lock(8)::text = '' THEN n + 1 ELSE -1 END"
                                + " WHERE id = 1 RETURNING n");
        awaitWaiters(1);
        run(b, "UPDATE t SET n = 10 WHERE id = 1");
        run(b, "SELECT pg_advisory_unlock(8)");
        assertThat(change.get(30, TimeUnit.SECONDS)).isEqualTo("11");
        for (String key : List.of("7", "8")) {
            assertThat(rows(a, "SELECT pg_advisory_unlock(" + key + ")")).isEqualTo("t");
            assertThat(rows(a, "SELECT pg_advisory_unlock(" + key + ")")).isEqualTo("f");
            assertThat(tryLock(c, "lock", key)).isEqualTo("t");
        }
    }

    @Test
    void sharedLocksExcludeExclusiveOnes() {
        assertThat(tryLock(a, "lock_shared", "7")).isEqualTo("t");
        assertThat(tryLock(c, "lock_shared", "7")).isEqualTo("t");
        assertThat(tryLock(b, "lock", "7")).isEqualTo("f");
        assertThat(tryLock(a, "lock", "7")).isEqualTo("f");
        run(c, "SELECT pg_advisory_unlock_shared(7)");
        assertThat(tryLock(b, "lock", "7")).isEqualTo("f");
        assertThat(tryLock(a, "lock", "7")).isEqualTo("t"); // beside its own
        assertThat(tryLock(c, "lock_shared", "7")).isEqualTo("f");
        run(a, "SELECT pg_advisory_unlock(7)");
        assertThat(tryLock(c, "lock_shared", "7")).isEqualTo("t");
    }

    @Test
    void locksOfATransactionEndWithItOrItsSavepoint() {
        run(a, "BEGIN; SELECT pg_advisory_xact_lock(1); SAVEPOINT s;");
        run(a, "SELECT pg_advisory_xact_lock(2), pg_advisory_lock(3)");
        run(a, "ROLLBACK TO s");
        assertThat(tryLock(c, "xact_lock", "1")).isEqualTo("f");
        assertThat(tryLock(c, "xact_lock", "2")).isEqualTo("t");
        assertThat(tryLock(c, "xact_lock", "3")).isEqualTo("f");
        assertThat(rows(a, "SELECT pg_advisory_unlock(1)")).isEqualTo("f");
        run(a, "COMMIT");
        assertThat(tryLock(c, "xact_lock", "1")).isEqualTo("t");
        assertThat(tryLock(c, "xact_lock", "3")).isEqualTo("f"); // a savepoint has none
        run(a, "DISCARD ALL");
        assertThat(tryLock(c, "xact_lock", "3")).isEqualTo("t");
        run(a, "BEGIN; SELECT pg_advisory_xact_lock(1)");
        assertThat(error(a, "SELECT 1 / 0")).startsWith("22012");
        assertThat(tryLock(c, "xact_lock", "1")).isEqualTo("t"); // the block has failed
        run(a, "ROLLBACK; SELECT pg_advisory_xact_lock(1)");
        assertThat(tryLock(c, "xact_lock", "1")).isEqualTo("t"); // it was a transaction alone
    }

    @Test
    void aRoutinesExceptionBlockReleasesWhatItHasTaken() {
        run(
                a,
                "BEGIN; DO $$ BEGIN PERFORM pg_advisory_xact_lock(1); BEGIN"
                        + " PERFORM pg_advisory_xact_lock(2); RAISE EXCEPTION 'no';"
                        + " EXCEPTION WHEN OTHERS THEN NULL; END; END $$");
        assertThat(tryLock(c, "xact_lock", "1")).isEqualTo("f");
        assertThat(tryLock(c, "xact_lock", "2")).isEqualTo("t");
    }

    @Test
    void whoWaitsGetsItInOrder() throws Exception {
        run(a, "SELECT pg_advisory_lock(7)");
        CompletableFuture<String> waiting = async(c, "SELECT pg_advisory_lock(7)");
        awaitWaiters(1);
        assertThat(rows(b, "SELECT mode, granted, objid, objsubid FROM pg_locks ORDER BY granted"))
                .isEqualTo("ExclusiveLock|f|7|1; ExclusiveLock|t|7|1");
        run(a, "SELECT pg_advisory_unlock(7)");
        assertThat(tryLock(b, "lock_shared", "7")).isEqualTo("f"); // c comes before
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void waitsAreCancelledAndLimited() throws Exception {
        run(a, "SELECT pg_advisory_lock(7)");
        CompletableFuture<String> waiting = async(b, "SELECT pg_advisory_lock(7)");
        awaitWaiters(1);
        b.cancel();
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo("57014");
        awaitWaiters(0);
        run(b, "SET statement_timeout = 20");
        assertThat(error(b, "SELECT pg_advisory_lock(7)")).startsWith("57014");
        run(b, "SET statement_timeout = 0; SET lock_timeout = 20");
        assertThat(error(b, "SELECT pg_advisory_lock(7)"))
                .isEqualTo("55P03 canceling statement due to lock timeout");
        awaitWaiters(0);
        a.close();
        assertThat(tryLock(b, "lock", "7")).isEqualTo("t");
    }

    @Test
    void aDeadlockIsFound() throws Exception {
        run(a, "BEGIN; SELECT pg_advisory_xact_lock(1)");
        run(c, "BEGIN; SELECT pg_advisory_xact_lock(2)");
        CompletableFuture<String> waiting = async(a, "SELECT pg_advisory_xact_lock(2)");
        awaitWaiters(1);
        assertThat(error(c, "SELECT pg_advisory_xact_lock(1)"))
                .startsWith("40P01 deadlock detected");
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEmpty();
    }

    /// b waits behind c, which waits for a, which waits for b: no deadlock, as b needs not wait.
    @Test
    void theQueueMakesNoDeadlock() throws Exception {
        run(a, "SELECT pg_advisory_lock_shared(1)");
        run(b, "SELECT pg_advisory_lock(2)");
        CompletableFuture<String> exclusive = async(c, "SELECT pg_advisory_lock(1)");
        awaitWaiters(1);
        CompletableFuture<String> behind = async(a, "SELECT pg_advisory_lock(2)");
        awaitWaiters(2);
        assertThat(async(b, "SELECT pg_advisory_lock_shared(1)").get(30, TimeUnit.SECONDS))
                .isEmpty();
        run(b, "SELECT pg_advisory_unlock_all()");
        assertThat(behind.get(30, TimeUnit.SECONDS)).isEmpty();
        run(a, "SELECT pg_advisory_unlock_all()");
        assertThat(exclusive.get(30, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void theLocksOfAComputeServerEndWithItsLease() {
        run(c, "SELECT pg_advisory_lock(7)");
        assertThat(tryLock(a, "lock", "7")).isEqualTo("f");
        try (QueuePair queuePair = fabric.connect(regions)) {
            long epoch = DatabaseLayout.openVector(queuePair).schemaEpoch();
            SchemaLeases.end(queuePair, epoch, second.process());
        }
        assertThat(tryLock(a, "lock", "7")).isEqualTo("t");
        assertThat(rows(a, "SELECT count(*) FROM pg_locks")).isEqualTo("1");
    }

    /// As Flyway does it: one connection has the lock, and another one changes the schema.
    @Test
    void ddlDoesNotWaitForABlockThatHasALock() throws Exception {
        run(a, "CREATE TABLE history (n INT PRIMARY KEY); INSERT INTO history VALUES (1)");
        for (SqlSession ddl : List.of(b, c)) {
            run(a, "BEGIN; SELECT pg_advisory_xact_lock(7)");
            run(ddl, "CREATE TABLE t (n INT)");
            run(a, "SELECT set_config('search_path', 'public', false); SET work_mem = '8MB'");
            assertThat(rows(a, "SELECT count(*) FROM history")).isEqualTo("1");
            run(ddl, "BEGIN; DROP TABLE t; COMMIT");
            assertThat(tryLock(ddl, "lock", "7")).isEqualTo("f");
            run(a, "INSERT INTO history SELECT max(n) + 1 FROM history");
            run(a, "COMMIT; DELETE FROM history WHERE n > 1");
            CompletableFuture<String> waiting;
            run(a, "SELECT pg_advisory_lock(8)");
            waiting = async(b == ddl ? c : b, "SELECT pg_advisory_lock(8)");
            awaitWaiters(1);
            run(ddl, "CREATE TABLE t (n INT); DROP TABLE t");
            run(a, "SELECT pg_advisory_unlock(8)");
            assertThat(waiting.get(30, TimeUnit.SECONDS)).isEmpty();
            run(b == ddl ? c : b, "SELECT pg_advisory_unlock(8)");
        }
    }

    /// What it has read is another thing now: it can't go on.
    @Test
    void aBlockThatMadeWayFailsIfItWouldReadSomethingElse() {
        run(a, "CREATE TABLE history (n INT PRIMARY KEY)");
        run(a, "BEGIN; SELECT pg_advisory_xact_lock(7)");
        assertThat(rows(a, "SELECT count(*) FROM history")).isEqualTo("0");
        run(b, "INSERT INTO history VALUES (1); CREATE TABLE t (n INT)");
        assertThat(error(a, "SELECT 1"))
                .isEqualTo("40001 could not serialize access due to a concurrent schema change");
        run(a, "ROLLBACK");
        run(a, "BEGIN; SELECT pg_advisory_xact_lock(7)");
        assertThat(rows(a, "SELECT count(*) FROM history")).isEqualTo("1");
        run(b, "DROP TABLE history");
        assertThat(error(a, "COMMIT")).startsWith("40001");
        assertThat(a.status()).isEqualTo(TransactionStatus.IDLE);
    }

    /// As Flyway does it by default: it records a migration before it commits it.
    @Test
    void aBlockThatHasWrittenMakesItsChangesAgain() {
        run(a, "CREATE TABLE history (n INT PRIMARY KEY)");
        run(a, "BEGIN; SELECT pg_advisory_xact_lock(7); INSERT INTO history VALUES (1)");
        run(b, "CREATE TABLE t (n INT)");
        assertThat(rows(b, "SELECT count(*) FROM history")).isEqualTo("0");
        assertThat(run(a, "COMMIT")).isEqualTo("COMMIT");
        assertThat(rows(b, "SELECT n FROM history")).isEqualTo("1");
        run(a, "BEGIN; SELECT pg_advisory_xact_lock(7); SAVEPOINT s");
        run(b, "SET lock_timeout = 50");
        assertThat(error(b, "DROP TABLE t")).startsWith("55P03");
    }

    @Test
    void changesAreMadeAgainWithTheSettingsThatTheyHad() {
        run(a, "CREATE TABLE history (n INT PRIMARY KEY, zone TEXT); SET timezone = 'UTC'");
        run(a, "BEGIN; SELECT pg_advisory_xact_lock(7)");
        run(a, "INSERT INTO history SELECT 1, current_setting('timezone')");
        run(b, "CREATE TABLE t (n INT)");
        run(a, "SET timezone = 'Europe/Berlin'; COMMIT");
        assertThat(rows(a, "SELECT zone FROM history")).isEqualTo("UTC");
    }

    @Test
    void noPartOfABlockThatMadeWayCanBeReturnedTo() {
        run(a, "CREATE TABLE history (n INT PRIMARY KEY)");
        run(a, "BEGIN; SELECT pg_advisory_xact_lock(7)");
        run(a, "SAVEPOINT s; INSERT INTO history VALUES (1); RELEASE s");
        run(a, "SAVEPOINT s; INSERT INTO history VALUES (2); RELEASE s");
        run(b, "INSERT INTO history VALUES (2); CREATE TABLE t (n INT)");
        assertThat(error(a, "SAVEPOINT s")).startsWith("40001");
        assertThat(error(a, "ROLLBACK TO s")).startsWith("3B001");
        run(a, "COMMIT");
        assertThat(rows(a, "SELECT n FROM history")).isEqualTo("2");
    }

    /// A block fails, is compiled for and is run at whatever moment a schema change ends its
    /// transaction.
    @Test
    void aBlockMayBeUsedJustWhenItMakesWay() throws Exception {
        run(a, "CREATE TABLE history (n INT PRIMARY KEY)");
        AtomicBoolean isOver = new AtomicBoolean();
        CompletableFuture<Void> ddl =
                CompletableFuture.runAsync(() -> {
                    while (!isOver.get()) {
                        run(b, "CREATE TABLE t (n INT); DROP TABLE t");
                    }
                });
        PreparedStatement insert = a.prepare("INSERT INTO history VALUES (1)");
        try {
            for (int round = 0; round < 100; round++) {
                run(a, "BEGIN; SELECT pg_advisory_xact_lock(7)");
                insert.execute().close();
                if (round % 2 == 0) {
                    assertThat(error(a, "SELECT n FROM nowhere")).startsWith("42P01");
                } else {
                    assertThat(rows(a, "SELECT n FROM history")).isEqualTo("1");
                }
                run(a, "ROLLBACK");
            }
        } finally {
            isOver.set(true);
        }
        ddl.get(60, TimeUnit.SECONDS);
        assertThat(rows(a, "SELECT count(*) FROM history")).isEqualTo("0");
    }
}

package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.Session;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.sql.language.error.SqlException;
import org.namdb.timestamp.SlotsExhaustedException;

/// Sessions of a pool, while others take the slots and what opens and closes them fails.
class SessionPoolTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    private volatile boolean hasClockFailed;

    /// A machine whose wall clock can fail: it is read while a session is opened.
    private final Host host =
            new Host() {
                @Override
                public long nanoTime() {
                    return MACHINE.nanoTime();
                }

                @Override
                public Instant instant() {
                    if (hasClockFailed) {
                        throw new LinkageError("planted");
                    }
                    return MACHINE.instant();
                }

                @Override
                public void sleep(long nanos) {
                    MACHINE.sleep(nanos);
                }

                @Override
                public Thread start(String name, Runnable work) {
                    return MACHINE.start(name, work);
                }
            };

    private final SqlDatabase database =
            SqlDatabase.embedded(
                    EmbeddedOptions.DEFAULT.withMemoryBytes(64L << 20).withSlots(8).withHost(host));
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void close() {
        threads.close();
        database.close();
    }

    /// Takes the slots as another process would.
    private List<Session> takeSlots() {
        List<Session> taken = new ArrayList<>();
        try {
            while (true) {
                taken.add(database.engine().session());
            }
        } catch (SlotsExhaustedException e) {
            return taken;
        }
    }

    private static String state(Runnable statement) {
        try {
            statement.run();
        } catch (SqlException e) {
            return e.state().code();
        }
        return "done";
    }

    @Test
    void aStatementWaitsForASlotThatAnotherProcessFrees() throws Exception {
        try (SessionPool pool = new SessionPool(database, 4, LONG);
                SqlSession session = pool.session(1)) {
            List<Session> taken = takeSlots();
            Future<String> row = threads.submit(() -> SqlFixture.rows(session, "SELECT 1"));
            assertThatThrownBy(() -> row.get(100, TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            taken.forEach(Session::close);
            assertThat(row.get(1, TimeUnit.MINUTES)).isEqualTo("1");
        }
    }

    /// `a` has a session and keeps it; `b` finds no slot, and one is freed later.
    @Test
    void theBlockOfAnotherConnectionIsNotWaitedForWhenThereIsASlot() throws Exception {
        try (SessionPool pool = new SessionPool(database, 4, LONG);
                SqlSession a = pool.session(1);
                SqlSession b = pool.session(2);
                SqlSession c = pool.session(3)) {
            SqlFixture.run(a, "BEGIN");
            SqlFixture.rows(a, "SELECT 1");
            List<Session> taken = takeSlots();
            Future<String> second = threads.submit(() -> SqlFixture.rows(b, "SELECT 2"));
            Future<String> third = threads.submit(() -> SqlFixture.rows(c, "SELECT 3"));
            assertThatThrownBy(() -> second.get(100, TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            taken.forEach(Session::close);
            assertThat(second.get(1, TimeUnit.MINUTES)).isEqualTo("2");
            assertThat(third.get(1, TimeUnit.MINUTES)).isEqualTo("3");
        }
    }

    @Test
    void thatThereIsNoSlotIsSaidInTheEnd() {
        try (SessionPool pool = new SessionPool(database, 4, Duration.ofMillis(100));
                SqlSession session = pool.session(1)) {
            List<Session> taken = takeSlots();
            assertThat(state(() -> SqlFixture.rows(session, "SELECT 1"))).isEqualTo("53300");
            assertThat(pool.used()).isZero();
            taken.forEach(Session::close);
            assertThat(SqlFixture.rows(session, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aSessionThatCantBeOpenedIsNotCounted() {
        try (SessionPool pool = new SessionPool(database, 1, LONG);
                SqlSession session = pool.session(1)) {
            int slots = takeAndFree();
            hasClockFailed = true;
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> pool.acquire(() -> false))
                        .isInstanceOf(LinkageError.class);
                assertThat(pool.used()).isZero();
            }
            hasClockFailed = false;
            assertThat(SqlFixture.rows(session, "SELECT 1")).isEqualTo("1");
            assertThat(takeAndFree()).isEqualTo(slots - 1); // the pool has one, and none is lost
        }
    }

    private int takeAndFree() {
        List<Session> taken = takeSlots();
        taken.forEach(Session::close);
        return taken.size();
    }

    @Test
    void aClosedPoolEndsAllWaitsAndRefusesNewTransactions() throws Exception {
        SessionPool pool = new SessionPool(database, 1, LONG);
        SqlSession block = pool.session(1);
        SqlSession waiting = pool.session(2);
        SqlFixture.run(block, "BEGIN");
        SqlFixture.rows(block, "SELECT 1");
        Future<String> waits =
                threads.submit(() -> state(() -> SqlFixture.rows(waiting, "SELECT 1")));
        pool.close();
        assertThat(waits.get(1, TimeUnit.MINUTES)).isEqualTo("57P01");
        block.close();
        assertThat(pool.used()).isZero();
        assertThat(state(() -> SqlFixture.rows(waiting, "SELECT 1"))).isEqualTo("57P01");
        waiting.close();
    }

    @Test
    void aSessionThatIsToEndRunsNothingMore() {
        try (SessionPool pool = new SessionPool(database, 1, LONG);
                SqlSession session = pool.session(1)) {
            SqlFixture.run(session, "BEGIN");
            session.terminate(); // when no statement runs
            assertThat(state(() -> SqlFixture.rows(session, "SELECT 1"))).isEqualTo("57P01");
        }
    }

    /// ```
    /// s  reads a row of many, suspends      c  cancels
    /// s  reads on, and must not fail
    /// ```
    @Test
    void aCancelOfASuspendedResultComesTooLate() {
        try (SessionPool pool = new SessionPool(database, 1, LONG);
                SqlSession session = pool.session(1);
                var rows = session.execute("SELECT i FROM generate_series(1, 90000) AS s (i)")) {
            assertThat(rows.next()).isTrue();
            session.suspend();
            session.cancel();
            session.resume();
            long count = 1;
            while (rows.next()) {
                count++;
            }
            assertThat(count).isEqualTo(90_000);
        }
    }

    @Test
    void whatIsResumedAfterItsSessionIsToEndFails() {
        try (SessionPool pool = new SessionPool(database, 1, LONG);
                SqlSession session = pool.session(1);
                var rows = session.execute("SELECT i FROM generate_series(1, 90000) AS s (i)")) {
            assertThat(rows.next()).isTrue();
            session.suspend();
            session.terminate();
            assertThat(state(session::resume)).isEqualTo("57P01");
            assertThat(pool.used()).isZero();
        }
    }

    /// A driver sends the statement behind BEGIN before it knows that: if BEGIN failed, that would
    /// be committed outside of a block.
    @Test
    void aBlockBeginsAndEndsWithoutASession() {
        try (SessionPool pool = new SessionPool(database, 1, Duration.ofMillis(100));
                SqlSession busy = pool.session(1);
                SqlSession session = pool.session(2)) {
            SqlFixture.run(busy, "CREATE TABLE t (id INT PRIMARY KEY)");
            SqlFixture.run(busy, "BEGIN");
            SqlFixture.rows(busy, "SELECT 1");
            SqlFixture.run(session, "BEGIN");
            assertThat(state(() -> SqlFixture.run(session, "INSERT INTO t VALUES (1)")))
                    .isEqualTo("53300");
            SqlFixture.run(busy, "COMMIT");
            assertThat(state(() -> SqlFixture.run(session, "INSERT INTO t VALUES (2)")))
                    .isEqualTo("25P02");
            SqlFixture.run(busy, "BEGIN");
            SqlFixture.rows(busy, "SELECT 1");
            SqlFixture.run(session, "ROLLBACK");
            SqlFixture.run(session, "BEGIN");
            SqlFixture.run(session, "COMMIT");
            SqlFixture.run(busy, "COMMIT");
            assertThat(SqlFixture.rows(session, "SELECT count(*) FROM t")).isEqualTo("0");
        }
    }

    /// ```
    /// a  finds an idle session that has failed, closes it, which takes long
    /// b  takes another one meanwhile
    /// ```
    @Test
    void aSessionThatFailedWhileIdleIsClosedWhileOthersTakeSessions() throws Exception {
        SlowFabric fabric = new SlowFabric();
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(64L << 20)
                        .withSlots(8)
                        .withFabric(() -> fabric);
        try (SqlDatabase slow = SqlDatabase.embedded(options);
                SessionPool pool = new SessionPool(slow, 2, LONG);
                AutoCloseable _ = fabric.closed::countDown) {
            EngineSession whole = pool.acquire(() -> false);
            EngineSession failed = pool.acquire(() -> false);
            pool.release(whole);
            pool.release(failed); // the last one is taken first
            fabric.losing = Thread.currentThread();
            assertThatThrownBy(() -> failed.session().transact(tx -> tx.snapshot()))
                    .isInstanceOf(FabricException.class);
            fabric.losing = null;
            assertThat(failed.session().isFailed()).isTrue();
            Future<EngineSession> first =
                    threads.submit(() -> {
                        fabric.slow = Thread.currentThread();
                        return pool.acquire(() -> false);
                    });
            assertThat(fabric.closing.await(1, TimeUnit.MINUTES)).isTrue();
            Future<EngineSession> second = threads.submit(() -> pool.acquire(() -> false));
            assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(whole);
            assertThat(first.isDone()).isFalse();
            fabric.closed.countDown();
            EngineSession opened = first.get(1, TimeUnit.MINUTES);
            assertThat(opened.session().isFailed()).isFalse();
            assertThat(pool.used()).isEqualTo(2);
            pool.release(opened);
            pool.release(whole);
            assertThat(pool.used()).isZero();
        }
    }

    /// Loses the connections of a thread, and takes long to close one.
    private static final class SlowFabric extends ForwardingFabric {
        private volatile @Nullable Thread losing;
        private volatile @Nullable Thread slow;
        private final CountDownLatch closing = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);

        SlowFabric() {
            super(new ShmFabric(ShmFabric.Options.DEFAULT));
        }

        @Override
        public QueuePair connect(List<Region> regions) {
            return new ForwardingQueuePair(actual.connect(regions)) {
                @Override
                protected void awaitCompletions() {
                    if (Thread.currentThread().equals(losing)) {
                        throw new FabricException(FabricException.Kind.CONNECTION_LOST, "planted");
                    }
                    super.awaitCompletions();
                }

                @Override
                public void close() {
                    // Not where background maintenance closes one that it has recovered with.
                    if (Thread.currentThread().equals(slow)) {
                        slow = null;
                        closing.countDown();
                        awaitClosed();
                    }
                    super.close();
                }
            };
        }

        private void awaitClosed() {
            try {
                closed.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}

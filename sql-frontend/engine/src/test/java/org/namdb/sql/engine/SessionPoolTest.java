package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.Session;
import org.namdb.fabric.Host;
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
}

package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.NamDb;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.UnplannedFailure;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.engine.TransactionStatus;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;

/// The first call of the fabric that a transaction makes throws an unplanned failure, then the
/// second, and so on, before or after it was done. The process lives on: all of the transaction is
/// seen or nothing, and when the session is closed everything can be written again.
class UnplannedFailureTest {
    private static final int KEYS = 4;
    private static final int OLD_KEYS = 2;
    private static final int MAX_CALLS = 1_000;
    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(1, EnumSet.noneOf(Fault.class))
                    .withServers(2, 1)
                    .withRegisters(1, 1, new RegisterWorkload(KEYS, 1, 1));

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void updatesAndInsertsAreAllThereOrNothing(boolean after) {
        int seen = 0;
        int call = 0;
        boolean hasFailed = true;
        for (; hasFailed && call < MAX_CALLS; call++) {
            int at = call;
            boolean[] isSeen = new boolean[1];
            hasFailed =
                    run(
                            at,
                            after,
                            db -> {
                                Registers.create(db, KEYS, 2, true, false);
                                RegisterValues.write(db, 1, OLD_KEYS);
                            },
                            (db, armed) -> RegisterValues.write(db, armed, 2, KEYS),
                            db -> {
                                List<Long> values = RegisterValues.read(db, KEYS);
                                isSeen[0] = values.getFirst() == 2;
                                assertThat(values)
                                        .as("failure at call %d", at)
                                        .isEqualTo(
                                                isSeen[0]
                                                        ? List.of(2L, 2L, 2L, 2L)
                                                        : List.of(1L, 1L, 0L, 0L));
                                RegisterValues.write(db, 3, KEYS); // no conflict, or it throws
                            });
            assertThat(hasFailed || isSeen[0]).as("without a failure").isTrue();
            seen += hasFailed && isSeen[0] ? 1 : 0;
        }
        assertThat(hasFailed).isFalse();
        assertThat(call).isGreaterThan(50);
        assertThat(seen > 0).as("failures after it was published").isEqualTo(after);
    }

    /// A transaction that has met the failure in a block, and commits that nevertheless, commits
    /// nothing.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBlockIsNeverCommittedInPart(boolean after) {
        boolean hasFailed = true;
        int call = 0;
        for (; hasFailed && call < MAX_CALLS; call++) {
            int at = call;
            hasFailed =
                    run(
                            at,
                            after,
                            db -> {
                                try (SqlSession session = SqlDatabase.of(db).session()) {
                                    execute(
                                            session,
                                            "CREATE TABLE t (id INT PRIMARY KEY, v INT UNIQUE)"
                                                    + " WITH (expected_rows = 4)",
                                            "INSERT INTO t SELECT i, i FROM generate_series(1, 2) g (i)");
                                }
                            },
                            UnplannedFailureTest::changeInABlock,
                            db -> {
                                try (SqlSession session = SqlDatabase.of(db).session()) {
                                    assertThat(text(session, "SELECT sum(v) FROM t"))
                                            .as("failure at call %d", at)
                                            .isIn("3", "203");
                                    execute(session, "UPDATE t SET v = v + 1000");
                                }
                            });
        }
        assertThat(hasFailed).isFalse();
        assertThat(call).isGreaterThan(50);
    }

    private static void changeInABlock(NamDb db, Runnable armed) {
        try (SqlSession session = SqlDatabase.of(db).session()) {
            execute(session, "BEGIN");
            armed.run();
            try {
                execute(session, "UPDATE t SET v = v + 100", "COMMIT");
            } catch (SqlException | Error e) {
                requireUnplanned(e);
                if (session.status() != TransactionStatus.IDLE) {
                    execute(session, "COMMIT");
                }
            }
        }
    }

    /// @param work is done in a session that it closes; when it runs its second argument, the calls
    ///     are counted
    /// @return whether it made so many calls
    private static boolean run(
            int call,
            boolean after,
            Consumer<NamDb> load,
            BiConsumer<NamDb, Runnable> work,
            Consumer<NamDb> check) {
        try (TestCluster cluster = new TestCluster(7, OPTIONS)) {
            cluster.load(load, 100);
            boolean[] isDone = new boolean[1];
            boolean[] hasFailed = new boolean[1];
            SimHost _ =
                    cluster.start(
                            "compute",
                            (db, host) -> {
                                try {
                                    work.accept(
                                            db, () -> host.failAtCall(host.calls() + call, after));
                                } catch (RuntimeException | Error e) {
                                    requireUnplanned(e);
                                }
                                host.failAtCall(Long.MAX_VALUE, after);
                                hasFailed[0] = host.failures() > 0;
                                while (!db.recover()) {
                                    host.sleep(100_000);
                                }
                                check.accept(db);
                                isDone[0] = true;
                            });
            cluster.run(100);
            assertThat(isDone[0]).as("failure at call %d: it comes to an end", call).isTrue();
            return hasFailed[0];
        }
    }

    private static void requireUnplanned(Throwable thrown) {
        assertThat(UnplannedFailure.isIn(thrown)).as(String.valueOf(thrown)).isTrue();
    }

    private static void execute(SqlSession session, String... statements) {
        for (String statement : statements) {
            session.execute(statement).close();
        }
    }

    private static String text(SqlSession session, String query) {
        try (Result result = session.execute(query)) {
            assertThat(result.next()).isTrue();
            return String.valueOf(result.text(0));
        }
    }
}

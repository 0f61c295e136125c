package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Two sessions that would violate a constraint together: however they interleave, the constraint
/// holds.
class ConstraintRacesTest {
    private static final int ROUNDS = 1500;

    private SqlFixture db;

    @BeforeEach
    void open() {
        db = new SqlFixture();
    }

    @AfterEach
    void close() {
        db.close();
    }

    /// What one of the two does in a round.
    private interface Part {
        void run(SqlSession session, int round);
    }

    /// Runs both parts of each round at the same time, then checks the constraints.
    private int race(Part one, Part other, Part check) throws Exception {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        CyclicBarrier barrier = new CyclicBarrier(2);
        List<Future<Integer>> ends = new ArrayList<>();
        int refused = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (Part part : List.of(one, other)) {
                Part checker = ends.isEmpty() ? check : null;
                SplittableRandom random = new SplittableRandom(seed + ends.size());
                ends.add(threads.submit(() -> rounds(part, checker, barrier, random)));
            }
            for (Future<Integer> end : ends) {
                refused += end.get();
            }
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
        return refused;
    }

    private int rounds(
            Part part, @Nullable Part check, CyclicBarrier barrier, SplittableRandom random)
            throws Exception {
        int refused = 0;
        try (SqlSession session = db.database.session()) {
            for (int round = 0; round < ROUNDS; round++) {
                barrier.await();
                for (int spins = random.nextInt(3000); spins > 0; spins--) {
                    Thread.onSpinWait();
                }
                try {
                    part.run(session, round);
                } catch (SqlException e) {
                    refused++;
                    assertThat(e.state())
                            .isIn(
                                    SqlState.SERIALIZATION_FAILURE,
                                    SqlState.FOREIGN_KEY_VIOLATION,
                                    SqlState.UNIQUE_VIOLATION);
                }
                barrier.await();
                if (check != null) {
                    check.run(session, round);
                }
            }
        }
        return refused;
    }

    @Test
    void noChildIsLeftWithoutItsParent() throws Exception {
        db.run(
                "CREATE TABLE p (id INT PRIMARY KEY); CREATE TABLE c (id INT PRIMARY KEY, p INT REFERENCES p)");
        for (int round = 0; round < ROUNDS; round++) {
            db.session.execute("INSERT INTO p VALUES (?)", round);
        }
        int refused =
                race(
                        (session, round) -> session.execute("INSERT INTO c VALUES ($1, $1)", round),
                        (session, round) -> session.execute("DELETE FROM p WHERE id = ?", round),
                        (session, round) ->
                                assertThat(
                                                SqlFixture.rows(
                                                        session,
                                                        "SELECT p FROM c WHERE NOT EXISTS (SELECT 1 FROM p WHERE p.id = c.p)"))
                                        .isEmpty());
        assertThat(refused).isEqualTo(ROUNDS);
        assertThat(db.rows("SELECT (SELECT count(*) FROM p) - (SELECT count(*) FROM c)"))
                .isEqualTo("0");
    }

    @Test
    void cascadesLeaveNoChildBehind() throws Exception {
        db.run(
                "CREATE TABLE p (id INT PRIMARY KEY); CREATE TABLE c (id INT PRIMARY KEY, p INT REFERENCES p ON DELETE CASCADE)");
        for (int round = 0; round < ROUNDS; round++) {
            db.session.execute("INSERT INTO p VALUES (?)", round);
            db.session.execute("INSERT INTO c VALUES ($1, $2)", round, round);
        }
        race(
                (session, round) ->
                        session.execute("INSERT INTO c VALUES ($1, $2)", round + ROUNDS, round),
                (session, round) -> session.execute("DELETE FROM p WHERE id = ?", round),
                (session, round) ->
                        assertThat(
                                        SqlFixture.rows(
                                                session,
                                                "SELECT c.id FROM c LEFT JOIN p ON c.p = p.id WHERE p.id IS NULL"))
                                .isEmpty());
    }

    @Test
    void twoInsertsOfOneValueAreOneRow() throws Exception {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT UNIQUE)");
        int refused =
                race(
                        (session, round) ->
                                session.execute("INSERT INTO t VALUES ($1, $2)", round, round),
                        (session, round) ->
                                session.execute(
                                        "INSERT INTO t VALUES ($1, $2)", round + ROUNDS, round),
                        (session, round) ->
                                assertThat(
                                                SqlFixture.rows(
                                                        session,
                                                        "SELECT count(*) FROM t WHERE v + 0 = ?",
                                                        round))
                                        .isEqualTo("1"));
        assertThat(refused).isEqualTo(ROUNDS);
    }

    @Test
    void twoUpdatesToOneValueAreOneRow() throws Exception {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT UNIQUE)");
        db.run("INSERT INTO t VALUES (1, -1), (2, -2)");
        int refused =
                race(
                        (session, round) ->
                                session.execute("UPDATE t SET v = ? WHERE id = 1", round),
                        (session, round) ->
                                session.execute("UPDATE t SET v = ? WHERE id = 2", round),
                        (session, round) ->
                                assertThat(
                                                SqlFixture.rows(
                                                        session,
                                                        "SELECT count(*) FROM t WHERE v + 0 = ?",
                                                        round))
                                        .isEqualTo("1"));
        assertThat(refused).isEqualTo(ROUNDS);
        assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("2");
    }
}

package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.namdb.compute.NamDb;
import org.namdb.simulated.SimHost;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.result.Result;

/// A compute server dies at a verb of CREATE INDEX, then at a later one, and so on. What it has not
/// filled is used by no query of another one, and can be dropped, and made again.
class DeadIndexBuildTest {
    private static final int STRIDE = 7;
    private static final String QUERY = "SELECT sum(id) FROM t WHERE more = 7";
    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(1, EnumSet.noneOf(Fault.class)).withServers(3, 3);

    @Test
    void anUnfilledIndexIsReplaced() {
        int unfilled = 0;
        int verb = 1;
        for (boolean hasCrashed = true; hasCrashed; verb += STRIDE) {
            boolean[] isUnfilled = new boolean[1];
            hasCrashed = run(verb, isUnfilled);
            unfilled += isUnfilled[0] ? 1 : 0;
        }
        assertThat(verb).as("verbs of it").isGreaterThan(10 * STRIDE);
        assertThat(unfilled).as("indexes that were not filled").isGreaterThan(5);
    }

    /// @return whether the statement has made so many verbs
    private static boolean run(int verb, boolean[] isUnfilled) {
        try (TestCluster cluster = new TestCluster(7, OPTIONS)) {
            cluster.load(
                    db ->
                            inSession(
                                    db,
                                    session ->
                                            execute(
                                                    session,
                                                    "CREATE TABLE t (id INT PRIMARY KEY, more INT)"
                                                            + " WITH (expected_rows = 300)",
                                                    "INSERT INTO t SELECT i, i % 100"
                                                            + " FROM generate_series(1, 300) g (i)")),
                    1_000);
            int[] process = new int[1];
            SimHost dying =
                    cluster.start(
                            "dying",
                            (db, host) -> {
                                process[0] = db.process();
                                inSession(
                                        db,
                                        session -> {
                                            execute(session, QUERY);
                                            host.crashAtVerb(host.verbs() + verb);
                                            execute(session, "CREATE INDEX by_more ON t (more)");
                                            host.crashAtVerb(Long.MAX_VALUE);
                                        });
                            });
            cluster.run(100);
            boolean hasCrashed = dying.isDead();
            dying.crash();
            boolean[] isDone = new boolean[1];
            SimHost _ =
                    cluster.start(
                            "other",
                            (db, host) -> {
                                while (!db.recoverProcess(process[0])) {
                                    host.sleep(50_000);
                                }
                                isUnfilled[0] =
                                        db.indexNames().contains("by_more")
                                                && db.findIndex("by_more") == null;
                                inSession(db, session -> use(session, verb, isUnfilled[0]));
                                isDone[0] = true;
                            });
            cluster.run(500);
            assertThat(isDone[0]).as("death at verb %d: another one goes on", verb).isTrue();
            return hasCrashed;
        }
    }

    private static void use(SqlSession session, int verb, boolean isUnfilled) {
        String as = "death at verb " + verb;
        assertThat(text(session, QUERY)).as(as).isEqualTo("321");
        if (isUnfilled && verb % 2 == 0) {
            execute(session, "DROP INDEX by_more", "CREATE INDEX by_more ON t (more)");
        } else {
            execute(session, "CREATE INDEX IF NOT EXISTS by_more ON t (more)");
        }
        execute(session, "INSERT INTO t VALUES (301, 7)");
        assertThat(text(session, QUERY)).as(as).isEqualTo("622");
        StringBuilder plan = new StringBuilder();
        try (Result result = session.execute("EXPLAIN " + QUERY)) {
            while (result.next()) {
                plan.append(result.text(0)).append('\n');
            }
        }
        assertThat(plan.toString()).as(as).contains("by_more");
        execute(session, "DROP INDEX by_more");
        assertThat(text(session, QUERY)).as(as).isEqualTo("622");
    }

    private interface Work {
        void run(SqlSession session);
    }

    private static void inSession(NamDb db, Work work) {
        try (SqlSession session = SqlDatabase.of(db).session()) {
            work.run(session);
        }
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

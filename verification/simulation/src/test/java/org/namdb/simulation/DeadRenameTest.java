package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.compute.NamDb;
import org.namdb.simulated.SimHost;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlDump;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;

/// A compute server dies at a verb of a statement that gives something another name, or remakes a
/// table with its keys, then at a later one, and so on. One that has used the tables before, and
/// one that comes later, have the schema of before then, or that of afterwards, and the same one;
/// and they can use and change it.
class DeadRenameTest {
    private static final int MAX_VERBS = 5_000;
    private static final int MAX_STRIDE = 11;
    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(1, EnumSet.noneOf(Fault.class)).withServers(3, 3);

    private static final String[] TABLES = {
        "CREATE TABLE t (id INT PRIMARY KEY, a INT UNIQUE CHECK (a > 0), more INT)"
                + " WITH (expected_rows = 4)",
        "CREATE INDEX by_more ON t (more, a)",
        "CREATE INDEX by_hash ON t USING hash (more)",
        "CREATE SEQUENCE s",
        "CREATE TABLE child (id INT PRIMARY KEY, of INT REFERENCES t (a),"
                + " note INT DEFAULT nextval('s') UNIQUE) WITH (expected_rows = 4)",
        "CREATE VIEW v AS SELECT id, more AS value FROM t WHERE more > 1",
        "INSERT INTO t VALUES (1, 10, 7), (2, 20, 8), (3, 30, 7)",
        "INSERT INTO child VALUES (1, 10), (2, 20)"
    };

    /// The statement that is interrupted.
    enum Rename {
        COLUMN("ALTER TABLE t RENAME COLUMN a TO b", "t", "b"),
        TABLE("ALTER TABLE t RENAME TO u", "u", "a"),
        VIEW("ALTER VIEW v RENAME TO w", "t", "a"),
        IN_BLOCK("BEGIN; ALTER TABLE t RENAME TO u; ALTER TABLE u RENAME a TO b; COMMIT", "u", "b"),
        SEQUENCE("ALTER SEQUENCE s RENAME TO r", "t", "a"),
        TYPES(
                "ALTER TABLE child ALTER COLUMN id TYPE BIGINT, ALTER COLUMN note TYPE BIGINT",
                "t",
                "a"),
        KEY("ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (more, id)", "t", "a"),
        EXCHANGE(
                "BEGIN; ALTER TABLE t RENAME TO old; ALTER TABLE child RENAME TO t;"
                        + " ALTER TABLE old RENAME TO child; COMMIT",
                "child",
                "a");

        private final String statements;
        private final String table;
        private final String column;

        /// @param table what t is called then
        /// @param column what its column a is called then
        Rename(String statements, String table, String column) {
            this.statements = statements;
            this.table = table;
            this.column = column;
        }
    }

    @ParameterizedTest
    @EnumSource
    void allHaveTheSchemaOfBeforeOrAfter(Rename rename) {
        List<String> dumps = new ArrayList<>();
        assertThat(run(rename, 1, dumps)).isTrue();
        String before = dumps.getFirst();
        assertThat(run(rename, MAX_VERBS, dumps)).isFalse();
        String after = dumps.getLast();
        assertThat(after).isNotEqualTo(before);
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        boolean hasCrashed = true;
        int verb = 2;
        for (; hasCrashed; verb += random.nextInt(1, MAX_STRIDE + 1)) {
            dumps.clear();
            hasCrashed = run(rename, verb, dumps);
            assertThat(dumps).as("dumps after a death at verb %d", verb).hasSize(2);
            assertThat(dumps.getFirst()).as("death at verb %d", verb).isIn(before, after);
            assertThat(dumps.getLast())
                    .as("the later one, death at verb %d", verb)
                    .isEqualTo(dumps.getFirst());
        }
        assertThat(verb).as("verbs of it").isGreaterThan(20);
    }

    /// @param verb at which verb of the statement it dies
    /// @param dumps gets what the others see
    /// @return whether it has made so many
    private static boolean run(Rename rename, int verb, List<String> dumps) {
        try (TestCluster cluster = new TestCluster(7, OPTIONS)) {
            cluster.load(db -> inSession(db, session -> execute(session, TABLES)), 1_000);
            NamDb[] surviving = new NamDb[1];
            int[] process = new int[1];
            SimHost survivor =
                    cluster.start(
                            "survivor",
                            (db, _) -> {
                                surviving[0] = db;
                                inSession(db, session -> useOld(session));
                            });
            cluster.run(100);
            SimHost dying =
                    cluster.start(
                            "dying",
                            (db, host) -> {
                                process[0] = db.process();
                                inSession(
                                        db,
                                        session -> {
                                            useOld(session);
                                            host.crashAtVerb(host.verbs() + verb);
                                            execute(session, rename.statements.split("; *"));
                                            host.crashAtVerb(Long.MAX_VALUE);
                                        });
                            });
            cluster.run(100);
            boolean hasCrashed = dying.isDead();
            dying.crash();
            boolean[] isDone = new boolean[2];
            Thread _ =
                    survivor.start(
                            "surviving",
                            () -> {
                                while (!surviving[0].recoverProcess(process[0])) {
                                    survivor.sleep(50_000);
                                }
                                inSession(
                                        surviving[0],
                                        session -> dumps.add(dump(session, surviving[0])));
                                isDone[0] = true;
                            });
            cluster.run(200);
            assertThat(isDone[0]).as("death at verb %d: the survivor goes on", verb).isTrue();
            SimHost _ =
                    cluster.start(
                            "later",
                            (db, _) -> {
                                inSession(
                                        db,
                                        session -> {
                                            dumps.add(dump(session, db));
                                            use(session, rename, verb);
                                        });
                                isDone[1] = true;
                            });
            cluster.run(500);
            assertThat(isDone[1]).as("death at verb %d: another one goes on", verb).isTrue();
            isDone[0] = false;
            Thread _ =
                    survivor.start(
                            "surviving",
                            () -> {
                                inSession(
                                        surviving[0],
                                        session -> execute(session, "DROP TABLE x, y"));
                                isDone[0] = true;
                            });
            cluster.run(500);
            assertThat(isDone[0]).as("death at verb %d: the survivor goes on", verb).isTrue();
            return hasCrashed;
        }
    }

    private static void useOld(SqlSession session) {
        assertThat(text(session, "SELECT sum(a) FROM t WHERE more = 7")).isEqualTo("40");
        assertThat(text(session, "SELECT sum(value) FROM v")).isEqualTo("22");
        assertThat(text(session, "SELECT count(*) FROM child WHERE of = 20")).isEqualTo("1");
    }

    /// By indexes, by foreign keys, checks and unique keys, and by further changes of the schema.
    private static void use(SqlSession session, Rename rename, int verb) {
        String as = "death at verb " + verb;
        boolean isRenamed =
                fails(session, "SELECT a FROM t") || fails(session, "SELECT of FROM child");
        String table = isRenamed ? rename.table : "t";
        String column = isRenamed ? rename.column : "a";
        String child = table.equals("child") ? "t" : "child";
        for (String index : List.of("more = 7", column + " = 10 OR " + column + " = 30")) {
            String query = "SELECT sum(" + column + ") FROM " + table + " WHERE " + index;
            assertThat(text(session, query)).as(as + ": " + query).isEqualTo("40");
        }
        requireFailure(
                session,
                SqlState.FOREIGN_KEY_VIOLATION,
                "INSERT INTO " + child + " VALUES (3, 31)");
        requireFailure(
                session,
                SqlState.FOREIGN_KEY_VIOLATION,
                "DELETE FROM " + table + " WHERE " + column + " = 10");
        requireFailure(
                session, SqlState.CHECK_VIOLATION, "INSERT INTO " + table + " VALUES (4, -1, 1)");
        requireFailure(
                session, SqlState.UNIQUE_VIOLATION, "INSERT INTO " + table + " VALUES (4, 20, 1)");
        execute(
                session,
                "INSERT INTO " + table + " VALUES (4, 40, 7)",
                "INSERT INTO " + child + " VALUES (4, 40)",
                "DROP VIEW IF EXISTS v, w",
                "ALTER TABLE " + child + " RENAME TO y",
                "ALTER TABLE " + table + " RENAME TO x",
                "ALTER TABLE x RENAME COLUMN " + column + " TO c",
                "DROP INDEX by_hash",
                "CREATE INDEX by_hash ON x USING hash (more)",
                "ALTER TABLE x ADD COLUMN d INT DEFAULT 1");
        assertThat(text(session, "SELECT sum(c) FROM x WHERE more = 7")).as(as).isEqualTo("80");
    }

    private static boolean fails(SqlSession session, String statement) {
        try {
            execute(session, statement);
            return false;
        } catch (SqlException e) {
            assertThat(e.state()).isIn(SqlState.UNDEFINED_COLUMN, SqlState.UNDEFINED_TABLE);
            return true;
        }
    }

    private static void requireFailure(SqlSession session, SqlState state, String statement) {
        try {
            execute(session, statement);
        } catch (SqlException e) {
            assertThat(e.state()).as(statement).isEqualTo(state);
            return;
        }
        throw new AssertionError("no failure: " + statement);
    }

    /// With hidden tables and indexes.
    private static String dump(SqlSession session, NamDb db) {
        StringWriter text = new StringWriter();
        text.append(db.tableNames() + "\n" + db.indexNames() + "\n");
        try {
            SqlDump.write(session, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
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

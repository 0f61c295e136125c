package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.simulated.tearing.TearingFabric;
import org.namdb.sql.engine.ChangeModel.Child;
import org.namdb.sql.engine.ChangeModel.Outcome;
import org.namdb.sql.engine.ChangeModel.Parent;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;

/// Random changes of two tables, in blocks with savepoints and outside of them, compared with a
/// model of what the tables hold: each statement does what the model does, or fails for a reason
/// that the model has, and then changes nothing.
class RandomChangesTest {
    private static final int STATEMENTS = 1500;
    private static final int IDS = 24;

    static Stream<Arguments> fabrics() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        Supplier<Fabric> inPlace = () -> new ShmFabric(ShmFabric.Options.DEFAULT);
        Supplier<Fabric> landing =
                () -> new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
        Supplier<Fabric> tearing = () -> new TearingFabric(TearingFabric.Options.lines(seed));
        return Stream.of(
                Arguments.of("1 server, in place", 1, inPlace, seed),
                Arguments.of("4 servers, in place", 4, inPlace, seed + 1),
                Arguments.of("1 server, landing", 1, landing, seed + 2),
                Arguments.of("4 servers, landing", 4, landing, seed + 3),
                Arguments.of("4 servers, torn", 4, tearing, seed + 4));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fabrics")
    void statementsDoWhatTheModelDoes(
            String name, int servers, Supplier<Fabric> fabric, long seed) {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(servers)
                        .withMemoryBytes(256L << 20)
                        .withSlots(8)
                        .withFabric(fabric);
        try (SqlDatabase database = SqlDatabase.embedded(options);
                SqlSession session = database.session()) {
            SqlFixture.run(session, ChangeModel.SCHEMA);
            new Run(session, new SplittableRandom(seed)).statements();
        }
    }

    /// A savepoint, and what the tables held.
    private record Mark(String name, ChangeModel model) {}

    private static final class Run {
        private final SqlSession session;
        private final SplittableRandom random;
        private final Deque<Mark> marks = new ArrayDeque<>();
        private ChangeModel committed = new ChangeModel();
        private ChangeModel model = committed;
        private int done;
        private int refused;
        private int names;

        Run(SqlSession session, SplittableRandom random) {
            this.session = session;
            this.random = random;
        }

        void statements() {
            for (int i = 0; i < STATEMENTS; i++) {
                switch (session.status()) {
                    case IDLE -> {
                        if (random.nextInt(6) == 0) {
                            SqlFixture.run(session, "BEGIN");
                        } else {
                            change();
                        }
                    }
                    case ACTIVE -> inBlock();
                    case FAILED -> recover();
                }
                if (session.status() == TransactionStatus.IDLE) {
                    committed = model;
                }
                if (session.status() != TransactionStatus.FAILED && i % 8 == 0) {
                    compare();
                }
            }
            if (session.status() != TransactionStatus.IDLE) {
                rollback();
            }
            compare();
            assertThat(done).isGreaterThan(STATEMENTS / 10);
            assertThat(refused).isGreaterThan(STATEMENTS / 50);
        }

        private void inBlock() {
            switch (random.nextInt(12)) {
                case 0 -> {
                    SqlFixture.run(session, "COMMIT");
                    marks.clear();
                }
                case 1 -> {
                    String name = "s" + names++;
                    SqlFixture.run(session, "SAVEPOINT " + name);
                    marks.push(new Mark(name, model));
                }
                case 2 -> {
                    if (!marks.isEmpty()) {
                        String name = marks.pop().name;
                        SqlFixture.run(session, "RELEASE " + name);
                    }
                }
                case 3 -> recover();
                default -> change();
            }
        }

        /// Rolls back to a savepoint, or to the beginning.
        private void recover() {
            if (marks.isEmpty() || random.nextInt(4) == 0) {
                rollback();
            } else {
                if (random.nextBoolean() && marks.size() > 1) {
                    Mark _ = marks.pop(); // goes with the one before it
                }
                Mark mark = marks.getFirst();
                SqlFixture.run(session, "ROLLBACK TO " + mark.name);
                model = mark.model;
            }
        }

        private void rollback() {
            SqlFixture.run(session, "ROLLBACK");
            model = committed;
            marks.clear();
        }

        private int id() {
            return random.nextInt(IDS);
        }

        private @Nullable Integer some(int bound) {
            return random.nextInt(5) == 0 ? null : random.nextInt(bound);
        }

        private Parent parent() {
            return new Parent(some(40), random.nextInt(10) - (random.nextInt(12) == 0 ? 10 : 0));
        }

        private void change() {
            int from = id();
            int to = from + random.nextInt(4);
            IntPredicate ids = id -> id >= from && id <= to;
            String where = " WHERE id BETWEEN " + from + " AND " + to;
            switch (random.nextInt(13)) {
                case 0, 1 -> insertParents();
                case 2 -> {
                    Parent row = parent();
                    check(
                            "INSERT INTO parent VALUES "
                                    + text(from, row)
                                    + " ON CONFLICT DO NOTHING",
                            model.insertUnlessThere(from, row));
                }
                case 3 -> {
                    Parent row = parent();
                    check(
                            "INSERT INTO parent VALUES "
                                    + text(from, row)
                                    + " ON CONFLICT (id) DO UPDATE SET v = parent.v + excluded.v, code = excluded.code",
                            model.upsert(from, row));
                }
                case 4 -> {
                    int by = random.nextInt(9) - 4;
                    check(
                            "UPDATE parent SET v = v + (" + by + ")" + where,
                            model.updateParents(ids, p -> new Parent(p.code(), p.v() + by)));
                }
                case 5 -> {
                    Integer code = some(40);
                    check(
                            "UPDATE parent SET code = " + code + where,
                            model.updateParents(ids, p -> new Parent(code, p.v())));
                }
                case 6 -> {
                    int by = random.nextInt(9) - 4;
                    check(
                            "UPDATE parent SET id = id + (" + by + ")" + where,
                            model.moveParents(ids, by));
                }
                case 7 -> check("DELETE FROM parent" + where, model.deleteParents(ids));
                case 8, 9, 10 -> {
                    Child child = new Child(some(IDS), some(4));
                    check(
                            "INSERT INTO child VALUES ("
                                    + from
                                    + ", "
                                    + child.parent()
                                    + ", "
                                    + child.n()
                                    + ")",
                            model.insertChild(from, child));
                }
                case 11 -> {
                    Child child = new Child(some(IDS), some(4));
                    check(
                            "UPDATE child SET parent = "
                                    + child.parent()
                                    + ", n = "
                                    + child.n()
                                    + where,
                            model.updateChildren(ids, c -> child));
                }
                default -> check("DELETE FROM child" + where, model.deleteChildren(ids));
            }
        }

        private void insertParents() {
            Map<Integer, Parent> rows = new TreeMap<>();
            StringJoiner values = new StringJoiner(", ", "INSERT INTO parent VALUES ", "");
            for (int i = random.nextInt(3); i >= 0; i--) {
                int id = id();
                Parent row = parent();
                if (rows.putIfAbsent(id, row) == null) {
                    values.add(text(id, row));
                }
            }
            check(values.toString(), model.insertParents(rows));
        }

        private static String text(int id, Parent row) {
            return "(" + id + ", " + row.code() + ", " + row.v() + ")";
        }

        private void check(String sql, Outcome expected) {
            try {
                Result result = session.execute(sql);
                assertThat(expected.states()).as(sql + " on " + model).isEmpty();
                assertThat(result.rowCount()).as(sql).isEqualTo(expected.count());
                model = expected.after();
                done++;
            } catch (SqlException e) {
                assertThat(expected.states())
                        .as(sql + " on " + model + ": " + e)
                        .contains(e.state().code());
                refused++;
            }
        }

        private void compare() {
            StringJoiner parents = new StringJoiner("; ");
            model.parents().forEach((id, p) -> parents.add(id + "|" + p.code() + "|" + p.v()));
            assertThat(SqlFixture.rows(session, "SELECT * FROM parent ORDER BY id"))
                    .isEqualTo(parents.toString());
            StringJoiner children = new StringJoiner("; ");
            model.children().forEach((id, c) -> children.add(id + "|" + c.parent() + "|" + c.n()));
            assertThat(SqlFixture.rows(session, "SELECT * FROM child ORDER BY id"))
                    .isEqualTo(children.toString());
            byIndexes();
        }

        /// The indexes agree with the tables.
        private void byIndexes() {
            int code = random.nextInt(40);
            StringJoiner found = new StringJoiner("; ");
            model.parents()
                    .forEach((id, p) -> {
                        if (p.code() != null && p.code() == code) {
                            found.add(String.valueOf(id));
                        }
                    });
            assertThat(SqlFixture.rows(session, "SELECT id FROM parent WHERE code = " + code))
                    .isEqualTo(found.toString());
            int parent = id();
            StringJoiner of = new StringJoiner("; ");
            model.children()
                    .forEach((id, c) -> {
                        if (c.parent() != null && c.parent() == parent) {
                            of.add(String.valueOf(id));
                        }
                    });
            assertThat(
                            SqlFixture.rows(
                                    session,
                                    "SELECT id FROM child WHERE parent = "
                                            + parent
                                            + " ORDER BY id"))
                    .isEqualTo(of.toString());
        }
    }
}

package org.namdb.sql.engine.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.sql.engine.execute.QueryFixture.row;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;

/// Joins of random rows give what comparing all pairs gives, however they are planned, and however
/// much of them is spilled.
class RandomJoinTest {
    private static final int ROUNDS = 6;

    /// A row: id, k, v; k and v may be null.
    private record R(long id, @Nullable Long k, @Nullable Long v) {
        String text() {
            return id + "|" + (k == null ? "-" : k) + "|" + (v == null ? "-" : v);
        }
    }

    /// A condition in SQL, and what it is for two rows; NULL counts as false.
    private record Condition(String sql, BiPredicate<R, R> holds) {}

    private static final List<Condition> CONDITIONS =
            List.of(
                    new Condition("r.k = s.k", (r, s) -> equal(r.k, s.k)),
                    new Condition("r.k = s.id", (r, s) -> equal(r.k, s.id)),
                    new Condition(
                            "r.id = s.k AND r.v < s.v",
                            (r, s) -> equal(r.id, s.k) && less(r.v, s.v)),
                    new Condition(
                            "r.k = s.k AND r.v = s.v",
                            (r, s) -> equal(r.k, s.k) && equal(r.v, s.v)),
                    new Condition("r.k < s.k", (r, s) -> less(r.k, s.k)),
                    new Condition(
                            "r.k = s.k AND s.v = 2", (r, s) -> equal(r.k, s.k) && equal(s.v, 2L)),
                    new Condition(
                            "r.k = s.id AND r.v = 1", (r, s) -> equal(r.k, s.id) && equal(r.v, 1L)),
                    new Condition(
                            "r.id = s.id OR r.k = s.v", (r, s) -> r.id == s.id || equal(r.k, s.v)));

    private static boolean equal(@Nullable Long a, @Nullable Long b) {
        return a != null && a.equals(b);
    }

    private static boolean less(@Nullable Long a, @Nullable Long b) {
        return a != null && b != null && a < b;
    }

    private final Set<String> plans = new HashSet<>();

    @Test
    void joinsGiveWhatAllPairsGive() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        for (int round = 0; round < ROUNDS; round++) {
            try (QueryFixture db = new QueryFixture()) {
                // Of one tuple at least, up to all of them.
                db.workMemoryBytes = random.nextBoolean() ? 200 << random.nextInt(5) : 1 << 20;
                List<R> left = fill(db, "r", random);
                List<R> right = fill(db, "s", random);
                for (Condition condition : CONDITIONS) {
                    checkOuter(db, left, right, condition);
                    checkHalf(db, left, right, condition);
                }
                checkIn(db, left, right);
            }
        }
        assertThat(plans).contains("Hash Join", "Index Join", "Nested Loop");
    }

    private static List<R> fill(QueryFixture db, String name, SplittableRandom random) {
        int expected = random.nextBoolean() ? 20 : 20_000;
        db.create(
                "CREATE TABLE %s (id bigint PRIMARY KEY, k integer, v integer) WITH (expected_rows = %d)"
                        .formatted(name, expected));
        int indexes = random.nextInt(3);
        if (indexes > 0) {
            db.createIndex(name + "_k", name, indexes == 1, "k");
        }
        List<R> rows = new ArrayList<>();
        int count = random.nextInt(30);
        for (int i = 0; i < count; i++) {
            Long k = random.nextInt(5) == 0 ? null : (Long) (long) random.nextInt(12);
            Long v = random.nextInt(5) == 0 ? null : (Long) (long) random.nextInt(4);
            R made = new R(i, k, v);
            rows.add(made);
            db.insert(name, row(made.id, made.k, made.v));
        }
        return rows;
    }

    private void checkOuter(QueryFixture db, List<R> left, List<R> right, Condition condition) {
        for (String kind : List.of("INNER", "LEFT", "RIGHT", "FULL")) {
            Set<R> unmatched = new HashSet<>(right);
            List<String> expected = new ArrayList<>();
            for (R r : left) {
                boolean isMatched = false;
                for (R s : right) {
                    if (condition.holds.test(r, s)) {
                        expected.add(r.text() + "|" + s.text());
                        isMatched = true;
                        unmatched.remove(s);
                    }
                }
                if (!isMatched && !kind.equals("INNER") && !kind.equals("RIGHT")) {
                    expected.add(r.text() + "|-|-|-");
                }
            }
            if (kind.equals("RIGHT") || kind.equals("FULL")) {
                unmatched.forEach(s -> expected.add("-|-|-|" + s.text()));
            }
            check(db, "SELECT * FROM r " + kind + " JOIN s ON " + condition.sql, expected);
            List<String> filtered = new ArrayList<>(expected);
            filtered.removeIf(text -> !text.endsWith("|1"));
            check(
                    db,
                    "SELECT * FROM r " + kind + " JOIN s ON " + condition.sql + " WHERE s.v = 1",
                    filtered);
            List<String> unpaired = new ArrayList<>(expected);
            unpaired.removeIf(text -> !text.endsWith("|-"));
            check(
                    db,
                    "SELECT * FROM r "
                            + kind
                            + " JOIN s ON "
                            + condition.sql
                            + " WHERE s.v IS NULL",
                    unpaired);
        }
    }

    private void checkHalf(QueryFixture db, List<R> left, List<R> right, Condition condition) {
        Predicate<R> exists = r -> right.stream().anyMatch(s -> condition.holds.test(r, s));
        String subquery = "EXISTS (SELECT 1 FROM s WHERE " + condition.sql + ")";
        check(db, "SELECT * FROM r WHERE " + subquery, texts(left, exists));
        check(db, "SELECT * FROM r WHERE NOT " + subquery, texts(left, exists.negate()));
        check(
                db,
                "SELECT * FROM r WHERE " + subquery + " OR r.id < 3",
                texts(left, r -> exists.test(r) || r.id < 3));
        check(
                db,
                "SELECT * FROM r WHERE (SELECT count(*) FROM s WHERE " + condition.sql + ") > 1",
                texts(
                        left,
                        r -> right.stream().filter(s -> condition.holds.test(r, s)).count() > 1));
    }

    private void checkIn(QueryFixture db, List<R> left, List<R> right) {
        Predicate<R> in = r -> right.stream().anyMatch(s -> equal(r.k, s.k));
        Predicate<R> notIn =
                r ->
                        right.isEmpty()
                                || r.k != null
                                        && right.stream()
                                                .noneMatch(s -> s.k == null || equal(r.k, s.k));
        check(db, "SELECT * FROM r WHERE k IN (SELECT k FROM s)", texts(left, in));
        check(db, "SELECT * FROM r WHERE k NOT IN (SELECT k FROM s)", texts(left, notIn));
        check(db, "SELECT * FROM r WHERE k NOT IN (SELECT k FROM s) OR id < 0", texts(left, notIn));
        check(
                db,
                "SELECT * FROM r WHERE k IN (SELECT k FROM s WHERE s.v = r.v)",
                texts(left, r -> right.stream().anyMatch(s -> equal(r.k, s.k) && equal(r.v, s.v))));
        check(
                db,
                "SELECT * FROM r WHERE (k, v) IN (SELECT k, v FROM s)",
                texts(left, r -> right.stream().anyMatch(s -> equal(r.k, s.k) && equal(r.v, s.v))));
    }

    private static List<String> texts(List<R> rows, Predicate<R> holds) {
        return rows.stream().filter(holds).map(R::text).toList();
    }

    private void check(QueryFixture db, String sql, List<String> expected) {
        List<String> plan = db.explain(sql);
        for (String line : plan) {
            for (String kind : List.of("Hash Join", "Index Join", "Nested Loop")) {
                if (line.contains(kind)) {
                    plans.add(kind);
                }
            }
        }
        long workMemoryBytes = db.workMemoryBytes;
        if (plan.stream().anyMatch(line -> line.contains("SubPlan"))) {
            db.workMemoryBytes = ExecutionOptions.DEFAULT_WORK_MEMORY_BYTES; // it does not spill
        }
        List<String> rows = db.query(sql);
        db.workMemoryBytes = workMemoryBytes;
        assertThat(rows.stream().sorted())
                .as("%s%n%s", sql, String.join("\n", plan))
                .containsExactlyElementsOf(expected.stream().sorted().toList());
    }
}

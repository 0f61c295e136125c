package org.namdb.sql.engine.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.namdb.sql.engine.execute.QueryFixture.row;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.StatementCancelledException;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.language.error.SqlException;

/// Which plans are chosen, and what they are counted to cost.
class ExplainTest {
    private static final int ROWS = 200;

    private final QueryFixture db = new QueryFixture();

    @BeforeEach
    void fill() {
        db.create(
                "CREATE TABLE big (id bigint PRIMARY KEY, k integer, v integer) WITH (expected_rows = 100000)");
        db.create(
                "CREATE TABLE small (id bigint PRIMARY KEY, ref bigint) WITH (expected_rows = 200)");
        db.create(
                "CREATE TABLE part (a integer, b integer, v integer, PRIMARY KEY (a, b)) WITH (expected_rows = 10000, neighbours = 1)");
        db.createIndex("big_k", "big", false, "k");
        for (int i = 0; i < ROWS; i++) {
            db.insert("big", row(i, i % 10, i));
            db.insert("small", row(i, ROWS - 1 - i));
            db.insert("part", row(i / 10, i % 10, i));
        }
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void aSmallTableIsJoinedWithALargeOneByItsKey() {
        String sql = "SELECT s.id, b.v FROM small s JOIN big b ON b.id = s.ref";
        assertThat(db.explain(sql))
                .containsExactly(
                        "Project  (rows=200)",
                        "  ->  Index Join by Point Read on big b  (rows=200)",
                        "        Key: (id = ref)",
                        "        ->  Scan on small s  (rows=200)");
        assertThat(db.query(sql)).hasSize(ROWS).contains("0|199");
    }

    @Test
    void keysOfManyTuplesAreReadInOneRoundTrip() {
        QueryPlan plan = db.plan("SELECT s.id, b.v FROM small s JOIN big b ON b.id = s.ref");
        Statistics counted = run(plan);
        Statistics.OfNode join = counted.of(plan.root().inputs().getFirst());
        assertThat(join).isNotNull();
        // 1 + 4 + 16 + 64 + 64 + 51 keys
        assertThat(join.verbs().roundTrips()).isEqualTo(6);
        assertThat(join.rows()).isEqualTo(ROWS);
    }

    @Test
    void aSubqueryOfFewRowsFindsTheLargeTablesRowsByKey() {
        String sql =
                "SELECT v FROM big WHERE id IN (SELECT ref FROM small WHERE small.id < 3) ORDER BY v";
        assertThat(db.explain(sql))
                .anyMatch(line -> line.contains("Index Join by Point Read on big"));
        assertThat(db.query(sql)).containsExactly("197", "198", "199");
    }

    @Test
    void aConditionOnOneSideOfAJoinHoldsForTheOther() {
        assertThat(
                        db.explain(
                                "SELECT * FROM part p JOIN part q ON p.a = q.a AND p.b = q.b WHERE p.a = 3 AND q.b = 4"))
                .noneMatch(line -> line.contains("Scan on"));
    }

    @Test
    void conditionsSinkIntoDerivedTablesAndGroups() {
        assertThat(
                        db.explain(
                                "SELECT * FROM (SELECT k, count(*) AS n FROM big GROUP BY k) x WHERE k = 3 AND n > 1"))
                .anyMatch(line -> line.contains("Index Range using big_k"));
        assertThat(
                        db.query(
                                "SELECT * FROM (SELECT k, count(*) AS n FROM big GROUP BY k) x WHERE k = 3 AND n > 1"))
                .containsExactly("3|20");
    }

    @Test
    void aPatternThatComesLaterReadsTheIndexFromItsPrefixOn() {
        db.create("CREATE TABLE words (id bigint PRIMARY KEY, word text)");
        db.createIndex("words_word", "words", false, "word");
        List<String> words = List.of("apple", "apply", "banana", "", "a%", "cherry");
        for (int i = 0; i < words.size(); i++) {
            db.insert("words", row(i, words.get(i)));
        }
        db.insert("words", row(words.size(), null));
        String sql = "SELECT word FROM words WHERE word LIKE $1";
        assertThat(db.explain(sql))
                .containsExactly(
                        "Index Range using words_word on words  (rows=28)",
                        "  Key: (word starts with the prefix of $1)",
                        "  Filter: (word ~~ $1)");
        assertThat(db.query(sql, "app%")).containsExactly("apple", "apply");
        assertThat(db.query(sql, "a\\%")).containsExactly("a%");
        assertThat(db.query(sql, "")).containsExactly("");
        assertThat(db.query(sql, "%")).hasSize(words.size());
        assertThat(db.query(sql, (Object) null)).isEmpty();
        // The index would be read from its beginning to its end: a scan takes less.
        assertThat(roundTrips(sql, "%rr%")).isEqualTo(roundTrips("SELECT word FROM words"));
        String ordered = sql + " ORDER BY word DESC LIMIT 2";
        assertThat(db.explain(ordered))
                .anyMatch(line -> line.contains("Index Range Backward using words_word"));
        assertThat(db.query(ordered, "%a%")).containsExactly("banana", "apply");
        String starts = "SELECT word FROM words WHERE starts_with(word, $1)";
        assertThat(db.explain(starts))
                .contains("  Key: (word starts with $1)", "  Filter: starts_with(word, $1)");
        assertThat(db.query(starts, "a%")).containsExactly("a%");
        assertThat(db.query(starts, "")).hasSize(words.size());
    }

    private long roundTrips(String sql, Object... parameters) {
        return db.session()
                .transact(tx -> {
                    long before = db.session().counters().roundTrips();
                    List<String> _ = db.query(tx, sql, parameters);
                    return db.session().counters().roundTrips() - before;
                });
    }

    @Test
    void anIndexFindsNullAndLeavesItOut() {
        assertThat(db.explain("SELECT id FROM big WHERE k IS NULL"))
                .containsExactly("Index Range using big_k on big  (rows=10)", "  Key: (k IS NULL)");
        db.insert("big", row(ROWS, null, 1));
        db.insert("big", row(ROWS + 1, null, 2));
        assertThat(db.query("SELECT v FROM big WHERE k IS NULL ORDER BY v"))
                .containsExactly("1", "2");
        assertThat(db.explain("SELECT id FROM big WHERE k IS NULL OR k = 3"))
                .contains("  Key: (k IS NULL) OR (k = 3)");
        assertThat(db.query("SELECT count(*) FROM big WHERE k IS NULL OR k = 3"))
                .containsExactly("22");
        assertThat(db.query("SELECT count(*) FROM big WHERE k IS NOT NULL"))
                .containsExactly("" + ROWS);
        String last = "SELECT k FROM big WHERE k IS NOT NULL ORDER BY k DESC NULLS LAST LIMIT 1";
        assertThat(db.explain(last))
                .contains(
                        "  ->  Index Range Backward using big_k on big  (rows=100000)",
                        "        Key: (k IS NOT NULL)");
        assertThat(db.query(last)).containsExactly("9");
        assertThat(db.query("SELECT max(k) FROM big")).containsExactly("9");
        assertThat(db.query("SELECT k FROM big WHERE k > 8 ORDER BY k DESC LIMIT 1"))
                .containsExactly("9");
    }

    /// What is expected of a table is no promise: there may be more rows than the one.
    @Test
    void aTableOfOneExpectedRowIsSortedAllTheSame() {
        db.create("CREATE TABLE one (id bigint PRIMARY KEY, h integer) WITH (expected_rows = 1)");
        db.createIndex("one_h", "one", true, "h");
        for (int i = 0; i < 20; i++) {
            db.insert("one", row(i, 1));
        }
        assertThat(db.query("SELECT id FROM one WHERE h = 1 ORDER BY id DESC LIMIT 3"))
                .containsExactly("19", "18", "17");
    }

    @Test
    void aCancelledQueryEnds() {
        assertThatThrownBy(() ->
                        db.session()
                                .transact(tx -> {
                                    db.session().cancel();
                                    return db.query(
                                            tx, "SELECT count(*) FROM big a, big b, small c");
                                }))
                .isInstanceOf(StatementCancelledException.class);
        db.session().clearCancel();
    }

    @Test
    void aTreeThatIsTooDeepIsRefused() {
        String sql = "SELECT 1" + " + id".repeat(100_000) + " FROM small";
        assertThatThrownBy(() -> db.query(sql))
                .isInstanceOfSatisfying(
                        SqlException.class, e -> assertThat(e.state().code()).isEqualTo("54001"));
        assertThat(
                        db.query(
                                "SELECT count(*) FROM small WHERE id = -1"
                                        + " OR id = 7".repeat(20_000)))
                .containsExactly("1");
    }

    private Statistics run(QueryPlan plan) {
        return db.session()
                .transact(tx -> {
                    Execution execution = db.measured(tx, true);
                    List<String> _ = QueryFixture.query(execution, plan);
                    return java.util.Objects.requireNonNull(execution.statistics());
                });
    }
}

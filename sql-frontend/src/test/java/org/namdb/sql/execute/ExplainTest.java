package org.namdb.sql.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.namdb.sql.execute.QueryFixture.row;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.StatementCancelledException;
import org.namdb.sql.error.SqlException;
import org.namdb.sql.plan.QueryPlan;

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

package org.namdb.sql.engine.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.sql.engine.execute.QueryFixture.row;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Queries of one table: every access path finds the same rows.
class SingleTableTest {
    private final QueryFixture db = new QueryFixture();

    @BeforeEach
    void fill() {
        db.create(
                "CREATE TABLE t (id bigint PRIMARY KEY, a integer, b varchar(10), c decimal(8,2), u integer UNIQUE)");
        db.createIndex("t_a", "t", false, "a");
        db.createIndex("t_b", "t", true, "b");
        for (int i = 0; i < 20; i++) {
            db.insert(
                    "t",
                    row(
                            i,
                            i % 7 == 6 ? null : i % 7,
                            i % 3 == 0 ? null : "b" + i % 3,
                            i + ".50",
                            i * 10));
        }
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void aPrimaryKeyIsAPointRead() {
        assertThat(db.explain("SELECT a, b FROM t WHERE id = $1"))
                .containsExactly("Point Read on t  (rows=1)", "  Key: (id = $1)");
        assertThat(db.query("SELECT a, b FROM t WHERE id = $1", 4L)).containsExactly("4|b1");
        assertThat(db.query("SELECT a, b FROM t WHERE id = $1", 99L)).isEmpty();
        assertThat(db.query("SELECT a, b FROM t WHERE id = $1", (Object) null)).isEmpty();
    }

    @Test
    void severalPrimaryKeysAreOneRoundTrip() {
        String sql = "SELECT id FROM t WHERE id IN (3, 5, 3, 99, NULL) ORDER BY id";
        assertThat(db.explain(sql)).anyMatch(line -> line.contains("Multi-Get on t"));
        assertThat(db.query(sql)).containsExactly("3", "5");
        assertThat(db.query("SELECT id FROM t WHERE id = 7 OR id = 2 ORDER BY id DESC"))
                .containsExactly("7", "2");
        long trips =
                db.session()
                        .transact(tx -> {
                            long before = db.session().counters().roundTrips();
                            List<String> _ = db.query(tx, sql);
                            return db.session().counters().roundTrips() - before;
                        });
        assertThat(trips).isEqualTo(1);
    }

    @Test
    void aUniqueColumnIsReadByItsTable() {
        String sql = "SELECT id FROM t WHERE u = 50";
        assertThat(db.explain(sql))
                .containsExactly("Unique Read using t_u_key on t  (rows=1)", "  Key: (u = 50)");
        assertThat(db.query(sql)).containsExactly("5");
        assertThat(db.query("SELECT id FROM t WHERE u = 51")).isEmpty();
    }

    @Test
    void aHashedIndexServesEquality() {
        String sql = "SELECT id FROM t WHERE b = 'b1' ORDER BY id";
        assertThat(db.explain(sql))
                .anyMatch(line -> line.contains("Hash Index Read using t_b on t"));
        assertThat(db.query(sql)).containsExactly("1", "4", "7", "10", "13", "16", "19");
        assertThat(db.query("SELECT id FROM t WHERE b = 'far too long for the column'")).isEmpty();
    }

    @Test
    void anOrderedIndexServesOrderAndLimit() {
        assertThat(db.explain("SELECT a FROM t ORDER BY a DESC LIMIT 3"))
                .containsExactly(
                        "Limit  (rows=3)",
                        "  Limit: 3",
                        "  ->  Index Range Backward using t_a on t  (rows=1000)");
        assertThat(db.query("SELECT a FROM t ORDER BY a DESC LIMIT 3"))
                .containsExactly("-", "-", "5");
        assertThat(db.query("SELECT a FROM t ORDER BY a LIMIT 4"))
                .containsExactly("0", "0", "0", "1");
        assertThat(db.query("SELECT id FROM t WHERE a > 3 AND a <= 5 ORDER BY id"))
                .containsExactly("4", "5", "11", "12", "18", "19");
    }

    @Test
    void theLeastValueIsTheFirstOfAnIndex() {
        assertThat(db.explain("SELECT max(a) FROM t"))
                .anyMatch(line -> line.contains("Index Range Backward using t_a"));
        assertThat(db.query("SELECT max(a) FROM t")).containsExactly("5");
        assertThat(db.query("SELECT min(a) FROM t WHERE a > 2")).containsExactly("3");
        assertThat(db.query("SELECT min(a) FROM t WHERE a > 20")).containsExactly("-");
    }

    @Test
    void everythingElseIsAScan() {
        assertThat(db.explain("SELECT id FROM t WHERE c > 17"))
                .containsExactly(
                        "Project  (rows=333)",
                        "  ->  Scan on t  (rows=333)",
                        "        Filter: (c > 17)");
        assertThat(db.query("SELECT id, c FROM t WHERE c > 17 ORDER BY c DESC"))
                .containsExactly("19|19.50", "18|18.50", "17|17.50");
        assertThat(db.query("SELECT count(*), sum(a), min(c) FROM t"))
                .containsExactly("20|45|0.50");
        assertThat(db.query("SELECT b, count(*) FROM t GROUP BY b HAVING count(*) > 6 ORDER BY 1"))
                .containsExactly("b1|7", "-|7");
        assertThat(db.query("SELECT DISTINCT b FROM t ORDER BY b DESC"))
                .containsExactly("-", "b2", "b1");
        assertThat(
                        db.query(
                                "SELECT a + 1 AS x FROM t WHERE id < 5 ORDER BY x DESC LIMIT 2 OFFSET 1"))
                .containsExactly("4", "3");
    }

    @Test
    void everyAccessPathSeesOwnChanges() {
        List<List<String>> found =
                db.session()
                        .transact(tx -> {
                            db.insert(tx, "t", 100, 3, "b1", "1.00", 1000);
                            return List.of(
                                    db.query(tx, "SELECT a FROM t WHERE id = 100"),
                                    db.query(tx, "SELECT a FROM t WHERE id IN (100, 101)"),
                                    db.query(tx, "SELECT id FROM t WHERE u = 1000"),
                                    db.query(tx, "SELECT count(*) FROM t WHERE b = 'b1'"),
                                    db.query(tx, "SELECT count(*) FROM t WHERE a = 3"),
                                    db.query(tx, "SELECT count(*) FROM t"));
                        });
        assertThat(found)
                .containsExactly(
                        List.of("3"),
                        List.of("3"),
                        List.of("100"),
                        List.of("8"),
                        List.of("4"),
                        List.of("21"));
    }
}

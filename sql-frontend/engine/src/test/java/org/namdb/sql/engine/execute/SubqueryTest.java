package org.namdb.sql.engine.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.sql.engine.execute.QueryFixture.row;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Conditions with subqueries: what is neither true nor false gives no row.
class SubqueryTest {
    private final QueryFixture db = new QueryFixture();

    @BeforeEach
    void fill() {
        db.create("CREATE TABLE t (id bigint PRIMARY KEY, a integer, b varchar(10))");
        db.create("CREATE TABLE u (id bigint PRIMARY KEY, a integer)");
        for (int i = 1; i <= 4; i++) {
            db.insert("t", row(i, i == 4 ? null : i * 10, "b" + i));
        }
        db.insert("u", row(1, 10));
        db.insert("u", row(2, null));
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void notInIsUnknownWhereTheSubqueryHasANull() {
        assertThat(db.query("SELECT id FROM t WHERE a NOT IN (SELECT a FROM u)")).isEmpty();
        assertThat(db.query("SELECT id FROM t WHERE a NOT IN (SELECT a FROM u WHERE id = 1)"))
                .containsExactlyInAnyOrder("2", "3");
        assertThat(db.query("SELECT id FROM t WHERE a NOT IN (SELECT a FROM u WHERE id = 9)"))
                .hasSize(4);
    }

    /// There is no column to join by, so a join is no help.
    @Test
    void aConstantThatIsNotInANullIsUnknown() {
        assertThat(db.query("SELECT id FROM t WHERE 5 NOT IN (SELECT a FROM u)")).isEmpty();
        assertThat(db.query("SELECT id FROM t WHERE NOT (5 IN (SELECT a FROM u WHERE id = 1))"))
                .hasSize(4);
    }

    @Test
    void anyAndAllKnowNullsAndNoRows() {
        assertThat(db.query("SELECT id FROM t WHERE a > ANY (SELECT a FROM u) ORDER BY id"))
                .containsExactly("2", "3");
        assertThat(db.query("SELECT id FROM t WHERE a >= ALL (SELECT a FROM u) ORDER BY id"))
                .isEmpty();
        assertThat(db.query("SELECT id FROM t WHERE a < ALL (SELECT a FROM u WHERE id = 9)"))
                .hasSize(4);
        assertThat(
                        db.query(
                                "SELECT id FROM t WHERE a = ALL (SELECT u.a FROM u WHERE u.id = t.id) ORDER BY id"))
                .isEqualTo(List.of("1", "3", "4"));
    }

    @Test
    void aGroupOfAPrimaryKeyHasTheOtherColumns() {
        assertThat(
                        db.query(
                                "SELECT t.b, count(u.id) FROM t LEFT JOIN u ON u.a = t.a GROUP BY t.id ORDER BY t.b"))
                .containsExactly("b1|1", "b2|0", "b3|0", "b4|0");
    }

    @Test
    void anAggregateTakesSomeRowsInAnOrder() {
        assertThat(
                        db.query(
                                "SELECT string_agg(b, ',' ORDER BY id DESC) FILTER (WHERE id > 1), count(*) FILTER (WHERE a > 10) FROM t"))
                .containsExactly("b4,b3,b2|2");
    }
}

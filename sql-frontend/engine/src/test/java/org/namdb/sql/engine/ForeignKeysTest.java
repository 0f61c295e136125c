package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.language.error.SqlException;

/// Foreign keys, one statement at a time.
class ForeignKeysTest {
    private SqlFixture db;

    @BeforeEach
    void open() {
        db = new SqlFixture();
        db.run("CREATE TABLE p (id INT PRIMARY KEY, name VARCHAR(10) UNIQUE)");
        db.run("INSERT INTO p VALUES (1, 'a'), (2, 'b'), (3, 'c')");
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void childrenNeedTheirParent() {
        db.run("CREATE TABLE c (id INT PRIMARY KEY, p INT REFERENCES p)");
        assertThat(db.run("INSERT INTO c VALUES (1, 1), (2, NULL)")).isEqualTo("INSERT 0 2");
        assertThat(db.error("INSERT INTO c VALUES (3, 9)"))
                .isEqualTo(
                        "23503 insert or update on table \"c\" violates foreign key constraint \"c_p_fkey\""
                                + " / Key (p)=(9) is not present in table \"p\".");
        assertThat(db.error("UPDATE c SET p = 9 WHERE id = 1")).startsWith("23503");
        assertThat(db.error("DELETE FROM p WHERE id = 1"))
                .isEqualTo(
                        "23503 update or delete on table \"p\" violates foreign key constraint \"c_p_fkey\" on table \"c\""
                                + " / Key (id)=(1) is still referenced from table \"c\".");
        assertThat(db.error("UPDATE p SET id = 10 WHERE id = 1")).startsWith("23503");
        assertThat(db.run("DELETE FROM p WHERE id = 2")).isEqualTo("DELETE 1");
        assertThat(db.run("DELETE FROM c; DELETE FROM p")).isEqualTo("DELETE 2, DELETE 2");
    }

    @Test
    void actionsFollowTheParent() {
        db.run(
                "CREATE TABLE c1 (id INT PRIMARY KEY, p INT REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE)");
        db.run(
                "CREATE TABLE c2 (id INT PRIMARY KEY, p INT REFERENCES p ON DELETE SET NULL ON UPDATE SET NULL)");
        db.run(
                "CREATE TABLE c3 (id INT PRIMARY KEY, p INT DEFAULT 3 REFERENCES p ON DELETE SET DEFAULT)");
        db.run("CREATE TABLE g (id INT PRIMARY KEY, c INT REFERENCES c1 ON DELETE CASCADE)");
        db.run("INSERT INTO c1 VALUES (1, 1), (2, 2); INSERT INTO c2 VALUES (1, 1), (2, 2)");
        db.run("INSERT INTO c3 VALUES (1, 1), (2, 3); INSERT INTO g VALUES (1, 1), (2, 2)");
        assertThat(db.run("DELETE FROM p WHERE id = 1")).isEqualTo("DELETE 1");
        assertThat(db.rows("SELECT * FROM c1")).isEqualTo("2|2");
        assertThat(db.rows("SELECT * FROM g")).isEqualTo("2|2");
        assertThat(db.rows("SELECT * FROM c2 ORDER BY id")).isEqualTo("1|null; 2|2");
        assertThat(db.rows("SELECT * FROM c3 ORDER BY id")).isEqualTo("1|3; 2|3");
        assertThat(db.run("UPDATE p SET id = 20 WHERE id = 2")).isEqualTo("UPDATE 1");
        assertThat(db.rows("SELECT * FROM c1")).isEqualTo("2|20");
        assertThat(db.rows("SELECT * FROM c2 ORDER BY id")).isEqualTo("1|null; 2|null");
        assertThat(db.error("DELETE FROM p WHERE id = 3")).startsWith("23503");
    }

    /// Tools that compare or copy schemas would drop it, or make it twice.
    @Test
    void theIndexOfAForeignKeyIsNotShown() {
        String shown = "SELECT indexname FROM pg_indexes WHERE tablename = 'c' ORDER BY 1";
        String relations =
                "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
                        + " WHERE i.indrelid = 'c'::regclass ORDER BY 1";
        db.run("CREATE TABLE c (id INT PRIMARY KEY, p INT REFERENCES p, q INT)");
        assertThat(indexes()).containsExactly("nam:foreign:c_p_fkey");
        assertThat(db.rows(shown)).isEqualTo("c_pkey");
        assertThat(db.rows(relations)).isEqualTo("c_pkey");
        assertThat(db.error("DROP INDEX \"nam:foreign:c_p_fkey\"")).startsWith("42704");
        db.run("CREATE INDEX c_q_p ON c (q, p)");
        assertThat(indexes()).containsExactly("c_q_p", "nam:foreign:c_p_fkey");
        // One of the user's takes its place, and it takes that of the user's.
        db.run("CREATE INDEX c_p_idx ON c (p, q)");
        assertThat(indexes()).containsExactly("c_p_idx", "c_q_p");
        assertThat(db.rows(shown)).isEqualTo("c_p_idx; c_pkey; c_q_p");
        db.run("DROP INDEX c_p_idx");
        assertThat(indexes()).containsExactly("c_q_p", "nam:foreign:c_p_fkey");
        db.run("INSERT INTO c VALUES (1, 1, 1)");
        assertThat(db.error("DELETE FROM p")).startsWith("23503");
        db.run("BEGIN; CREATE UNIQUE INDEX c_p_idx ON c (p); ROLLBACK");
        assertThat(indexes()).containsExactly("c_q_p", "nam:foreign:c_p_fkey");
        db.run("BEGIN; CREATE UNIQUE INDEX c_p_idx ON c (p); COMMIT");
        assertThat(indexes()).containsExactly("c_p_idx", "c_q_p");
        db.run("BEGIN; DROP INDEX c_p_idx; COMMIT");
        assertThat(indexes()).containsExactly("c_q_p", "nam:foreign:c_p_fkey");
        assertThat(db.error("DELETE FROM p")).startsWith("23503");
        db.run(
                "ALTER TABLE c RENAME TO d; CREATE TABLE c (id INT PRIMARY KEY, p INT REFERENCES p)");
        assertThat(indexes()).containsExactly("nam:foreign:c_p_fkey:1");
        db.run("ALTER TABLE c DROP CONSTRAINT c_p_fkey");
        assertThat(indexes()).isEmpty();
    }

    private List<String> indexes() {
        return Objects.requireNonNull(db.session.catalog().find("c")).indexes().stream()
                .map(SqlIndex::name)
                .sorted()
                .toList();
    }

    @Test
    void keysMayBeUniqueColumnsOrMany() {
        db.run(
                "CREATE TABLE c (id INT PRIMARY KEY, n VARCHAR(10) REFERENCES p (name) ON UPDATE CASCADE)");
        db.run("INSERT INTO c VALUES (1, 'a')");
        assertThat(db.error("INSERT INTO c VALUES (2, 'z')")).startsWith("23503");
        db.run("UPDATE p SET name = 'aa' WHERE id = 1");
        assertThat(db.rows("SELECT n FROM c")).isEqualTo("aa");
        db.run("CREATE TABLE pp (a INT, b INT, PRIMARY KEY (a, b))");
        db.run("CREATE TABLE cc (x INT, y INT, FOREIGN KEY (y, x) REFERENCES pp (b, a))");
        db.run("INSERT INTO pp VALUES (1, 2)");
        assertThat(db.run("INSERT INTO cc VALUES (1, 2), (NULL, 7), (7, NULL)"))
                .isEqualTo("INSERT 0 3");
        assertThat(db.error("INSERT INTO cc VALUES (2, 1)")).startsWith("23503");
        assertThat(db.error("DELETE FROM pp")).startsWith("23503");
    }

    @Test
    void tablesMayReferToThemselves() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, up INT REFERENCES t ON DELETE CASCADE)");
        assertThat(db.run("INSERT INTO t VALUES (3, 2), (2, 1), (1, NULL), (4, 4)"))
                .isEqualTo("INSERT 0 4");
        assertThat(db.error("INSERT INTO t VALUES (5, 6)")).startsWith("23503");
        assertThat(db.run("DELETE FROM t WHERE id = 1")).isEqualTo("DELETE 1");
        assertThat(db.rows("SELECT id FROM t")).isEqualTo("4");
        assertThat(db.run("DELETE FROM t WHERE id = 4")).isEqualTo("DELETE 1");
    }

    @Test
    void parentsThatComeBackKeepTheirChildren() {
        db.run("CREATE TABLE c (id INT PRIMARY KEY, p INT REFERENCES p)");
        db.run(
                "BEGIN; DELETE FROM p WHERE id = 1; INSERT INTO p VALUES (1, 'new'); INSERT INTO c VALUES (1, 1); COMMIT");
        assertThat(db.rows("SELECT c.id, name FROM c JOIN p ON c.p = p.id")).isEqualTo("1|new");
        assertThat(db.error("BEGIN; INSERT INTO c VALUES (5, 2); DELETE FROM p WHERE id = 2"))
                .startsWith("23503");
        db.run("ROLLBACK");
    }

    @Test
    void dropAndTruncateRespectReferences() {
        db.run("CREATE TABLE c (id INT PRIMARY KEY, p INT REFERENCES p)");
        assertThat(db.error("DROP TABLE p")).startsWith("2BP01");
        assertThat(db.error("TRUNCATE p")).startsWith("0A000");
        db.run("INSERT INTO c VALUES (1, 1); TRUNCATE p CASCADE");
        assertThat(db.rows("SELECT count(*) FROM c")).isEqualTo("0");
        db.run("DROP TABLE p CASCADE");
        assertThat(db.run("INSERT INTO c VALUES (1, 77)")).isEqualTo("INSERT 0 1");
    }

    /// What a statement keeps of deleted parents counts: so many can be deleted, and not a few
    /// more.
    @Test
    void deletedParentsTakeOfTheTransactionsMemory() {
        db.run("CREATE TABLE c (id INT PRIMARY KEY, p INT REFERENCES p)");
        db.run("CREATE TABLE q (id INT PRIMARY KEY, name VARCHAR(10) UNIQUE)");
        db.run("DELETE FROM p");
        int referenced = mostDeleted("p");
        assertThat(mostDeleted("q")).isGreaterThan(referenced);
        db.run("SET transaction_memory = '2MB'");
        assertThat(db.error("DELETE FROM p WHERE id <= " + (referenced + DELETED_STEP)))
                .startsWith("53200 ");
        assertThat(db.rows("SELECT count(*) FROM p")).isEqualTo(String.valueOf(PARENTS));
        assertThat(db.run("DELETE FROM p WHERE id <= " + referenced))
                .isEqualTo("DELETE " + referenced);
    }

    private static final int PARENTS = 12_000;
    private static final int DELETED_STEP = 1 << 9;

    /// How many rows of a table can be deleted at once with little memory, to a step.
    private int mostDeleted(String table) {
        fill(table, PARENTS);
        int most = 0;
        for (int step = 1 << 13; step >= DELETED_STEP; step /= 2) {
            db.run("SET transaction_memory = '2MB'");
            try {
                db.run("DELETE FROM " + table + " WHERE id <= " + (most + step));
                most += step;
                fill(table, most);
            } catch (SqlException e) {
                assertThat(e.code()).isEqualTo("53200");
            }
        }
        return most;
    }

    private void fill(String table, int to) {
        db.run(
                "SET transaction_memory = -1; INSERT INTO %s SELECT i, 'n' || i FROM generate_series(1, %d) g (i)"
                        .formatted(table, to));
    }

    /// As do the keys of rows that ON CONFLICT must not change again.
    @Test
    void keysOfChangedRowsTakeOfTheTransactionsMemory() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT); SET transaction_memory = '4MB'");
        int plain = mostInserted("");
        int touched = mostInserted(" ON CONFLICT (id) DO UPDATE SET v = 1");
        assertThat(touched).isLessThan(plain).isPositive();
    }

    private int mostInserted(String onConflict) {
        int most = 0;
        for (int step = 1 << 15; step > 0; step /= 2) {
            try {
                db.run(
                        "BEGIN; INSERT INTO t SELECT i, i FROM generate_series(1, %d) g (i)%s; ROLLBACK"
                                .formatted(most + step, onConflict));
                most += step;
            } catch (SqlException e) {
                assertThat(e.code()).isEqualTo("53200");
                db.run("ROLLBACK");
            }
        }
        return most;
    }
}

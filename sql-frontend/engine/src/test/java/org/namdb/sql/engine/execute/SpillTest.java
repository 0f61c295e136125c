package org.namdb.sql.engine.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.sql.language.error.SqlException;

/// Operators whose tuples don't fit into work_mem have the same results as with much of it.
///
/// With space for one tuple, there is about a file for each: `-Dnamdb.rows=N`: N rows in each
/// table, in place of 900.
class SpillTest {
    private static final int ROWS = Integer.getInteger("namdb.rows", 900);
    private static final long MUCH = 64 << 20;

    private final QueryFixture db = new QueryFixture(256 << 20);

    @BeforeEach
    void fill() {
        db.create("CREATE TABLE t (id bigint PRIMARY KEY, k integer, v integer, s varchar(30))");
        db.create("CREATE TABLE u (id bigint PRIMARY KEY, k integer)");
        Object[][] rows = new Object[ROWS][];
        Object[][] others = new Object[ROWS][];
        for (int i = 0; i < ROWS; i++) {
            // 7919 is a prime: it has no divisor in common with the moduli.
            int mixed = i * 7919;
            rows[i] =
                    QueryFixture.row(
                            i, mixed % (ROWS / 3), mixed % 10, "s" + mixed % (ROWS * 2 / 3));
            // Two keys out of three have partners, some many; one key has a third of all rows.
            others[i] = QueryFixture.row(i, i % 3 == 0 ? 5 : mixed % (ROWS / 2));
        }
        db.insert("t", rows);
        db.insert("u", others);
    }

    @AfterEach
    void close() {
        db.close();
    }

    /// One tuple, some ten, some hundred.
    @ParameterizedTest
    @ValueSource(longs = {1, 2000, 20_000})
    void answersAreTheSame(long workMemoryBytes) {
        for (String query :
                List.of(
                        "SELECT k, id FROM t ORDER BY v, s DESC, id",
                        "SELECT id FROM t ORDER BY v + 1, id LIMIT "
                                + ROWS / 3
                                + " OFFSET "
                                + ROWS / 6,
                        "SELECT k, count(*), sum(v), min(s) FROM t GROUP BY k",
                        "SELECT s, k, count(*) FROM t GROUP BY s, k",
                        "SELECT count(DISTINCT k), min(DISTINCT s), sum(DISTINCT v), count(*) FROM t",
                        "SELECT v, count(DISTINCT k), count(DISTINCT id) FILTER (WHERE k < %d) FROM t WHERE id < %d GROUP BY v"
                                .formatted(ROWS / 6, ROWS / 10),
                        "SELECT s, count(DISTINCT k) FROM t WHERE id < "
                                + ROWS / 30
                                + " GROUP BY s",
                        "SELECT DISTINCT k, v FROM t",
                        "SELECT k FROM t UNION SELECT k FROM u",
                        "SELECT k FROM t EXCEPT SELECT k FROM u",
                        "SELECT k FROM t EXCEPT ALL SELECT k FROM u",
                        "SELECT k FROM u EXCEPT SELECT k FROM t",
                        "SELECT k FROM t INTERSECT SELECT k FROM u",
                        "SELECT k FROM t INTERSECT ALL SELECT k FROM u",
                        "SELECT count(*), sum(t.id), sum(u.id) FROM t JOIN u ON t.k = u.k",
                        "SELECT count(*), sum(t.id), sum(u.id) FROM t FULL JOIN u ON t.k = u.k AND t.v < 5",
                        "SELECT count(*), sum(t.id), sum(u.id) FROM u LEFT JOIN t ON t.k = u.k AND t.v < 5",
                        "SELECT t.id FROM t WHERE k IN (SELECT k FROM u WHERE id > "
                                + ROWS / 3
                                + ")",
                        "SELECT t.id FROM t WHERE k NOT IN (SELECT k FROM u WHERE id > "
                                + ROWS * 2 / 3
                                + ")",
                        "SELECT count(*) FROM t JOIN u ON t.k < u.k AND t.v = 3 AND u.id < "
                                + ROWS / 30)) {
            db.workMemoryBytes = MUCH;
            List<String> expected = db.query(query);
            db.workMemoryBytes = workMemoryBytes;
            List<String> spilled = db.query(query);
            if (query.contains("ORDER BY")) {
                assertThat(spilled).as(query).isEqualTo(expected);
            } else {
                assertThat(spilled.stream().sorted())
                        .as(query)
                        .containsExactlyElementsOf(expected.stream().sorted().toList());
            }
        }
    }

    /// Rows that are equal in the order keep their order, through several merges.
    @Test
    void aSpilledSortIsStable() {
        String query = "SELECT id FROM (SELECT id, v FROM t ORDER BY id) x ORDER BY v";
        List<String> expected = db.query(query);
        db.workMemoryBytes = 1;
        assertThat(db.query(query)).isEqualTo(expected);
    }

    @Test
    void explainAnalyzeShowsWhatWasSpilled() {
        db.workMemoryBytes = 20_000;
        assertThat(db.analyze("SELECT id FROM t ORDER BY v"))
                .anyMatch(line -> line.matches("\\s+Disk: [1-9][0-9]*kB"));
        db.workMemoryBytes = MUCH;
        assertThat(db.analyze("SELECT id FROM t ORDER BY v"))
                .noneMatch(line -> line.contains("Disk:"));
    }

    /// The rows that a sort with a limit keeps in the end are larger than those that it kept first.
    @Test
    void aRowThatReplacesAnotherOneTakesWhatIsMore() {
        String query =
                "SELECT s FROM (SELECT id, repeat('x', id::integer) AS s FROM t) x"
                        + " ORDER BY length(s) DESC LIMIT "
                        + ROWS / 3;
        List<String> expected = db.query(query);
        db.workMemoryBytes = (long) ROWS * 270;
        assertThat(db.analyze(query)).anyMatch(line -> line.contains("Disk:"));
        assertThat(db.query(query)).isEqualTo(expected);
    }

    /// A statement that fails leaves the session usable.
    @Test
    void theLimitOfTemporaryFilesIsReportedAndTheSessionGoesOn(@TempDir Path directory) {
        db.workMemoryBytes = 1;
        db.temporaryFileLimitBytes = 100;
        for (String query :
                List.of(
                        "SELECT id FROM t ORDER BY v",
                        "SELECT s, count(*) FROM t GROUP BY s",
                        "SELECT count(*) FROM t JOIN u ON t.k = u.k")) {
            assertThatThrownBy(() -> db.query(query))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> assertThat(e.state().code()).isEqualTo("53400"));
        }
        db.temporaryFileLimitBytes = Long.MAX_VALUE;
        db.temporaryDirectory = directory.resolve("missing");
        assertThatThrownBy(() -> db.query("SELECT id FROM t ORDER BY v"))
                .isInstanceOfSatisfying(
                        SqlException.class, e -> assertThat(e.state().code()).isEqualTo("58030"));
        db.temporaryDirectory = directory;
        assertThat(db.query("SELECT id FROM t ORDER BY v")).hasSize(ROWS);
        assertThat(directory).isEmptyDirectory();
    }
}

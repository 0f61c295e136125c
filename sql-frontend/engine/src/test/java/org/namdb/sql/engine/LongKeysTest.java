package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;

/// Text and bytes in keys and indexes: columns of any length may be there, and only values that are
/// too long are refused.
class LongKeysTest {
    private SqlDatabase database;
    private SqlSession session;

    @BeforeEach
    void open() {
        database = SqlDatabase.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(1L << 30));
        session = database.session();
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
    }

    private void run(String sql) {
        session.execute(sql).close();
    }

    /// The rows, values separated by blanks.
    private List<String> rows(String sql) {
        List<String> rows = new ArrayList<>();
        try (Result result = session.execute(sql)) {
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 0; i < result.columns().size(); i++) {
                    row.add(String.valueOf(result.text(i)));
                }
                rows.add(String.join(" ", row));
            }
        }
        return rows;
    }

    private void assertTooLong(String sql, int bytes, int most, String index) {
        assertTooLong(() -> run(sql), bytes, most, index);
    }

    private static void assertTooLong(
            ThrowingCallable statement, int bytes, int most, String index) {
        assertThatThrownBy(statement)
                .isInstanceOf(SqlException.class)
                .hasMessage(
                        "index row size "
                                + bytes
                                + " exceeds maximum "
                                + most
                                + " for index \""
                                + index
                                + "\"")
                .satisfies(e -> {
                    SqlException error = (SqlException) e;
                    assertThat(error.state()).isEqualTo(SqlState.PROGRAM_LIMIT_EXCEEDED);
                    assertThat(error.hint()).isNotNull();
                });
    }

    private static String text(char letter, int length) {
        return "'" + String.valueOf(letter).repeat(length) + "'";
    }

    @Test
    void aPrimaryKeyOfText() {
        run("CREATE TABLE t (name TEXT PRIMARY KEY, n INT)");
        run("INSERT INTO t VALUES ('b', 2), ('a', 1), (" + text('x', 128) + ", 128)");
        assertTooLong("INSERT INTO t VALUES (" + text('x', 129) + ", 0)", 129, 128, "t_pkey");
        assertTooLong(
                "INSERT INTO t VALUES (" + text('x', 200) + ", 0) ON CONFLICT DO NOTHING",
                200,
                128,
                "t_pkey");
        assertTooLong("UPDATE t SET name = " + text('y', 300) + " WHERE n = 1", 300, 128, "t_pkey");
        assertTooLong(
                () ->
                        session.copyIn(
                                "COPY t FROM STDIN", new StringReader("z".repeat(500) + "\t1\n")),
                500,
                128,
                "t_pkey");
        assertThat(rows("SELECT n FROM t ORDER BY name")).containsExactly("1", "2", "128");
        assertThat(rows("SELECT n FROM t WHERE name = " + text('x', 128))).containsExactly("128");
        assertThat(rows("SELECT n FROM t WHERE name = " + text('x', 129))).isEmpty();
        assertThat(rows("SELECT n FROM t WHERE name IN ('a', " + text('x', 400) + ")"))
                .containsExactly("1");
        assertThatThrownBy(() -> run("INSERT INTO t VALUES ('a', 3)"))
                .hasMessageContaining("duplicate key value violates unique constraint \"t_pkey\"");
        run("UPDATE t SET name = 'c' WHERE name = 'a'");
        run("DELETE FROM t WHERE name = 'b'");
        assertThat(rows("SELECT name FROM t WHERE n < 10")).containsExactly("c");
    }

    @Test
    void aPrimaryKeyOfBytes() {
        run("CREATE TABLE t (hash BYTEA PRIMARY KEY, n INT)");
        run("INSERT INTO t VALUES ('\\x00', 1), ('\\x', 0), ('\\x0000', 2)");
        run("INSERT INTO t VALUES (decode(repeat('ab', 126), 'hex'), 126)");
        assertTooLong(
                "INSERT INTO t VALUES (decode(repeat('ab', 127), 'hex'), 127)", 127, 126, "t_pkey");
        assertThat(rows("SELECT n FROM t WHERE hash = '\\x00'")).containsExactly("1");
        assertThat(rows("SELECT n FROM t WHERE hash = decode(repeat('ab', 127), 'hex')")).isEmpty();
        assertThat(rows("SELECT n FROM t ORDER BY hash")).containsExactly("0", "1", "2", "126");
        run("CREATE TABLE u (id INT PRIMARY KEY, hash BYTEA)");
        run("CREATE INDEX u_hash ON u (hash)");
        run("INSERT INTO u SELECT n, hash FROM t");
        String bound = "decode(repeat('ab', 400), 'hex')";
        assertThat(rows("SELECT id FROM u WHERE hash < " + bound + " ORDER BY hash"))
                .containsExactly("0", "1", "2", "126");
        assertThat(rows("SELECT id FROM u WHERE hash > " + bound)).isEmpty();
        assertThat(rows("SELECT id FROM u WHERE hash > '\\x00' ORDER BY hash"))
                .containsExactly("2", "126");
    }

    @Test
    void aPrimaryKeyOfSeveralTexts() {
        run("CREATE TABLE t (a TEXT, b TEXT, c INT, d INT, PRIMARY KEY (a, b, c))");
        run("CREATE INDEX t_b ON t (b, d)");
        run("INSERT INTO t VALUES ('a', 'b', 1, 10), ('a', 'b', 2, 20), ('a', 'c', 1, 30)");
        run("INSERT INTO t VALUES (" + text('x', 62) + ", " + text('y', 62) + ", 7, 70)");
        assertTooLong("INSERT INTO t VALUES ('a', " + text('y', 63) + ", 7, 70)", 63, 62, "t_pkey");
        assertThat(rows("SELECT d FROM t WHERE b = 'b' ORDER BY d")).containsExactly("10", "20");
        assertThat(rows("SELECT d FROM t WHERE a = 'a' ORDER BY b, c"))
                .containsExactly("10", "20", "30");
        assertThat(rows("SELECT d FROM t WHERE b = " + text('y', 62))).containsExactly("70");
        assertThat(rows("SELECT d FROM t WHERE b = " + text('y', 63))).isEmpty();
    }

    @Test
    void aUniqueIndexHasSpaceForTheWholeKey() {
        run("CREATE TABLE t (id INT PRIMARY KEY, email VARCHAR(100) UNIQUE, note TEXT)");
        run("INSERT INTO t VALUES (1, " + text('a', 100) + ", ''), (2, NULL, ''), (3, 'b', '')");
        run("INSERT INTO t VALUES (4, repeat('ü', 100), '')");
        assertThatThrownBy(() -> run("UPDATE t SET email = 'b' WHERE id = 1"))
                .hasMessageContaining("duplicate key value violates unique constraint");
        assertTooLong(
                "UPDATE t SET email = repeat('€', 100) WHERE id = 1", 300, 256, "t_email_key");
        assertThat(rows("SELECT id FROM t WHERE email = repeat('ü', 100)")).containsExactly("4");
        run("CREATE UNIQUE INDEX t_note ON t (note, id)");
        assertTooLong("INSERT INTO t VALUES (5, '', " + text('x', 249) + ")", 249, 247, "t_note");
        assertThat(rows("SELECT count(*) FROM t")).containsExactly("4");
    }

    @Test
    void anIndexOfTextGivesEqualValuesRangesAndOrder() {
        for (String method : List.of("btree", "hash")) {
            run("CREATE TABLE t (id INT PRIMARY KEY, name TEXT)");
            run("CREATE INDEX t_name ON t USING " + method + " (name)");
            run("INSERT INTO t VALUES (1, 'ab'), (2, 'abc'), (3, 'b'), (4, NULL), (5, '')");
            run("INSERT INTO t VALUES (6, " + text('a', 251) + ")");
            assertTooLong("UPDATE t SET name = " + text('a', 252), 252, 251, "t_name");
            assertThat(rows("SELECT id FROM t WHERE name = 'ab'")).containsExactly("1");
            assertThat(rows("SELECT id FROM t WHERE name = " + text('a', 252))).isEmpty();
            assertThat(rows("SELECT id FROM t WHERE name = " + text('a', 251)))
                    .containsExactly("6");
            assertThat(rows("SELECT id FROM t WHERE name LIKE 'ab%' ORDER BY name"))
                    .containsExactly("1", "2");
            assertThat(rows("SELECT id FROM t WHERE name LIKE repeat('a', 300) || '%'")).isEmpty();
            assertThat(rows("SELECT id FROM t ORDER BY name"))
                    .containsExactly("5", "6", "1", "2", "3", "4");
            run("DROP TABLE t");
        }
    }

    @Test
    void boundsLongerThanAnEntryAreExact() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        run("CREATE TABLE plain (id INT PRIMARY KEY, name TEXT)");
        run("CREATE TABLE t (id INT PRIMARY KEY, name TEXT)");
        run("CREATE INDEX t_name ON t (name)");
        for (int id = 0; id < 40; id++) {
            String name = name(random, 251);
            run("INSERT INTO plain VALUES (" + id + ", '" + name + "')");
            run("INSERT INTO t VALUES (" + id + ", '" + name + "')");
        }
        for (int round = 0; round < 60; round++) {
            String bound = "'" + name(random, 260) + "'";
            for (String operator : List.of("<", "<=", ">", ">=", "=")) {
                String where = " WHERE name " + operator + " " + bound + " ORDER BY name, id";
                assertThat(rows("SELECT id FROM t" + where))
                        .as("seed %d, %s", seed, where)
                        .isEqualTo(rows("SELECT id FROM plain" + where));
            }
        }
    }

    @Test
    void beginningsLongerThanAnEntryAreExact() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        run("CREATE TABLE plain (id INT PRIMARY KEY, name TEXT, more TEXT)");
        run("CREATE TABLE t (id INT PRIMARY KEY, name TEXT, more TEXT)");
        run("CREATE INDEX t_name ON t (name)");
        run("CREATE INDEX t_both ON t (name, more)");
        for (int id = 0; id < 60; id++) {
            String name = id % 3 == 0 ? name(random, 125) : name(random, 12);
            String values = " VALUES (" + id + ", '" + name + "', '" + name(random, 20) + "')";
            run("INSERT INTO plain" + values);
            run("INSERT INTO t" + values);
        }
        for (int round = 0; round < 60; round++) {
            String start = name(random, round % 2 == 0 ? 130 : 13);
            for (String where :
                    List.of(
                            "name LIKE '" + start + "%'",
                            "name LIKE '" + start + "'",
                            "name LIKE '" + start + "_%a'",
                            "starts_with(name, '" + start + "')",
                            "name LIKE (SELECT '" + start + "%')",
                            "name = '" + start + "' AND more LIKE 'aaaaaaaaaaaaaaa%'")) {
                String rest = " WHERE " + where + " ORDER BY name, id";
                assertThat(rows("SELECT id FROM t" + rest))
                        .as("seed %d, %s", seed, where)
                        .isEqualTo(rows("SELECT id FROM plain" + rest));
            }
        }
    }

    /// Many letters `a` with sometimes another one near the end of what fits.
    private static String name(SplittableRandom random, int longest) {
        int length = random.nextInt(longest - 6, longest + 1);
        StringBuilder name = new StringBuilder("a".repeat(length));
        if (random.nextBoolean()) {
            name.setCharAt(length - 1 - random.nextInt(5), 'b');
        }
        return name.toString();
    }

    @Test
    void anIndexOverRowsWithLongerValuesIsRefused() {
        run("CREATE TABLE t (id INT PRIMARY KEY, name TEXT)");
        run("INSERT INTO t VALUES (1, " + text('a', 300) + "), (2, 'b')");
        assertTooLong("CREATE INDEX t_name ON t (name)", 300, 251, "t_name");
        assertTooLong("CREATE INDEX t_name ON t USING hash (name)", 300, 251, "t_name");
        assertTooLong("CREATE UNIQUE INDEX t_name ON t (name)", 300, 256, "t_name");
        assertTooLong("ALTER TABLE t ADD CONSTRAINT t_key UNIQUE (name)", 300, 256, "t_key");
        run("UPDATE t SET name = " + text('c', 400) + " WHERE id = 2");
        run("UPDATE t SET name = 'a' WHERE id = 1");
        run("DELETE FROM t WHERE id = 2");
        run("CREATE UNIQUE INDEX t_name ON t (name)");
        assertThat(rows("SELECT id FROM t WHERE name = 'a'")).containsExactly("1");
        assertThat(rows("SELECT id FROM t WHERE name >= 'a'")).containsExactly("1");
    }

    @Test
    void olderVersionsWithLongerValuesAreNoTrouble() {
        run("CREATE TABLE t (id INT PRIMARY KEY, name TEXT)");
        run("INSERT INTO t VALUES (1, " + text('a', 300) + ")");
        run("UPDATE t SET name = " + text('a', 251));
        run("CREATE INDEX t_name ON t (name)");
        for (String name : Collections.nCopies(5, "'x'")) {
            run("UPDATE t SET name = " + name + " || id");
            run("UPDATE t SET name = 'y'");
        }
        assertThat(rows("SELECT id FROM t WHERE name = 'y'")).containsExactly("1");
        run("DELETE FROM t");
        assertThat(rows("SELECT id FROM t WHERE name >= ''")).isEmpty();
    }

    @Test
    void aPrimaryKeyIsAddedWhenTheValuesFit() {
        run("CREATE TABLE t (name TEXT, other TEXT, n INT)");
        run("CREATE INDEX t_other ON t (other)");
        run("INSERT INTO t VALUES (" + text('a', 300) + ", 'x', 1), ('b', 'y', 2)");
        assertTooLong("ALTER TABLE t ADD PRIMARY KEY (name)", 300, 128, "t_pkey");
        run("UPDATE t SET name = 'a', other = " + text('o', 200) + " WHERE n = 1");
        // The index's entries end with the new key, and have less space for its column.
        assertTooLong("ALTER TABLE t ADD PRIMARY KEY (name)", 200, 127, "t_other");
        run("UPDATE t SET other = 'x' WHERE n = 1");
        run("ALTER TABLE t ADD PRIMARY KEY (name)");
        run("ALTER TABLE t RENAME COLUMN name TO title");
        run("ALTER TABLE t RENAME TO u");
        run("ALTER TABLE u ADD COLUMN more TEXT UNIQUE");
        run("INSERT INTO u VALUES ('c', 'z', 3, 'more')");
        assertThat(rows("SELECT n FROM u WHERE title = 'a'")).containsExactly("1");
        assertThat(rows("SELECT n FROM u WHERE other = 'z'")).containsExactly("3");
        assertThat(rows("SELECT n FROM u WHERE more = 'more'")).containsExactly("3");
        assertTooLong(
                "INSERT INTO u VALUES (" + text('d', 129) + ", '', 4, '')", 129, 128, "t_pkey");
    }

    @Test
    void aForeignKeyBetweenColumnsOfDifferentLengths() {
        run("CREATE TABLE parent (code VARCHAR(20) PRIMARY KEY)");
        run(
                "CREATE TABLE child (id INT PRIMARY KEY,"
                        + " code TEXT REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE)");
        run("INSERT INTO parent VALUES ('a'), ('b')");
        run("INSERT INTO child VALUES (1, 'a'), (2, 'b'), (3, NULL)");
        assertThatThrownBy(() -> run("INSERT INTO child VALUES (4, " + text('a', 100) + ")"))
                .satisfies(e ->
                        assertThat(((SqlException) e).state())
                                .isEqualTo(SqlState.FOREIGN_KEY_VIOLATION));
        run("UPDATE parent SET code = 'c' WHERE code = 'a'");
        run("DELETE FROM parent WHERE code = 'b'");
        assertThat(rows("SELECT id, code FROM child ORDER BY id")).containsExactly("1 c", "3 null");

        run("CREATE TABLE texts (code TEXT PRIMARY KEY)");
        run("CREATE TABLE short (id INT PRIMARY KEY, code VARCHAR(10) REFERENCES texts)");
        run("INSERT INTO texts VALUES ('x'), (" + text('y', 128) + ")");
        run("INSERT INTO short VALUES (1, 'x')");
        run("DELETE FROM texts WHERE code = " + text('y', 128));
        assertThatThrownBy(() -> run("DELETE FROM texts")).hasMessageContaining("foreign key");
    }

    @Test
    void aForeignKeyWhoseIndexHasNoSpaceIsNotAdded() {
        run("CREATE TABLE parent (id INT PRIMARY KEY, code TEXT UNIQUE)");
        run("CREATE TABLE child (id INT PRIMARY KEY, code TEXT)");
        run("INSERT INTO parent VALUES (1, " + text('a', 256) + ")");
        run("INSERT INTO child VALUES (1, " + text('a', 256) + ")");
        assertTooLong(
                "ALTER TABLE child ADD CONSTRAINT child_parent FOREIGN KEY (code) REFERENCES parent (code)",
                256,
                251,
                "nam:foreign:child_parent");
        run("INSERT INTO child VALUES (2, 'none')");
        assertThat(rows("SELECT count(*) FROM child")).containsExactly("2");
    }

    @Test
    void aDefinitionWithoutSpaceIsRefused() {
        String columns =
                "a NAME, b NAME, c NAME, d NAME, e NAME, f NAME, g NAME, h NAME, i NAME"
                        .replace("NAME", "VARCHAR(20)");
        String names = "(a, b, c, d, e, f, g, h, i)";
        for (String sql :
                List.of(
                        "CREATE TABLE t (" + columns + ", PRIMARY KEY " + names + ")",
                        "CREATE TABLE t ("
                                + columns
                                + ", "
                                + columns.replaceAll("(\\w) V", "$1$1 V")
                                + ", UNIQUE (a, b, c, d, e, f, g, h, i, aa, bb, cc, dd, ee, ff, gg, hh))")) {
            assertThatThrownBy(() -> run(sql))
                    .satisfies(e ->
                            assertThat(((SqlException) e).state())
                                    .isEqualTo(SqlState.PROGRAM_LIMIT_EXCEEDED))
                    .hasMessageContaining("has no space");
        }
        run("CREATE TABLE t (k VARCHAR(62), " + columns + ", PRIMARY KEY (k))");
        assertThatThrownBy(() -> run("CREATE INDEX ON t (a)"))
                .satisfies(e ->
                        assertThat(((SqlException) e).state())
                                .isEqualTo(SqlState.PROGRAM_LIMIT_EXCEEDED));
        run("CREATE UNIQUE INDEX ON t USING hash (a)");
        assertThat(rows("SELECT count(*) FROM t")).containsExactly("0");
    }
}

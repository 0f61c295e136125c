package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.namdb.sql.engine.golden.PostgresTarget;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/// COPY in the binary format. The errors are PostgreSQL 15's.
class BinaryCopyTest {
    private static final String HEADER = "5047434f50590aff0d0a00" + "00000000" + "00000000";
    private static final String IN = "COPY t FROM STDIN WITH (FORMAT binary)";
    private static final String ALL =
            "a bool, b smallint, c int, d bigint, e real, f float8, g numeric(18,8), h char(5),"
                    + " i varchar, j text, k date, l time, m timestamp, n timestamptz, p bytea, q uuid,"
                    + " r int[], s text[], w numeric(9,3), x bool[], y timestamptz[]";
    private static final String ROWS =
            """
            INSERT INTO a VALUES (true, -2, 3, 4000000000, 1.5, -2.25, 123456789.00012300, 'ab',
                'cd', 'ef€', '2024-02-29', '12:34:56.789', '1999-12-31 23:59:59.000001',
                '2024-01-01 00:00:00+02', '\\x00ff',
                '00000000-0000-4000-8000-000000000001', '{1,NULL,3}', '{a,NULL,""}', 0.001, '{t,f}',
                '{2024-01-01 00:00:00+02}'),
                (NULL, NULL, NULL, NULL, 'NaN', '-Infinity', 0, '', '', '', '0001-01-01 BC',
                '00:00', '0044-03-15 12:00:00 BC', '290000-12-31 00:00:00+00', '',
                NULL, '{}', NULL, -0.5, '{NULL}', NULL),
                (false, NULL, NULL, NULL, NULL, NULL, -1000000000.00000001, NULL, NULL, NULL,
                '5874897-12-31', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
            """;

    private SqlFixture db;

    @BeforeEach
    void open() {
        db = new SqlFixture();
        db.run("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(3), n NUMERIC(6,2) DEFAULT 7)");
    }

    @AfterEach
    void close() {
        db.close();
    }

    private byte[] out(String sql) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        db.session.copyOut(sql, out);
        return out.toByteArray();
    }

    private String error(String sql, String data) {
        try {
            db.session.copyIn(sql, new ByteArrayInputStream(HexFormat.of().parseHex(data)));
        } catch (SqlException e) {
            return e.state().code() + " " + e.getMessage() + " / " + e.context();
        }
        throw new AssertionError("no error");
    }

    private String rowError(String row) {
        return error(IN, HEADER + row);
    }

    @Test
    void allTypesComeAndGoAsInText() {
        db.run("CREATE TABLE a (" + ALL + ")");
        db.run("CREATE TABLE b (" + ALL + ")");
        db.run(ROWS);
        byte[] data = out("COPY a TO STDOUT (FORMAT binary)");
        assertThat(
                        db.session.copyIn(
                                "COPY b FROM STDIN (FORMAT binary)",
                                new ByteArrayInputStream(data)))
                .isEqualTo(3);
        StringWriter before = new StringWriter();
        db.session.copyOut("COPY (SELECT * FROM a ORDER BY g) TO STDOUT", before);
        StringWriter after = new StringWriter();
        db.session.copyOut("COPY (SELECT * FROM b ORDER BY g) TO STDOUT", after);
        assertThat(after.toString()).isEqualTo(before.toString());
    }

    /// The bytes are those that PostgreSQL gives, and takes.
    @Test
    @EnabledIf("org.namdb.sql.engine.golden.PostgresTarget#isGiven")
    void allTypesAreEncodedAsByPostgres() throws SQLException, IOException {
        db.run("CREATE TABLE a (" + ALL + "); " + ROWS);
        String copy = "COPY (SELECT * FROM a ORDER BY g) TO STDOUT (FORMAT binary)";
        byte[] ours = out(copy);
        try (PostgresTarget postgres = PostgresTarget.fresh();
                Connection connection = postgres.connectAgain();
                Statement statement = connection.createStatement()) {
            CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
            statement.execute("CREATE TABLE a (" + ALL + ")");
            statement.execute(ROWS);
            ByteArrayOutputStream theirs = new ByteArrayOutputStream();
            assertThat(copies.copyOut(copy, theirs)).isEqualTo(3);
            assertThat(HexFormat.of().formatHex(ours))
                    .isEqualTo(HexFormat.of().formatHex(theirs.toByteArray()));
            statement.execute("DELETE FROM a");
            assertThat(
                            copies.copyIn(
                                    "COPY a FROM STDIN (FORMAT binary)",
                                    new ByteArrayInputStream(ours)))
                    .isEqualTo(3);
            theirs.reset();
            assertThat(copies.copyOut(copy, theirs)).isEqualTo(3);
            assertThat(theirs.toByteArray()).isEqualTo(ours);
        }
    }

    /// The bytes are those that PostgreSQL 15 gives.
    @Test
    void rowsAreEncodedAsByPostgres() {
        db.run("INSERT INTO t VALUES (1, 'a', 2.9999)");
        assertThat(out("COPY t TO STDOUT (FORMAT binary)"))
                .asHexString()
                .isEqualToIgnoringCase(
                        HEADER
                                + "0003"
                                + "0000000400000001"
                                + "0000000161"
                                + "0000000a00010000000000020003"
                                + "ffff");
        assertThat(out("COPY (SELECT name FROM t WHERE id = 2) TO STDOUT (FORMAT binary)"))
                .asHexString()
                .isEqualToIgnoringCase(HEADER + "ffff");
    }

    @Test
    void missingColumnsGetTheirDefaultAndTheMarkOfTheEndMayBeMissing() {
        byte[] data = HexFormat.of().parseHex(HEADER + "0001" + "0000000400000005");
        long count =
                db.session.copyIn(
                        "COPY t (id) FROM STDIN (FORMAT binary)", new ByteArrayInputStream(data));
        assertThat(count).isEqualTo(1);
        assertThat(db.rows("SELECT * FROM t")).isEqualTo("5|null|7.00");
    }

    @Test
    void anExtensionOfTheHeaderIsSkipped() {
        String header = "5047434f50590aff0d0a00" + "00000101" + "00000003" + "abcdef";
        byte[] data =
                HexFormat.of()
                        .parseHex(
                                header
                                        + "0003"
                                        + "0000000400000001"
                                        + "ffffffff"
                                        + "ffffffff"
                                        + "ffff");
        assertThat(db.session.copyIn(IN, new ByteArrayInputStream(data))).isEqualTo(1);
    }

    /// Reads give a byte at a time, or as many as a random cut leaves.
    @Test
    void dataMayBeCutAnywhere() {
        db.run("CREATE TABLE a (" + ALL + ")");
        db.run("CREATE TABLE b (" + ALL + ")");
        db.run(ROWS);
        byte[] data = out("COPY a TO STDOUT (FORMAT binary)");
        for (int cut = 1; cut < data.length; cut += 7) {
            InputStream all = new ByteArrayInputStream(data);
            int most = cut;
            InputStream pieces =
                    new FilterInputStream(all) {
                        @Override
                        public int read(byte[] target, int from, int length) throws IOException {
                            return super.read(target, from, Math.min(length, most));
                        }
                    };
            db.run("DELETE FROM b");
            assertThat(db.session.copyIn("COPY b FROM STDIN (FORMAT binary)", pieces)).isEqualTo(3);
        }
        assertThat(out("COPY (SELECT * FROM b ORDER BY g) TO STDOUT (FORMAT binary)"))
                .isEqualTo(out("COPY (SELECT * FROM a ORDER BY g) TO STDOUT (FORMAT binary)"));
    }

    /// Data that ends too early is an error, but where a row could begin.
    @Test
    void dataThatEndsAnywhereIsAnErrorOrWholeRows() {
        db.run("INSERT INTO t VALUES (1, 'abc', 1.5), (2, NULL, 3)");
        byte[] data = out("COPY (SELECT * FROM t ORDER BY id) TO STDOUT (FORMAT binary)");
        int whole = 0;
        for (int length = 0; length < data.length; length++) {
            db.run("DELETE FROM t");
            try {
                whole++;
                db.session.copyIn(IN, new ByteArrayInputStream(data, 0, length));
            } catch (SqlException e) {
                whole--;
                assertThat(e.state()).isEqualTo(SqlState.BAD_COPY_FORMAT);
                assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("0");
            }
        }
        assertThat(whole).isEqualTo(6); // before and within the number of fields, and the end
    }

    @Test
    void malformedHeadersAreRefused() {
        assertThat(error(IN, "5047434f5058")).startsWith("22P04 COPY file signature not recogni");
        String signature = HEADER.substring(0, 22);
        assertThat(error(IN, signature))
                .startsWith("22P04 invalid COPY file header (missing flags)");
        assertThat(error(IN, signature + "0001000000000000"))
                .startsWith("22P04 invalid COPY file header (WITH OIDS)");
        assertThat(error(IN, signature + "0002000000000000"))
                .startsWith("22P04 unrecognized critical flags in COPY file header");
        assertThat(error(IN, signature + "00000000ff000000"))
                .startsWith("22P04 invalid COPY file header (missing length)");
        assertThat(error(IN, signature + "0000000000000005aa"))
                .startsWith("22P04 invalid COPY file header (wrong length)");
    }

    @Test
    void malformedRowsAreRefused() {
        assertThat(rowError("0002"))
                .isEqualTo("22P04 row field count is 2, expected 3 / COPY t, line 1");
        assertThat(rowError("fffe"))
                .isEqualTo("22P04 row field count is -2, expected 3 / COPY t, line 1");
        assertThat(rowError("0003"))
                .isEqualTo("22P04 unexpected EOF in COPY data / COPY t, line 1, column id");
        assertThat(rowError("0003000000040000"))
                .isEqualTo("22P04 unexpected EOF in COPY data / COPY t, line 1, column id");
        assertThat(rowError("0003fffffffe"))
                .isEqualTo("22P04 invalid field size / COPY t, line 1, column id");
        assertThat(rowError("00037fffffff")).startsWith("22P04 a row is longer than ");
        assertThat(rowError("ffff78"))
                .isEqualTo("22P04 received copy data after EOF marker / COPY t, line 1");
        assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("0");
    }

    @Test
    void malformedValuesAreRefused() {
        assertThat(rowError("0003000000020000"))
                .isEqualTo("08P01 insufficient data left in message / COPY t, line 1, column id");
        assertThat(rowError("0003000000050000000001"))
                .isEqualTo("22P03 incorrect binary data format / COPY t, line 1, column id");
        String one = "0003" + "0000000400000001";
        assertThat(rowError(one + "0000000461626364"))
                .isEqualTo(
                        "22001 value too long for type character varying(3) / COPY t, line 1,"
                                + " column name");
        assertThat(rowError(one + "0000000100")).startsWith("22021");
        assertThat(rowError(one + "00000001c3")).startsWith("22021");
        String numeric = one + "0000000161";
        assertThat(rowError(numeric + "0000000a00010000000000002711"))
                .startsWith("22P03 invalid digit in external \"numeric\" value");
        assertThat(rowError(numeric + "000000080000000000010000"))
                .startsWith("22P03 invalid sign in external \"numeric\" value");
        assertThat(rowError(numeric + "0000000800000000" + "00007fff"))
                .startsWith("22P03 invalid scale in external \"numeric\" value");
        String good = one + "ffffffff" + "ffffffff";
        assertThat(rowError(good + good)).startsWith("23505").endsWith("COPY t, line 2");
    }

    @Test
    void optionsOfTextAreRefused() {
        assertThat(error("COPY t FROM STDIN (FORMAT binary, DELIMITER ',')", ""))
                .startsWith("42601 cannot specify DELIMITER in BINARY mode");
        assertThat(error("COPY t FROM STDIN (FORMAT binary, NULL 'x')", ""))
                .startsWith("42601 cannot specify NULL in BINARY mode");
        assertThat(error("COPY t FROM STDIN (FORMAT binary, HEADER)", ""))
                .startsWith("0A000 cannot specify HEADER in BINARY mode");
        assertThat(error("COPY t FROM STDIN (FORMAT binary, HEADER false)", ""))
                .startsWith("22P04");
        assertThat(error("COPY t FROM STDIN (FORMAT binary, QUOTE '|')", ""))
                .startsWith("0A000 COPY quote available only in CSV mode");
    }

    @Test
    void charactersHaveNoBinaryFormat() {
        try {
            db.session.copyIn(IN, new StringReader(""));
        } catch (SqlException e) {
            assertThat(e.state()).isEqualTo(SqlState.FEATURE_NOT_SUPPORTED);
            return;
        }
        throw new AssertionError("no error");
    }

    @Test
    void textOfBytesIsUtf8() {
        byte[] data = "1\tg€\t1\n".getBytes(StandardCharsets.UTF_8);
        assertThat(db.session.copyIn("COPY t FROM STDIN", new ByteArrayInputStream(data)))
                .isEqualTo(1);
        assertThat(out("COPY (SELECT name FROM t) TO STDOUT"))
                .isEqualTo("g€\n".getBytes(StandardCharsets.UTF_8));
    }

    /// Damaged data gives rows or an error of SQL, and whatever came in can be read.
    @Test
    void randomBytesGiveRowsOrErrors() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("BinaryCopyTest seed " + seed);
        Random random = new Random(seed);
        db.run("CREATE TABLE a (" + ALL + ")");
        db.run(ROWS);
        byte[] data = out("COPY a TO STDOUT (FORMAT binary)");
        for (int round = 0; round < 300; round++) {
            byte[] damaged = data.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                damaged[19 + random.nextInt(data.length - 19)] = (byte) random.nextInt();
            }
            try {
                db.session.copyIn(
                        "COPY a FROM STDIN (FORMAT binary)", new ByteArrayInputStream(damaged));
            } catch (SqlException e) {
                assertThat(e.state()).as("seed %s", seed).isNotEqualTo(SqlState.INTERNAL_ERROR);
            }
            assertThat(out("COPY a TO STDOUT")).isNotNull();
            assertThat(out("COPY a TO STDOUT (FORMAT binary)")).endsWith((byte) 0xff, (byte) 0xff);
            db.run("DELETE FROM a");
        }
    }
}

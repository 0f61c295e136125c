package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.sql.server.ServerFixture.error;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.copy.CopyOut;
import org.postgresql.util.ServerErrorMessage;

/// COPY by the JDBC driver's CopyManager.
class CopyTest {
    private static ServerFixture db;

    @BeforeAll
    static void open() throws SQLException {
        db = new ServerFixture();
        db.run("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), v NUMERIC(10, 2))");
    }

    @AfterAll
    static void close() {
        db.close();
    }

    @BeforeEach
    void empty() throws SQLException {
        db.run("DELETE FROM t");
    }

    private static CopyManager copy(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getCopyAPI();
    }

    @Test
    void manyRowsGoInAndOut() throws Exception {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            rows.append(i)
                    .append("\tGräfin €😀 ")
                    .append(i % 1000)
                    .append("\t")
                    .append(i)
                    .append(".25\n");
        }
        try (Connection connection = db.connect()) {
            assertThat(
                            copy(connection)
                                    .copyIn("COPY t FROM STDIN", new StringReader(rows.toString())))
                    .isEqualTo(20_000);
            StringWriter out = new StringWriter();
            assertThat(
                            copy(connection)
                                    .copyOut("COPY (SELECT * FROM t ORDER BY id) TO STDOUT", out))
                    .isEqualTo(20_000);
            assertThat(out.toString()).isEqualTo(rows.toString());
            assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("20000");
        }
    }

    @Test
    void csvWithAHeaderGoesInAndOut() throws Exception {
        String csv = "id,name,v\n1,\"a,b\",1.00\n2,,\n";
        try (Connection connection = db.connect()) {
            copy(connection)
                    .copyIn("COPY t FROM STDIN (FORMAT csv, HEADER)", new StringReader(csv));
            StringWriter out = new StringWriter();
            copy(connection)
                    .copyOut(
                            "COPY (SELECT * FROM t ORDER BY id) TO STDOUT (FORMAT csv, HEADER)",
                            out);
            assertThat(out.toString()).isEqualTo(csv);
        }
    }

    @Test
    void theDriverGetsTheNumberOfColumns() throws Exception {
        try (Connection connection = db.connect()) {
            CopyIn in = copy(connection).copyIn("COPY t (id, name) FROM STDIN");
            assertThat(in.getFieldCount()).isEqualTo(2);
            assertThat(in.getFormat()).isZero();
            in.cancelCopy();
            CopyOut out = copy(connection).copyOut("COPY t TO STDOUT");
            assertThat(out.getFieldCount()).isEqualTo(3);
            assertThat(out.readFromCopy()).isNull();
        }
    }

    @Test
    void aQueryGoesOutWhereverItStandsInTheText() throws Exception {
        try (Connection connection = db.connect()) {
            StringWriter out = new StringWriter();
            String sql = "-- what comes before it\n COPY (SELECT 1, 'one') TO STDOUT";
            assertThat(copy(connection).copyOut(sql, out)).isOne();
            assertThat(out.toString()).isEqualTo("1\tone\n");
        }
    }

    @Test
    void aBadRowTakesAllBackAndIsNamed() throws Exception {
        try (Connection connection = db.connect()) {
            ServerErrorMessage error =
                    error(() -> {
                        try {
                            copy(connection)
                                    .copyIn(
                                            "COPY t FROM STDIN",
                                            new StringReader("1\ta\t1\nx\tb\t2\n"));
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    });
            assertThat(error.getSQLState()).isEqualTo("22P02");
            assertThat(error.getWhere()).isEqualTo("COPY t, line 2, column id: \"x\"");
            assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("0");
            assertThat(ServerFixture.rows(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void bytesThatAreNoTextAreRefusedWithTheirLine() throws Exception {
        try (Connection connection = db.connect()) {
            for (byte[] bad : new byte[][] {{'1', '\t', (byte) 0xc3, '\n'}, {'1', '\t', 0, '\n'}}) {
                ServerErrorMessage error =
                        error(() -> {
                            try {
                                copy(connection)
                                        .copyIn(
                                                "COPY t (id, name) FROM STDIN",
                                                new ByteArrayInputStream(bad));
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        });
                assertThat(error.getSQLState()).as(error.toString()).isEqualTo("22021");
                assertThat(error.getWhere()).startsWith("COPY t, line 1");
            }
        }
    }

    @Test
    void theBinaryFormatGoesInAndOut() throws Exception {
        db.run("INSERT INTO t VALUES (1, 'Gräfin', 1.25), (2, NULL, NULL)");
        try (Connection connection = db.connect()) {
            CopyOut out = copy(connection).copyOut("COPY t TO STDOUT (FORMAT binary)");
            assertThat(out.getFormat()).isOne();
            assertThat(out.getFieldFormat(2)).isOne();
            ByteArrayOutputStream data = new ByteArrayOutputStream();
            for (byte[] row = out.readFromCopy(); row != null; row = out.readFromCopy()) {
                data.writeBytes(row);
            }
            db.run("DELETE FROM t");
            CopyIn in = copy(connection).copyIn("COPY t FROM STDIN (FORMAT binary)");
            assertThat(in.getFormat()).isOne();
            assertThat(in.getFieldFormat(0)).isOne();
            for (byte one : data.toByteArray()) { // a message for each byte
                in.writeToCopy(new byte[] {one}, 0, 1);
            }
            assertThat(in.endCopy()).isEqualTo(2);
            assertThat(db.rows("SELECT * FROM t ORDER BY id"))
                    .isEqualTo("1|Gräfin|1.25; 2|null|null");
        }
    }

    @Test
    void malformedBinaryDataIsRefusedAndTheSessionGoesOn() throws Exception {
        try (Connection connection = db.connect()) {
            byte[] bad = "1\ta\t1\n".repeat(1000).getBytes(StandardCharsets.UTF_8);
            ServerErrorMessage error =
                    error(() -> {
                        try {
                            copy(connection)
                                    .copyIn(
                                            "COPY t FROM STDIN (FORMAT binary)",
                                            new ByteArrayInputStream(bad));
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    });
            assertThat(error.getSQLState()).isEqualTo("22P04");
            assertThat(error.getMessage()).isEqualTo("COPY file signature not recognized");
            assertThat(ServerFixture.rows(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void inABlockItIsAPartOfIt() throws Exception {
        try (Connection connection = db.connect()) {
            connection.setAutoCommit(false);
            copy(connection)
                    .copyIn(
                            "COPY t FROM STDIN",
                            new ByteArrayInputStream("1\ta\t1\n".getBytes(StandardCharsets.UTF_8)));
            assertThat(ServerFixture.rows(connection, "SELECT count(*) FROM t")).isEqualTo("1");
            connection.rollback();
            assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("0");
        }
    }

    @Test
    void filesOfTheServerAreNotOpened() {
        assertThat(error(() -> db.run("COPY t FROM '/etc/passwd'")).getSQLState())
                .isEqualTo("42501");
    }
}

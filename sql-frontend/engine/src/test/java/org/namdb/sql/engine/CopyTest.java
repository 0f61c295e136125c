package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.sql.engine.copy.CopyFiles;
import org.namdb.sql.engine.plan.StatementProgress;
import org.namdb.sql.engine.plan.StatementProgress.Phase;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;

/// COPY in both formats and directions.
class CopyTest {
    private SqlFixture db;

    @BeforeEach
    void open() {
        db = new SqlFixture();
        db.run("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), n NUMERIC(6,2) DEFAULT 7)");
    }

    @AfterEach
    void close() {
        db.close();
    }

    private long in(String sql, String data) {
        return db.session.copyIn(sql, new StringReader(data));
    }

    private String out(String sql) {
        StringWriter out = new StringWriter();
        db.session.copyOut(sql, out);
        return out.toString();
    }

    private String inError(String sql, String data) {
        try {
            in(sql, data);
        } catch (SqlException e) {
            return e.state().code() + " " + e.getMessage() + " / " + e.context();
        }
        throw new AssertionError("no error");
    }

    @Test
    void textComesAndGoes() {
        assertThat(
                        in(
                                "COPY t FROM STDIN",
                                "1\ta\\tb\\\\c\t1.5\n2\t\\N\t2\n3\t\\x41\\101\t3\r\n\\.\nrest"))
                .isEqualTo(3);
        assertThat(db.rows("SELECT * FROM t ORDER BY id"))
                .isEqualTo("1|a\tb\\c|1.50; 2|null|2.00; 3|AA|3.00");
        assertThat(out("COPY t TO STDOUT")).contains("1\ta\\tb\\\\c\t1.50\n", "2\t\\N\t2.00\n");
        assertThat(out("COPY (SELECT id FROM t ORDER BY id DESC) TO STDOUT"))
                .isEqualTo("3\n2\n1\n");
    }

    @Test
    void csvComesAndGoes() {
        String csv = "id,name,n\n1,\"a,\"\"b\"\"\n c\",1\n2,,2\n3,\"\",3\n";
        assertThat(in("COPY t FROM STDIN WITH (FORMAT csv, HEADER)", csv)).isEqualTo(3);
        assertThat(db.rows("SELECT * FROM t ORDER BY id"))
                .isEqualTo("1|a,\"b\"\n c|1.00; 2|null|2.00; 3||3.00");
        assertThat(
                        out(
                                "COPY (SELECT * FROM t ORDER BY id) TO STDOUT WITH (FORMAT csv, HEADER true)"))
                .isEqualTo("id,name,n\n1,\"a,\"\"b\"\"\n c\",1.00\n2,,2.00\n3,\"\",3.00\n");
        assertThat(out("COPY t (id, name) TO STDOUT CSV DELIMITER ';' NULL 'none'"))
                .contains("2;none\n");
    }

    @Test
    void missingColumnsGetTheirDefault() {
        assertThat(in("COPY t (id) FROM STDIN", "5\n6\n")).isEqualTo(2);
        assertThat(db.rows("SELECT n FROM t")).isEqualTo("7.00; 7.00");
    }

    @Test
    void mistakesHaveTheirLine() {
        assertThat(inError("COPY t FROM STDIN", "1\ta\t1\n2\tb\tx\n"))
                .isEqualTo(
                        "22P02 invalid input syntax for type numeric: \"x\" / COPY t, line 2, column n: \"x\"");
        assertThat(inError("COPY t FROM STDIN", "1\ta\n"))
                .isEqualTo("22P04 missing data for column \"n\" / COPY t, line 1");
        assertThat(inError("COPY t FROM STDIN", "1\ta\t1\t2\n"))
                .isEqualTo("22P04 extra data after last expected column / COPY t, line 1");
        assertThat(inError("COPY t FROM STDIN CSV", "1,\"a,1\n2"))
                .startsWith("22P04 unterminated CSV quoted field");
        assertThat(inError("COPY t FROM STDIN", "1\ta\t1\n1\tb\t1\n")).startsWith("23505");
        assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("0");
    }

    /// Files by name, none of them on a disk.
    private static final class Drawer implements CopyFiles {
        private final Map<String, StringWriter> files = new HashMap<>();
        private final Map<String, ByteArrayOutputStream> binaryFiles = new HashMap<>();

        @Override
        public Reader open(String name) throws IOException {
            StringWriter file = files.get(name);
            if (file == null) {
                throw new NoSuchFileException(name);
            }
            return new StringReader(file.toString());
        }

        @Override
        public Writer create(String name) throws IOException {
            if (name.isBlank()) {
                throw new IOException("a file needs a name");
            }
            StringWriter file = new StringWriter();
            files.put(name, file);
            return file;
        }

        @Override
        public InputStream openBinary(String name) throws IOException {
            ByteArrayOutputStream file = binaryFiles.get(name);
            if (file == null) {
                throw new NoSuchFileException(name);
            }
            return new ByteArrayInputStream(file.toByteArray());
        }

        @Override
        public OutputStream createBinary(String name) {
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            binaryFiles.put(name, file);
            return file;
        }
    }

    @Test
    void aSessionWithFilesCopiesThem() {
        try (SqlSession session = db.database.session(new Drawer())) {
            SqlFixture.run(session, "INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2)");
            assertThat(SqlFixture.run(session, "COPY t TO 'rows' CSV")).isEqualTo("COPY 2");
            assertThat(SqlFixture.run(session, "COPY t TO 'rows' (FORMAT binary)"))
                    .isEqualTo("COPY 2");
            SqlFixture.run(session, "DELETE FROM t");
            assertThat(SqlFixture.run(session, "COPY t FROM 'rows' CSV")).isEqualTo("COPY 2");
            SqlFixture.run(session, "DELETE FROM t");
            assertThat(SqlFixture.run(session, "COPY t FROM 'rows' BINARY")).isEqualTo("COPY 2");
            assertThat(SqlFixture.rows(session, "SELECT * FROM t ORDER BY id"))
                    .isEqualTo("1|a|1.00; 2|b|2.00");
            assertThat(SqlFixture.error(session, "COPY t FROM 'none'"))
                    .startsWith("58P01")
                    .contains("for reading");
            assertThat(SqlFixture.error(session, "COPY t TO ' '")).startsWith("58030");
        }
    }

    @Test
    void aSessionWithoutFilesIsRefusedThem(@TempDir Path directory) throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), "1\tsecret\t1\n");
        Path target = directory.resolve("target");
        for (String sql :
                List.of(
                        "COPY t FROM '" + secret + "'",
                        "COPY t TO '" + target + "'",
                        "COPY (SELECT 1) TO '" + target + "'")) {
            assertThatThrownBy(() -> db.run(sql))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> {
                                assertThat(e.state()).isEqualTo(SqlState.INSUFFICIENT_PRIVILEGE);
                                assertThat(e.hint()).contains("\\copy");
                            });
        }
        assertThat(target).doesNotExist();
        assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("0");
        assertThatThrownBy(() -> db.run("COPY t FROM STDIN")).hasMessageContaining("STDIN");
    }

    @Test
    void manyRowsComeInBatches() {
        StringBuilder data = new StringBuilder();
        for (int i = 0; i < 5000; i++) {
            data.append(i).append("\tname").append(i).append("\t1\n");
        }
        long count = db.session.copyIn("COPY t FROM STDIN", new StringReader(data.toString()));
        assertThat(count).isEqualTo(5000);
        assertThat(db.session.lastVerbs().roundTrips()).isLessThan(2000);
    }

    /// Another thread sees how far a statement is; here the reader of its data does.
    @Test
    void progressIsSeenWhileItRuns() {
        List<StatementProgress.State> seen = new ArrayList<>();
        StringBuilder data = new StringBuilder();
        for (int i = 0; i < 5000; i++) {
            data.append(i).append("\tname").append(i).append("\t1\n");
        }
        Reader watched =
                new FilterReader(new StringReader(data.toString())) {
                    @Override
                    public int read(char[] target, int from, int length) throws IOException {
                        seen.add(db.session.progress());
                        return super.read(target, from, Math.min(length, 1000));
                    }
                };
        long _ = db.session.copyIn("COPY t FROM STDIN", watched);
        assertThat(seen.getFirst()).isEqualTo(new StatementProgress.State(Phase.READING, 0, -1));
        assertThat(seen.getLast().phase()).isEqualTo(Phase.WRITING);
        assertThat(seen.getLast().rows()).isBetween(4000L, 5000L);
        assertThat(db.session.progress())
                .isEqualTo(new StatementProgress.State(Phase.COMMITTING, 5000, -1));
        assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("5000");
        assertThat(db.session.progress().phase()).isEqualTo(Phase.READING);
        assertThat(db.session.progress().rows()).isEqualTo(5000);
        try (Result rows = db.session.execute("SELECT * FROM t")) {
            for (int i = 0; i < 500; i++) {
                assertThat(rows.next()).isTrue();
            }
            assertThat(db.session.progress().percent()).isBetween(0, 50);
        }
        assertThat(db.run("UPDATE t SET n = 2 WHERE id < 10")).isEqualTo("UPDATE 10");
        assertThat(db.session.progress().rows()).isEqualTo(10);
        assertThat(db.run("DELETE FROM t WHERE id < 7")).isEqualTo("DELETE 7");
        assertThat(db.session.progress().rows()).isEqualTo(7);
    }
}

package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.server.ServerOptions;
import org.namdb.sql.server.SqlServer;

/// `nam sql URL`: the shell does with a server's database what it does with its own.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RemoteShellTest {
    private static final String SCHEMA =
            "CREATE TABLE person (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, pay DECIMAL(8,2) DEFAULT 1,"
                    + " CONSTRAINT paid CHECK (pay > 0));"
                    + " CREATE TABLE job (title TEXT, who INT REFERENCES person (id), UNIQUE (title));"
                    + " CREATE INDEX by_name ON person (name);";

    @TempDir private Path directory;

    private final StringWriter printed = new StringWriter();
    private final StringWriter errors = new StringWriter();
    private SqlDatabase database;
    private SqlServer server;

    @BeforeEach
    void start() throws IOException {
        database =
                SqlDatabase.embedded(
                        EmbeddedOptions.DEFAULT.withMemoryBytes(256L << 20).withSlots(16));
        server =
                SqlServer.start(
                        database,
                        ServerOptions.DEFAULT
                                .withMaxSessions(4)
                                .withAddress(
                                        new InetSocketAddress(
                                                InetAddress.getLoopbackAddress(), 0)));
    }

    @AfterEach
    void stop() {
        server.close();
        database.close();
    }

    private int sql(String... arguments) {
        String[] all = new String[arguments.length + 2];
        all[0] = "sql";
        all[1] = "postgresql://ada@127.0.0.1:" + server.address().getPort();
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        printed.getBuffer().setLength(0);
        errors.getBuffer().setLength(0);
        return Nam.commandLine()
                .setOut(new PrintWriter(printed))
                .setErr(new PrintWriter(errors))
                .execute(all);
    }

    @Test
    void statementsTagsAndRowsAreThoseOfALocalDatabase() {
        String statements =
                SCHEMA
                        + "INSERT INTO person VALUES (1, 'Ada', 5), (2, 'Grüße 😀', NULL);"
                        + "SELECT id, name, pay, pay IS NULL AS unpaid FROM person ORDER BY id;"
                        + "CREATE TABLE IF NOT EXISTS person (id INT); SELECT 1 WHERE false";
        assertThat(sql("-c", statements)).isZero();
        String remote = printed.toString();
        String notices = errors.toString();
        printed.getBuffer().setLength(0);
        errors.getBuffer().setLength(0);
        int status =
                Nam.commandLine()
                        .setOut(new PrintWriter(printed))
                        .setErr(new PrintWriter(errors))
                        .execute("sql", "--memory=64m", "-c", statements);
        assertThat(status).isZero();
        assertThat(remote).isEqualTo(printed.toString()).contains("Grüße 😀", "INSERT 0 2");
        assertThat(notices).isEqualTo(errors.toString()).contains("already exists");
    }

    @Test
    void rolesAndRightsAreShownAsThoseOfALocalDatabase() throws IOException {
        Path script =
                Files.writeString(
                        directory.resolve("roles.sql"),
                        SCHEMA
                                + """
                                CREATE USER ada CREATEROLE VALID UNTIL '2100-01-01';
                                CREATE ROLE reader NOLOGIN;
                                GRANT reader TO ada;
                                GRANT SELECT ON job TO reader, PUBLIC;
                                ALTER TABLE job OWNER TO ada;
                                \\du
                                \\du r*
                                \\dp
                                \\z j*
                                COMMENT ON TABLE job IS 'What is to do';
                                COMMENT ON COLUMN job.title IS 'What it is';
                                \\dt+ j*
                                \\d+ job
                                DROP TABLE job;
                                DROP ROLE ada, reader;
                                """);
        assertThat(sql("-f", script.toString())).isZero();
        String remote = withoutDesign(printed.toString());
        printed.getBuffer().setLength(0);
        int status =
                Nam.commandLine()
                        .setOut(new PrintWriter(printed))
                        .setErr(new PrintWriter(errors))
                        .execute("sql", "--memory=64m", "-f", script.toString());
        assertThat(status).isZero();
        assertThat(remote)
                .isEqualTo(withoutDesign(printed.toString()))
                .contains(
                        " ada    | create role, password valid until 2100-01-01T00:00:00Z | reader",
                        " job    | ada   | ada=arwdDxt/ada, reader=r/ada, =r/ada",
                        "    owner ada\n    privileges ada=arwdDxt/ada, reader=r/ada, =r/ada\n",
                        "Comment:\n    What is to do\n");
    }

    /// Clients of a server don't see how tables are laid out.
    private static String withoutDesign(String text) {
        return text.replaceAll("(?m)^Physical design:\\R.*\\R", "");
    }

    @Test
    void tablesAreDescribedAsThoseOfALocalDatabase() {
        assertThat(sql("-c", SCHEMA)).isZero();
        assertThat(sql("-c", "CREATE INDEX by_pay ON person (pay, name) WITH (cache = '64MB')"))
                .isZero();
        assertThat(sql("-c", "\\d person", "-c", "\\d job", "-c", "\\d")).isZero();
        assertThat(printed.toString())
                .containsPattern("name +\\| character varying\\(20\\) \\| not null")
                .containsPattern("pay +\\| numeric\\(8,2\\) +\\| +\\| 1")
                .contains("\"person_pkey\" PRIMARY KEY (id)")
                .contains("\"by_name\" btree (name)")
                .contains("\"by_pay\" btree (pay, name) WITH (cache='64MB')")
                .contains("\"paid\" CHECK ((pay > 0))")
                .contains("TABLE \"job\" CONSTRAINT")
                .contains("\"job_title_key\" UNIQUE CONSTRAINT, ")
                .contains("FOREIGN KEY (who) REFERENCES person(id)");
        assertThat(sql("-c", "\\d nothing")).isOne();
        assertThat(errors.toString()).contains("nothing");
    }

    @Test
    void errorsShowTheirPlaceAndHint() {
        assertThat(sql("-c", SCHEMA)).isZero();
        assertThat(sql("-c", "SELECT id,\n  nmae FROM person")).isOne();
        assertThat(errors.toString())
                .contains("ERROR 42703:", "LINE 2:   nmae FROM person", "^", "HINT:", "name");
        assertThat(sql("-c", "INSERT INTO person VALUES (1, 'Ada', -5)")).isOne();
        assertThat(errors.toString()).contains("ERROR 23514:");
    }

    @Test
    void blocksVerbsAndSnapshotsAreShown() {
        assertThat(sql("-c", SCHEMA)).isZero();
        assertThat(
                        sql(
                                "-c", "\\verbs on",
                                "-c", "BEGIN; INSERT INTO person VALUES (1, 'Ada', 5);",
                                "-c", "\\tx",
                                "-c", "COMMIT; SELECT pay FROM person WHERE id = 1"))
                .isZero();
        assertThat(printed.toString())
                .contains("in a transaction, its snapshot is", "write set: 1 row")
                .containsPattern("READ.* round trip");
        assertThat(sql("--on-error=continue", "-c", "BEGIN; SELECT 1/0; SELECT 2; ROLLBACK"))
                .isOne();
        assertThat(errors.toString()).contains("ERROR 22012:", "ERROR 25P02:");
    }

    @Test
    void rowsAreCopiedBothWays() throws IOException {
        assertThat(sql("-c", SCHEMA)).isZero();
        StringBuilder rows = new StringBuilder();
        for (int i = 1; i <= 20_000; i++) {
            rows.append(i).append(",name 😀 ").append(i).append(",").append(i).append("\n");
        }
        Path in = Files.writeString(directory.resolve("in.csv"), rows);
        Path out = directory.resolve("out.csv");
        assertThat(sql("-c", "\\copy person from '" + in + "' csv")).isZero();
        assertThat(printed.toString()).contains("COPY 20000");
        assertThat(
                        sql(
                                "-c",
                                "\\copy (SELECT id, name, pay::int FROM person ORDER BY id) to '"
                                        + out
                                        + "' csv"))
                .isZero();
        assertThat(out).hasSameTextualContentAs(in);
        // An error in the middle, and the session goes on.
        Files.writeString(in, "30000,a,1\nx,b,2\n");
        assertThat(
                        sql(
                                "--on-error=continue",
                                "-c",
                                "\\copy person from '" + in + "' csv",
                                "-c",
                                "SELECT count(*) FROM person"))
                .isOne();
        assertThat(errors.toString()).contains("ERROR 22P02:", "COPY person, line 2");
        assertThat(printed.toString()).contains("20000");
    }

    /// The statement has begun to send rows when it fails.
    @Test
    void aCopyThatFailsOnItsWayLeavesTheSessionUsable() {
        Path out = directory.resolve("out.csv");
        assertThat(
                        sql(
                                "--on-error=continue",
                                "-c",
                                "\\copy (SELECT 1 / (3000 - x) FROM generate_series(1, 9000) s(x)) to '"
                                        + out
                                        + "'",
                                "-c",
                                "SELECT 'still here'"))
                .isOne();
        assertThat(errors.toString()).contains("ERROR 22012:");
        assertThat(printed.toString()).contains("still here");
    }

    @Test
    void aFailureToConnectIsReported() {
        assertThat(sql("--memory=1g")).isEqualTo(2);
        assertThat(errors.toString())
                .contains("--memory is for a database in this process: with the URL of a server");
        int port = server.address().getPort();
        server.close();
        assertThat(sql("-c", "SELECT 1")).isOne();
        assertThat(errors.toString()).contains("127.0.0.1:" + port + " can't be connected to");
    }
}

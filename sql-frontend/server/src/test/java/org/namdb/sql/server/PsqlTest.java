package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// psql and pgbench, unmodified; skipped where they are not installed.
class PsqlTest {
    private static final Path PSQL = Path.of("/usr/bin/psql");
    private static final Path PGBENCH = Path.of("/usr/bin/pgbench");

    private static ServerFixture db;

    @BeforeAll
    static void open() throws SQLException {
        assumeTrue(Files.isExecutable(PSQL), PSQL + " is missing: install postgresql-client");
        db = new ServerFixture();
        db.run(
                "CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(20) NOT NULL,"
                        + " balance NUMERIC(10, 2) DEFAULT 0, CHECK (balance >= 0))",
                "INSERT INTO account VALUES (1, 'Ada', 100), (2, 'Gräfin', NULL)");
    }

    @AfterAll
    static void close() {
        if (db != null) {
            db.close();
        }
    }

    /// What psql prints, errors among it.
    private static String psql(String input, String... options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(PSQL.toString(), "-X"));
        command.addAll(List.of(options));
        return run(command, input);
    }

    private static String run(List<String> command, String input)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PGHOST", "127.0.0.1");
        builder.environment().put("PGPORT", String.valueOf(db.port()));
        builder.environment().put("PGUSER", "ada");
        builder.environment().put("PGDATABASE", "bank");
        builder.environment().put("PGCLIENTENCODING", "UTF8");
        Process process = builder.start();
        process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return printed;
    }

    @Test
    void temporaryTablesAreInASchemaOfTheirOwn() throws IOException, InterruptedException {
        String shown =
                psql(
                        "CREATE TEMP TABLE own (id INT PRIMARY KEY, n INT);"
                                + " CREATE INDEX own_n ON own (n);\n"
                                + "\\d own\n\\dt own\n",
                        "-Atq");
        assertThat(shown.replaceAll("pg_temp_[0-9_]+", "pg_temp_N"))
                .isEqualTo(
                        """
                        id|integer||not null|
                        n|integer|||
                        pg_temp_N|own|table|namdb
                        """);
        assertThat(psql("\\d own", "-At")).contains("Did not find any relation");
    }

    @Test
    void rowsAreShown() throws Exception {
        assertThat(psql("SELECT * FROM account ORDER BY id;"))
                .isEqualTo(
                        """
                         id | owner  | balance\s
                        ----+--------+---------
                          1 | Ada    |  100.00
                          2 | Gräfin |       \s
                        (2 rows)

                        """);
    }

    @Test
    void pgbenchMakesItsTablesAndRuns() throws Exception {
        assumeTrue(Files.isExecutable(PGBENCH), PGBENCH + " is missing: install postgresql");
        String pgbench = PGBENCH.toString();
        assertThat(run(List.of(pgbench, "-i", "--foreign-keys"), "")).contains("done in");
        for (String mode : List.of("simple", "extended", "prepared")) {
            String printed =
                    run(
                            List.of(
                                    pgbench,
                                    "--no-vacuum",
                                    "--protocol=" + mode,
                                    "--client=2",
                                    "--transactions=50",
                                    "--max-tries=1000"),
                            "");
            assertThat(printed)
                    .contains("number of transactions actually processed: 100/100")
                    .contains("number of failed transactions: 0 ");
        }
        assertThat(
                        psql(
                                "SELECT count(*) = 300 AND sum(delta) = (SELECT sum(abalance) FROM pgbench_accounts)"
                                        + " AND sum(delta) = (SELECT sum(tbalance) FROM pgbench_tellers)"
                                        + " AND sum(delta) = (SELECT sum(bbalance) FROM pgbench_branches)"
                                        + " FROM pgbench_history",
                                "-At"))
                .isEqualTo("t\n");
        assertThat(run(List.of(pgbench, "-i", "--init-steps=d"), "")).contains("done in");
    }

    @Test
    void routinesAreListedAndTell() throws Exception {
        String made =
                psql(
                        """
                        CREATE FUNCTION half(n INT, OUT a INT, OUT b INT) LANGUAGE plpgsql AS $$
                        BEGIN
                          RAISE NOTICE 'half of %', n; a := n / 2; b := n - a;
                        END $$;
                        CREATE PROCEDURE stop(why TEXT) LANGUAGE plpgsql AS $$
                        BEGIN
                          RAISE INFO 'soon';
                          RAISE EXCEPTION '%', why USING HINT = 'Go on.';
                        END $$;
                        SELECT * FROM half(5);
                        CALL stop('here');
                        """,
                        "-At");
        assertThat(made)
                .isEqualTo(
                        """
                        CREATE FUNCTION
                        CREATE PROCEDURE
                        NOTICE:  half of 5
                        2|3
                        INFO:  soon
                        ERROR:  here
                        HINT:  Go on.
                        CONTEXT:  PL/pgSQL function stop(text) line 4 at RAISE
                        """);
        assertThat(psql("\\df", "-At"))
                .isEqualTo(
                        """
                        public|half|record|n integer, OUT a integer, OUT b integer|func
                        public|stop||IN why text|proc
                        """);
        assertThat(psql("\\sf half", "-At"))
                .startsWith("CREATE OR REPLACE FUNCTION half(n integer")
                .contains("LANGUAGE plpgsql");
        assertThat(psql("\\sf other", "-At"))
                .isEqualTo("ERROR:  function \"other\" does not exist\n");
        assertThat(psql("DROP FUNCTION half; DROP PROCEDURE stop(text);", "-At"))
                .isEqualTo("DROP FUNCTION\nDROP PROCEDURE\n");
    }

    @Test
    void errorsAreMarkedInTheText() throws Exception {
        assertThat(psql("SELECT id,\n ownr FROM account;"))
                .isEqualTo(
                        """
                        ERROR:  column "ownr" does not exist
                        LINE 2:  ownr FROM account;
                                 ^
                        HINT:  Perhaps you meant "owner".
                        """);
    }

    @Test
    void blocksFailAndEnd() throws Exception {
        assertThat(
                        psql(
                                "BEGIN;\nDELETE FROM account;\nSELECT 1/0;\nSELECT 1;\nCOMMIT;\n"
                                        + "SELECT count(*) FROM account;",
                                "-At"))
                .isEqualTo(
                        """
                        BEGIN
                        DELETE 2
                        ERROR:  division by zero
                        ERROR:  current transaction is aborted, commands ignored until end of transaction block
                        ROLLBACK
                        2
                        """);
    }

    @Test
    void copyGoesBothWays() throws Exception {
        assertThat(
                        psql(
                                """
                                BEGIN;
                                \\copy account (id, owner) from stdin csv
                                7,"x,y"
                                8,z
                                \\.
                                \\copy (SELECT id, owner, balance FROM account WHERE id > 6 ORDER BY id) to stdout
                                COPY account (id) FROM STDIN;
                                nonsense
                                \\.
                                ROLLBACK;
                                """,
                                "-At"))
                .isEqualTo(
                        """
                        BEGIN
                        COPY 2
                        7\tx,y\t0.00
                        8\tz\t0.00
                        ERROR:  invalid input syntax for type integer: "nonsense"
                        CONTEXT:  COPY account, line 1, column id: "nonsense"
                        ROLLBACK
                        """);
    }

    @Test
    void tablesAreListedAndDescribed() throws Exception {
        assertThat(psql("\\dt\n"))
                .isEqualTo(
                        """
                                List of relations
                         Schema |  Name   | Type  | Owner\s
                        --------+---------+-------+-------
                         public | account | table | namdb
                        (1 row)

                        """);
        assertThat(psql("\\d account\n"))
                .isEqualTo(
                        """
                                              Table "public.account"
                         Column  |         Type          | Collation | Nullable | Default\s
                        ---------+-----------------------+-----------+----------+---------
                         id      | integer               |           | not null |\s
                         owner   | character varying(20) |           | not null |\s
                         balance | numeric(10,2)         |           |          | 0
                        Indexes:
                            "account_pkey" PRIMARY KEY, btree (id)
                        Check constraints:
                            "account_balance_check" CHECK ((balance >= 0))

                        """);
    }

    @Test
    void generatedColumnsAreDescribed() throws Exception {
        db.run("CREATE TABLE made (id INT PRIMARY KEY, n INT GENERATED ALWAYS AS (id * 2) STORED)");
        assertThat(psql("\\d made")).contains("| generated always as (id * 2) stored\n");
        db.run("DROP TABLE made");
    }

    @Test
    void constraintsThatAreNotValidAreDescribed() throws Exception {
        db.run(
                "CREATE TABLE doubtful (id INT PRIMARY KEY, n INT)",
                "ALTER TABLE doubtful ADD CONSTRAINT kept CHECK (n > 0) NOT VALID");
        assertThat(psql("\\d doubtful")).contains("\"kept\" CHECK ((n > 0)) NOT VALID\n");
        db.run("DROP TABLE doubtful");
    }

    @Test
    void viewsAndSequencesAreDescribed() throws Exception {
        db.run(
                "CREATE TABLE described (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n SERIAL)",
                "CREATE VIEW shown AS SELECT id FROM described");
        try {
            assertThat(psql("\\d described"))
                    .contains(
                            "generated always as identity", "nextval('described_n_seq'::regclass)");
            assertThat(psql("\\d+ shown"))
                    .contains("View \"public.shown\"", "SELECT id FROM described;");
            assertThat(psql("\\d described_id_seq"))
                    .contains("bigint", "Sequence for identity column: public.described.id");
            assertThat(psql("\\d described_n_seq"))
                    .contains("integer", "Owned by: public.described.n");
            assertThat(psql("\\dv", "-A", "-t")).contains("public|shown|view|namdb");
            assertThat(psql("\\ds", "-A", "-t")).contains("public|described_n_seq|sequence|namdb");
        } finally {
            db.run("DROP TABLE described CASCADE");
        }
    }

    @Test
    void theOtherListsAreNoError() throws Exception {
        for (String command :
                List.of("\\l", "\\du", "\\dn", "\\di", "\\df", "\\d", "\\dT", "\\dt+")) {
            assertThat(psql(command + "\n")).as(command).doesNotContain("ERROR");
        }
    }

    @Test
    void rolesAndPrivilegesAreShown() throws SQLException, IOException, InterruptedException {
        db.run(
                "CREATE TABLE shared (id INT PRIMARY KEY)",
                "CREATE USER psql_ada CREATEROLE",
                "CREATE ROLE psql_reader NOLOGIN",
                "GRANT psql_reader TO psql_ada",
                "GRANT SELECT ON shared TO psql_reader, PUBLIC");
        try {
            assertThat(psql("\\du psql*", "-A", "-t"))
                    .contains(
                            "psql_ada|Create role|{psql_reader}\n",
                            "psql_reader|Cannot login|{}\n");
            assertThat(psql("\\du"))
                    .contains("namdb ", "Superuser, Create role, Create DB, Bypass RLS");
            String privileges = psql("\\dp shared");
            assertThat(privileges)
                    .contains("namdb=arwdDxt/namdb+", "psql_reader=r/namdb+", "=r/namdb");
            assertThat(psql("\\z shared")).isEqualTo(privileges);
            assertThat(psql("\\dt shared", "-A", "-t")).contains("public|shared|table|namdb");
            assertThat(psql("\\dn+", "-A", "-t")).contains("public|namdb|");
        } finally {
            db.run("DROP TABLE shared", "DROP ROLE psql_ada, psql_reader");
        }
    }

    @Test
    void tablesWithForeignKeysAreDescribedToTheLast()
            throws SQLException, IOException, InterruptedException {
        db.run("CREATE TABLE child (id INT REFERENCES account (id), UNIQUE (id))");
        try {
            for (String command : List.of("\\d ", "\\d+ ")) {
                assertThat(psql(command + "child"))
                        .doesNotContain("ERROR")
                        .contains(
                                "\"child_id_key\" UNIQUE CONSTRAINT, hash (id)",
                                "\"child_id_fkey\" FOREIGN KEY (id) REFERENCES account(id)");
                assertThat(psql(command + "account"))
                        .doesNotContain("ERROR")
                        .contains("TABLE \"child\" CONSTRAINT \"child_id_fkey\"");
            }
            assertThat(psql("\\d+ account")).contains("Storage", "Access method: heap");
            for (String command : List.of("\\dt+", "\\di+", "\\l+", "\\db+", "\\ddp", "\\drds")) {
                assertThat(psql(command)).as(command).doesNotContain("ERROR");
            }
        } finally {
            db.run("DROP TABLE child");
        }
    }
}

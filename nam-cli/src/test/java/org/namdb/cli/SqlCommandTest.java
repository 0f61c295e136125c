package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `nam sql` over a real database: options, exit statuses, and once in a real pseudo-terminal.
class SqlCommandTest {
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @TempDir private Path directory;

    private int run(String... arguments) {
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        String[] all = new String[arguments.length + 3];
        all[0] = "sql";
        all[1] = "--memory";
        all[2] = "64m";
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return nam.execute(all);
    }

    @Test
    void statementsAndFilesRunInTheOrderOfTheCommandLine() throws IOException {
        Path file =
                Files.writeString(
                        directory.resolve("rows.sql"), "INSERT INTO t VALUES (1, 'x'), (2, NULL);");
        int status =
                run(
                        "--csv",
                        "-c",
                        "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10))",
                        "-f",
                        file.toString(),
                        "-c",
                        "SELECT * FROM t ORDER BY id");
        assertThat(errors.toString()).isEmpty();
        assertThat(status).isZero();
        assertThat(output.toString()).isEqualTo("id,name\n1,x\n2,\n");
    }

    @Test
    void functionsAndProceduresAreListed() {
        String[] all = {
            "-c",
            "CREATE FUNCTION add(a INT, b INT DEFAULT 1) RETURNS INT LANGUAGE sql AS 'SELECT a +"
                    + " b'",
            "-c",
            "CREATE PROCEDURE note(t TEXT, INOUT n INT) LANGUAGE plpgsql AS 'BEGIN n := 1; END'"
        };
        assertThat(run(with(all, "--csv", "-c", "\\df"))).as(errors::toString).isZero();
        assertThat(output.toString())
                .isEqualTo(
                        """
                        schema,name,result,arguments,kind
                        public,add,integer,"a integer, b integer DEFAULT 1",func
                        public,note,,"IN t text, INOUT n integer",proc
                        """);
        output.getBuffer().setLength(0);
        assertThat(run(with(all, "--csv", "-c", "\\df n*"))).isZero();
        assertThat(output.toString()).contains("public,note,").doesNotContain("add");
    }

    @Test
    void aSnapshotThatWasNotTakenYetIsSaidToBeNone() {
        assertThat(run("-c", "\\tx", "-c", "BEGIN", "-c", "\\tx", "-c", "SELECT 1", "-c", "\\tx"))
                .isZero();
        String none = "snapshot: none yet; a transaction's first statement takes one\n";
        assertThat(output.toString())
                .containsPattern("^session a, slot [0-9]+: no transaction is open\n" + none)
                .containsPattern("session a, slot [0-9]+: in a transaction\n" + none)
                .containsPattern(
                        "its snapshot is [0-9.]+ m?s old\nsnapshot: nothing was committed");
    }

    private static String[] with(String[] first, String... then) {
        return Stream.concat(
                        Arrays.stream(then, 0, 1),
                        Stream.concat(Arrays.stream(first), Arrays.stream(then, 1, then.length)))
                .toArray(String[]::new);
    }

    @Test
    void aFailedStatementIsStatusOne() {
        assertThat(run("-c", "SELECT nmae FROM nothing", "-c", "SELECT 1")).isEqualTo(1);
        assertThat(errors.toString()).startsWith("ERROR 42P01: ").contains("^");
        assertThat(output.toString()).isEmpty();
    }

    @Test
    void theRestIsRunIfAsked() {
        assertThat(run("--on-error", "continue", "-At", "-c", "SELECT x", "-c", "SELECT 1"))
                .isEqualTo(1);
        assertThat(output.toString()).isEqualTo("1\n");
    }

    @Test
    void mistakesInOptionsAreWrongUsage() {
        assertThat(run("-f", "nowhere.sql")).isEqualTo(2);
        assertThat(run("tcp://host")).isEqualTo(2);
        assertThat(run("--on-error", "perhaps")).isEqualTo(2);
        assertThat(run("-v", "X=1")).isEqualTo(2);
        assertThat(run("--tpcc", "0")).isEqualTo(2);
        assertThat(errors.toString())
                .contains("nowhere.sql can't be read")
                .contains("can't be opened: a URL is embedded:")
                .contains("stop or continue")
                .contains("ON_ERROR_STOP");
    }

    @Test
    void aDataDirectoryKeepsTheDatabase() {
        String data = directory.resolve("shop").toString();
        assertThat(
                        run(
                                "--data",
                                data,
                                "-c",
                                "CREATE TABLE p (id INT PRIMARY KEY); CREATE TABLE c (id INT"
                                        + " PRIMARY KEY, name VARCHAR(10) UNIQUE, p INT REFERENCES p ON"
                                        + " DELETE CASCADE CHECK (p < 9)); INSERT INTO p VALUES (1),"
                                        + " (2); INSERT INTO c VALUES (1, 'a', 1), (2, 'b', 2); ALTER"
                                        + " TABLE c ADD COLUMN n INT DEFAULT 7; DELETE FROM p WHERE id"
                                        + " = 2"))
                .as(errors::toString)
                .isZero();
        assertThat(errors.toString()).isEmpty(); // a new one recovers nothing
        assertThat(run("--data", data, "-At", "-c", "\\echo", "-c", "SELECT * FROM c")).isZero();
        assertThat(errors.toString())
                .matches("Recovered \\d+ rows in \\d tables, from \\d+ commits .*\n");
        assertThat(output.toString()).endsWith("1|a|1|7\n");
        for (String refused :
                new String[] {
                    "INSERT INTO c VALUES (3, 'a', 1)",
                    "INSERT INTO c VALUES (3, 'c', 2)",
                    "INSERT INTO c VALUES (3, 'c', 9)"
                }) {
            assertThat(run("--data", data, "--durability", "async", "-c", refused)).isEqualTo(1);
        }
        assertThat(errors.toString()).contains("23505", "23503", "23514");
        assertThat(run("--data", data, "-c", "INSERT INTO c VALUES (3, 'c', 1)")).isZero();
    }

    @Test
    void mistakesAboutADataDirectoryAreNamed() throws IOException {
        Files.writeString(directory.resolve("letter.txt"), "Dear Ada");
        assertThat(run("--data", directory.toString(), "-c", "SELECT 1")).isEqualTo(1);
        assertThat(errors.toString())
                .startsWith("nam sql: " + directory + " is no data directory of NamDB")
                .contains("letter.txt");
        assertThat(directory.toFile().list()).hasSize(1);
        assertThat(run("--durability", "sync")).isEqualTo(2);
        assertThat(run("--data", "x", "--durability", "perhaps")).isEqualTo(2);
        assertThat(errors.toString())
                .contains("--durability is for a database that is kept: it needs --data")
                .contains("--durability is sync, async or none, not 'perhaps'");
    }

    @Test
    void aClusterIsNotMadeHere() {
        CommandLine nam = Nam.commandLine();
        nam.setErr(new PrintWriter(errors, true));
        for (String option :
                new String[] {
                    "--memory=1g", "--memory-servers=2", "--tpcc=1", "--data=x", "embedded:"
                }) {
            assertThat(nam.execute("sql", "--cluster", "c.yaml", option)).isEqualTo(2);
        }
        assertThat(errors.toString().lines().filter(line -> line.startsWith("nam sql: ")))
                .containsExactly(
                        "nam sql: --memory is for a database in this process: with --cluster it is"
                                + " the cluster's own",
                        "nam sql: --memory-servers is for a database in this process: with"
                                + " --cluster it is the cluster's own",
                        "nam sql: --tpcc loads a database in this process; nam tpcc --cluster loads"
                                + " a cluster",
                        "nam sql: --cluster and --data both say which database",
                        "nam sql: --cluster and the URL 'embedded:' both say which database");
    }

    @Test
    void aTableIsDescribedFromTheCatalog() {
        int status =
                run(
                        "-c",
                        "CREATE TABLE p (id INT PRIMARY KEY, n INT DEFAULT 7 CHECK (n > 0)) WITH"
                                + " (versions = 3);CREATE TABLE c (p INT NOT NULL REFERENCES p ON"
                                + " DELETE CASCADE, u INT UNIQUE)",
                        "-c",
                        "\\d p",
                        "-c",
                        "\\d c",
                        "-c",
                        "\\dt");
        assertThat(errors.toString()).isEmpty();
        assertThat(status).isZero();
        assertThat(output.toString())
                .contains("\"p_pkey\" PRIMARY KEY (id)")
                .contains("\"p_n_check\" CHECK (n > 0)")
                .contains(
                        "TABLE \"c\" CONSTRAINT \"c_p_fkey\" FOREIGN KEY (p) REFERENCES p(id) ON"
                                + " DELETE CASCADE")
                .contains("3 old versions kept")
                .contains("\"c_u_key\" UNIQUE CONSTRAINT");
    }

    @Test
    void aWarningIsNoNotice() {
        String table = "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY)";
        assertThat(run("-c", "COMMIT", "-c", table, "-c", table)).isZero();
        assertThat(errors.toString())
                .isEqualTo(
                        """
                        WARNING:  there is no transaction in progress
                        NOTICE:  relation "t" already exists, skipping
                        """);
    }

    @Test
    void twoSessionsShowIsolationAndTheSnapshot() {
        int status =
                run(
                        "-At",
                        "-c",
                        """
                        CREATE TABLE t (id INT PRIMARY KEY, n INT);
                        INSERT INTO t VALUES (1, 1);
                        BEGIN;
                        SELECT n FROM t;
                        \\session b
                        UPDATE t SET n = 2;
                        SELECT n FROM t;
                        \\session a
                        SELECT n FROM t;
                        \\tx
                        UPDATE t SET n = 3;
                        """);
        assertThat(status).isEqualTo(1);
        assertThat(output.toString())
                .startsWith("1\n2\n1\nsession a, slot ")
                .contains("in a transaction");
        assertThat(errors.toString())
                .contains("ERROR 40001")
                .contains("The open transaction of session a was rolled back.");
    }

    @Test
    void aFullDiskUnderTheStandardOutputIsNoticed() throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "needs a device that is full");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "org.namdb.cli.Nam",
                                "sql",
                                "--memory",
                                "64m",
                                "-c",
                                "SELECT 1")
                        .redirectOutput(full.toFile())
                        .start();
        CompletableFuture.delayedExecutor(2, TimeUnit.MINUTES).execute(process::destroyForcibly);
        String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(said)
                .contains("ERROR: standard output can't be written: No space left on device");
    }

    @Test
    void moreMemoryThanTheMachineHasIsWrongUsage() {
        CommandLine nam = Nam.commandLine();
        nam.setErr(new PrintWriter(errors, true));
        assertThat(nam.execute("sql", "embedded:?memory=900t", "-c", "SELECT 1")).isEqualTo(2);
        assertThat(errors.toString())
                .contains("this machine has ")
                .contains(" of memory, not 900 TB");
    }

    @Test
    void aPersonInARealTerminal() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "needs script of util-linux");
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        ProcessBuilder terminal =
                new ProcessBuilder(
                        "/usr/bin/script",
                        "-qfec",
                        java
                                + " --enable-native-access=ALL-UNNAMED org.namdb.cli.Nam"
                                + " sql --memory 64m",
                        "/dev/null");
        terminal.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        terminal.environment().put("XDG_STATE_HOME", directory.toString());
        terminal.environment().put("TERM", "xterm");
        terminal.environment().put("LC_ALL", "C.UTF-8");
        Process process = terminal.redirectErrorStream(true).start();
        // What does not answer is not waited for.
        CompletableFuture.delayedExecutor(2, TimeUnit.MINUTES).execute(process::destroyForcibly);
        try (OutputStream keys = process.getOutputStream()) {
            String text = await(process, "", "namdb=> ");
            keys.write("SELECT 40\r".getBytes(StandardCharsets.UTF_8));
            keys.flush();
            text = await(process, text, "namdb-> ");
            keys.write("+ 2;\r".getBytes(StandardCharsets.UTF_8));
            keys.flush();
            text = await(process, text, "(1 row)");
            assertThat(text).contains("42");
            keys.write("\\q\r".getBytes(StandardCharsets.UTF_8));
            keys.flush();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).isZero();
        assertThat(Files.readString(directory.resolve("namdb").resolve("history")))
                .contains("SELECT 40");
    }

    /// Reads until a text appears that wasn't there before.
    private static String await(Process process, String before, String wanted) throws IOException {
        StringBuilder text = new StringBuilder(before);
        byte[] bytes = new byte[4_096];
        while (text.indexOf(wanted, before.length()) < 0) {
            int count = process.getInputStream().read(bytes);
            assertThat(count).as("waiting for '%s' after: %s", wanted, text).isPositive();
            text.append(new String(bytes, 0, count, StandardCharsets.UTF_8));
        }
        return text.toString();
    }
}

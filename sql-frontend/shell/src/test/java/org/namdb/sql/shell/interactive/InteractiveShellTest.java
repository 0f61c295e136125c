package org.namdb.sql.shell.interactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jline.terminal.Size;
import org.jline.terminal.impl.LineDisciplineTerminal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.sql.shell.FakeDatabase;
import org.namdb.sql.shell.ShellOptions;

/// The shell in a terminal that a test types into.
@Timeout(60)
class InteractiveShellTest {
    private static final String TAB = "\t";
    private static final String LEFT = "\u001bOD";
    private static final String UP = "\u001bOA";
    private static final String CTRL_C = "\u0003";
    private static final String CTRL_D = "\u0004";
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final FakeDatabase database = new FakeDatabase();
    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();

    @TempDir private Path directory;
    private LineDisciplineTerminal terminal;
    private FutureTask<Integer> shell;
    private int seen;

    @BeforeEach
    void open() throws IOException {
        terminal = new LineDisciplineTerminal("test", "xterm", screen, StandardCharsets.UTF_8);
        terminal.setSize(new Size(100, 40));
        start();
        await("namdb=> ");
    }

    private void start() {
        Path history = directory.resolve("history");
        shell =
                new FutureTask<>(() ->
                        InteractiveShell.run(
                                database, new ShellOptions(), terminal, history, false));
        Thread.ofPlatform().name("shell").daemon().start(shell);
    }

    @AfterEach
    void close() throws Exception {
        type(CTRL_C);
        type(CTRL_D);
        assertThat(shell.get(30, TimeUnit.SECONDS)).isZero();
        terminal.close();
    }

    private void type(String keys) throws IOException {
        terminal.processInputBytes(keys.getBytes(StandardCharsets.UTF_8));
    }

    /// What is on the screen since the last thing that was waited for, without escape sequences.
    private String text() {
        return screen.toString(StandardCharsets.UTF_8)
                .replaceAll("\u001b\\[[0-9;?]*[A-Za-z]|\u001b[=>]|\u0007", "");
    }

    private void await(String wanted) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (text().indexOf(wanted, seen) < 0) {
            assertThat(System.nanoTime())
                    .as("waiting for '%s' in: %s", wanted, text().substring(seen))
                    .isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        seen = text().indexOf(wanted, seen) + wanted.length();
    }

    @Test
    void aBannerSaysWhatItIsAndHowToLeave() {
        assertThat(text())
                .contains("NamDB: a fake database")
                .contains("It knows a few statements.")
                .contains("\\q or Ctrl-D leaves.");
    }

    @Test
    void aStatementOfManyLinesShowsWhatIsOpen() throws IOException {
        type("SELECT\r");
        await("namdb-> ");
        type("'a\r");
        await("namdb'> ");
        type("'; SELECT (\r");
        await("namdb(> ");
        type("1);\r");
        await("ERROR 42703");
        await("^^");
        await("namdb=> ");
        assertThat(database.statements).containsExactly("SELECT\n'a\n'", "SELECT (\n1)");
    }

    @Test
    void thePromptShowsTheTransactionAndTheSession() throws IOException {
        type("BEGIN;\r");
        await("namdb*=> ");
        type("SELECT nmae;\r");
        await("HINT:");
        await("namdb!=> ");
        type("\\session b\r");
        await("b namdb=> ");
        type("\\session a\r");
        await("a namdb!=> ");
        type("rollback;\r");
        await("a namdb=> ");
        type("\\session -b\r");
        await("namdb=> ");
    }

    @Test
    void rowsAreInAFrameAndNullIsNamed() throws IOException {
        type("select accounts;\r");
        await("│  2 │ NULL  │");
        await("(2 rows)");
        await("namdb=> ");
    }

    @Test
    void tabCompletesTablesColumnsAndCommands() throws IOException {
        type("\\timi" + TAB + "on\r");
        await("Timing is on.");
        type("\\d acc" + TAB + "\r");
        await("Table \"accounts\"");
        type("sel" + TAB + "1;\r");
        await("(1 row)");
        type("SELECT 2 FROM aud" + TAB + ";\r");
        await("audit");
        await("ERROR");
        String rest = " FROM accounts a;";
        type("SELECT a.ow" + rest + LEFT.repeat(rest.length()) + TAB + "\r");
        await("ERROR");
        assertThat(database.statements.getLast()).startsWith("SELECT a.owner FROM accounts");
        assertThat(database.statements).contains("select 1", "SELECT 2 FROM audit");
    }

    @Test
    void columnsOfTheStatementsTablesAreKnown() throws IOException {
        type("UPDATE accounts SET own" + TAB + "= 1;\r");
        await("ERROR");
        assertThat(database.statements).containsExactly("UPDATE accounts SET owner = 1");
    }

    @Test
    void ctrlCClearsTheLineAndStopsAStatement() throws IOException {
        type("SELECT 'half");
        await("'half");
        type(CTRL_C);
        await("namdb=> ");
        type("SELECT forever;\r");
        awaitStatement("SELECT forever");
        type(CTRL_C);
        await("ERROR 57014");
        await("namdb=> ");
        type("SELECT 8;\r");
        await("(1 row)");
    }

    @Test
    void wordsOfNewUsersAreCommandsWhereNothingIsBegun() throws Exception {
        type("\\pset pager off\r");
        await("pager is off.");
        type("help\r");
        await("this list");
        await("namdb=> ");
        type("SELECT\r");
        await("namdb-> ");
        type("exit;\r");
        await("ERROR 42703");
        await("namdb=> ");
        type("exit\r");
        assertThat(shell.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(database.statements).containsExactly("SELECT\nexit");
    }

    @Test
    void wordsOfNewUsersBehindAForgottenSemicolonGetAHint() throws Exception {
        type("SELECT 8\r");
        await("namdb-> ");
        type("help\r");
        await(
                "\"help\" belongs to the statement that has begun: a semicolon ends it, Ctrl-C drops it. \\? lists commands.");
        await("namdb-> ");
        type("exit\r");
        await("\"exit\" belongs to the statement");
        await("\\q leaves.");
        await("namdb-> exit");
        await("namdb-> ");
        type(CTRL_C);
        await("namdb=> ");
        type("SELECT 'a\r");
        await("namdb'> ");
        type("help\r");
        await("namdb'> ");
        assertThat(text().substring(seen)).doesNotContain("belongs");
        type("';\r");
        await("namdb=> ");
        assertThat(database.statements).containsExactly("SELECT 'a\nhelp\n'");
    }

    @Test
    void whatIsLoggedStandsAboveThePrompt() throws Exception {
        type("SELECT 8");
        await("SELECT 8");
        System.err.println("WARN a compute server was declared dead");
        await("WARN a compute server was declared dead");
        await("namdb=> SELECT 8");
        type(";\r");
        await("(1 row)");
        assertThat(database.statements).containsExactly("SELECT 8");
    }

    @Test
    void ctrlCClearsTheLineWhileCompletionsAreListed() throws IOException {
        type("SELECT 1 FROM a" + TAB + TAB);
        await("audit");
        type(CTRL_C);
        await("namdb=> ");
        type("SELECT 8;\r");
        await("(1 row)");
        assertThat(database.statements).containsExactly("SELECT 8");
    }

    private void awaitStatement(String statement) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (!database.statements.contains(statement)) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Test
    void ctrlCEndsAWatch() throws IOException {
        type("SELECT 3;\r");
        await("(1 row)");
        type("\\watch 3600\r");
        await("(1 row)");
        type(CTRL_C);
        await("namdb=> ");
    }

    @Test
    void ctrlDWithAnOpenTransactionSaysThatItIsRolledBack() throws Exception {
        type("BEGIN;\r");
        await("namdb*=> ");
        type(CTRL_D);
        await("The open transaction was rolled back.");
        assertThat(shell.get(30, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void historyOutlivesTheShellButPasswordsDoNot() throws Exception {
        type("SELECT 41;\r");
        await("(1 row)");
        type("SELECT 1 password 'secret';\r");
        await("ERROR");
        type("\\q\r");
        assertThat(shell.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(Files.readString(directory.resolve("history")))
                .contains("SELECT 41")
                .doesNotContain("secret");
        start();
        await("namdb=> ");
        type(UP + UP + "\r");
        await("(1 row)");
        assertThat(database.statements).filteredOn("SELECT 41"::equals).hasSize(2);
    }

    @Test
    void copyReadsRowsThatAreTyped() throws IOException {
        type("COPY t FROM STDIN;\r");
        await(">> ");
        type("1;'a\r");
        await(">> ");
        type("\\.\r");
        await("COPY 1");
        assertThat(database.copied.toString()).isEqualTo("1;'a\n");
    }

    @Test
    void tabsInRowsThatAreTypedStay() throws IOException {
        type("COPY t FROM STDIN;\r");
        await(">> ");
        type("1" + TAB + "a\r");
        await(">> ");
        type("\\.\r");
        await("COPY 1");
        assertThat(database.copied.toString()).isEqualTo("1\ta\n");
    }

    @Test
    void rowsBehindAMistakeAreNoStatements() throws IOException {
        type("COPY bad FROM STDIN;\r");
        await(">> ");
        type("x\r");
        await(">> ");
        type("SELECT 1;\r");
        await(">> ");
        type("\\.\r");
        await("CONTEXT:  COPY bad, line 1");
        await("namdb=> ");
        type("COPY bad FROM STDIN;\r");
        await(">> ");
        type("x\r");
        await(">> ");
        type(CTRL_C);
        await("CONTEXT:  COPY bad, line 1");
        await("namdb=> ");
        assertThat(database.statements).doesNotContain("SELECT 1");
    }

    @Test
    void ctrlCEndsACopyThatIsTyped() throws IOException {
        type("COPY t FROM STDIN;\r");
        await(">> ");
        type("1;");
        await("1;");
        type(CTRL_C);
        await("ERROR 57014");
        await("namdb=> ");
        type("SELECT 8;\r");
        await("(1 row)");
    }
}

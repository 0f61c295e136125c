package org.namdb.sql.shell.interactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.sql.shell.FakeDatabase;

/// The shell in a terminal, before a database that is not one.
@Timeout(60)
class InteractiveShellTest {
    private static final String TAB = "\t";
    private static final String LEFT = "\u001bOD";
    private static final String UP = "\u001bOA";

    private final FakeDatabase database = new FakeDatabase();

    @TempDir private Path directory;
    private TypedShell shell;

    @BeforeEach
    void open() throws IOException {
        shell = new TypedShell(database, history());
    }

    private Path history() {
        return directory.resolve("history");
    }

    @AfterEach
    void close() throws Exception {
        shell.close();
    }

    private void type(String keys) throws IOException {
        shell.type(keys);
    }

    private void await(String wanted) {
        shell.await(wanted);
    }

    @Test
    void aBannerSaysWhatItIsAndHowToLeave() {
        assertThat(shell.text())
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
        await("namdb=> ");
        type("\\d acc" + TAB + "\r");
        await("Table \"accounts\"");
        await("namdb=> ");
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
        type(TypedShell.CTRL_C);
        await("namdb=> ");
        type("SELECT forever;\r");
        awaitStatement("SELECT forever");
        type(TypedShell.CTRL_C);
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
        shell.awaitEnd();
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
        type(TypedShell.CTRL_C);
        await("namdb=> ");
        type("SELECT 'a\r");
        await("namdb'> ");
        type("help\r");
        await("namdb'> ");
        assertThat(shell.newText()).doesNotContain("belongs");
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
        type(TypedShell.CTRL_C);
        await("namdb=> ");
        type("SELECT 8;\r");
        await("(1 row)");
        assertThat(database.statements).containsExactly("SELECT 8");
    }

    private void awaitStatement(String statement) {
        long deadline = System.nanoTime() + TypedShell.TIMEOUT_NANOS;
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
        type(TypedShell.CTRL_C);
        await("namdb=> ");
    }

    @Test
    void ctrlDWithAnOpenTransactionSaysThatItIsRolledBack() throws Exception {
        type("BEGIN;\r");
        await("namdb*=> ");
        type(TypedShell.CTRL_D);
        await("The open transaction was rolled back.");
        shell.awaitEnd();
    }

    @Test
    void historyOutlivesTheShellButPasswordsDoNot() throws Exception {
        type("SELECT 41;\r");
        await("(1 row)");
        type("SELECT 1 password 'secret';\r");
        await("ERROR");
        type("\\q\r");
        shell.awaitEnd();
        assertThat(Files.readString(history())).contains("SELECT 41").doesNotContain("secret");
        shell.start(database, history());
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
        type(TypedShell.CTRL_C);
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
        type(TypedShell.CTRL_C);
        await("ERROR 57014");
        await("namdb=> ");
        type("SELECT 8;\r");
        await("(1 row)");
    }
}

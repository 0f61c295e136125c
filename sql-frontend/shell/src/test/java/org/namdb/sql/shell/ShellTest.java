package org.namdb.sql.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.sql.shell.format.OutputFormat;
import org.namdb.sql.shell.format.PrintSettings;

/// What the shell does with the lines of a script.
class ShellTest {
    private final FakeDatabase database = new FakeDatabase();
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();
    private final PrintSettings print = new PrintSettings();

    @TempDir private Path directory;

    private boolean run(boolean stopsOnError, String text) {
        Screen screen = Screen.of(new PrintWriter(output), new PrintWriter(errors));
        try (Shell shell = new Shell(database, screen, print, stopsOnError)) {
            return shell.run(LineSource.of(text));
        }
    }

    @BeforeEach
    void withoutHeaders() {
        print.border(0);
    }

    @Test
    void rowsTagsAndTheLastStatementWithoutASemicolon() {
        assertThat(run(true, "BEGIN; SELECT 7;\nINSERT;\nCOMMIT")).isTrue();
        assertThat(output.toString()).isEqualTo("BEGIN\nn\n-\n7\n(1 row)\nINSERT 0 1\nCOMMIT\n");
    }

    @Test
    void anErrorIsMarkedAndEndsAScript() {
        assertThat(run(true, "SELECT nmae;\nSELECT 1;")).isFalse();
        assertThat(errors.toString())
                .isEqualTo(
                        """
                        ERROR 42703: column "nmae" does not exist
                        LINE 1: SELECT nmae
                                       ^^^^
                        HINT:  Perhaps you meant "name".
                        """);
        assertThat(database.statements).containsExactly("SELECT nmae");
    }

    @Test
    void anErrorOfAFileNamesItsLine() throws IOException {
        Path file = Files.writeString(directory.resolve("a b.sql"), "SELECT 1;\n\nSELECT oops;\n");
        assertThat(run(false, "\\i " + file + "\nSELECT 2;")).isTrue();
        assertThat(errors.toString()).startsWith(file + ":3: ERROR 42703: ");
        assertThat(database.statements).endsWith("SELECT 2");
    }

    @Test
    void aFileThatIncludesItselfEnds() throws IOException {
        Path file = directory.resolve("loop.sql");
        Files.writeString(file, "\\i " + file + "\n");
        run(true, "\\i " + file);
        assertThat(errors.toString()).contains("too many files include one another");
    }

    @Test
    void anOpenTransactionIsRolledBackAtTheEnd() {
        run(true, "BEGIN;\n\\session b\nBEGIN;\n\\sessions\n\\q\nSELECT 1;");
        assertThat(errors.toString())
                .contains("New session b.")
                .contains("The open transaction of session a was rolled back.")
                .contains("The open transaction of session b was rolled back.");
        assertThat(output.toString()).contains("b          1 in a transaction this one");
        assertThat(database.statements).doesNotContain("SELECT 1");
    }

    @Test
    void theSessionThatBlocksASchemaChangeIsNamed() {
        run(false, "\\session b\nBEGIN;\n\\session a\nDROP;\n");
        assertThat(errors.toString())
                .contains(
                        "ERROR 55P03: the schema can't be changed\nSession b (slot 1) is in a transaction.\n");
    }

    @Test
    void copyTakesTheLinesUpToItsEnd() {
        run(true, "COPY t FROM STDIN;\n1\tAda\n2\t;\n\\.\nSELECT 5;\n");
        assertThat(database.copied.toString()).isEqualTo("1\tAda\n2\t;\n");
        assertThat(output.toString()).startsWith("COPY 2\n").contains("5");
    }

    @Test
    void copyReadsAndWritesFilesOfThisMachine() throws IOException {
        Path in = Files.writeString(directory.resolve("in"), "1\n2\n3\n");
        Path out = directory.resolve("it's out");
        run(
                true,
                "\\copy t (a, b) from '%s' csv header\n\\copy (select a from t) to '%s'\n"
                        .formatted(in, out.toString().replace("'", "''")));
        assertThat(database.statements)
                .containsExactly(
                        "COPY t (a, b) FROM STDIN csv header", "COPY (select a from t) TO STDOUT");
        assertThat(Files.readString(out)).isEqualTo("1\tAda\n");
        assertThat(output.toString()).isEqualTo("COPY 3\nCOPY 1\n");
    }

    @Test
    void resultsGoToAFileAndBack() throws IOException {
        Path file = directory.resolve("out");
        run(true, "\\o " + file + "\nSELECT 1;\n\\o\nSELECT 2;\n");
        assertThat(Files.readString(file)).isEqualTo("n\n-\n1\n(1 row)\n");
        assertThat(output.toString()).isEqualTo("n\n-\n2\n(1 row)\n");
    }

    @Test
    void verbsTimesAndPlansAroundAStatement() {
        run(true, "\\verbs on\n\\explain on\n\\timing\nSELECT 1;\n");
        assertThat(output.toString())
                .matches(
                        """
                        Scan accounts
                        n
                        -
                        1
                        \\(1 row\\)
                        Time: [0-9]+\\.[0-9]{3} ms
                        12 READ, 1 WRITE, 1 CAS · 4\\.2 KB · 3 round trips
                        """);
    }

    @Test
    void aFailedStatementAndCopyHaveATimeToo() throws IOException {
        Path in = Files.writeString(directory.resolve("in"), "1\n");
        run(false, "\\timing\nSELECT oops;\n\\copy t from '" + in + "'\n\\d nothing\n");
        assertThat(output.toString()).matches("Time: [0-9.]+ ms\nCOPY 1\nTime: [0-9.]+ ms\n");
    }

    @Test
    void theDataOfACopyHasNoTagInIt() {
        run(true, "COPY t TO STDOUT;\n\\copy t to stdout\n");
        assertThat(output.toString()).isEqualTo("1\tAda\n1\tAda\n");
    }

    @Test
    void anErrorInALineOfDataNamesItInItsContext() {
        run(false, "COPY bad FROM STDIN;\nx\n\\.\n");
        assertThat(errors.toString())
                .isEqualTo(
                        """
                        ERROR 22P02: invalid input syntax for type integer: "x"
                        CONTEXT:  COPY bad, line 1
                        """);
    }

    @Test
    void aLongLineIsCutAroundThePlace() {
        run(false, "SELECT " + "nmae".repeat(50));
        assertThat(errors.toString().lines().skip(1))
                .startsWith(
                        "LINE 1: SELECT " + "nmae".repeat(15) + "n...",
                        " ".repeat(15) + "^".repeat(61));
    }

    @Test
    void aTableIsDescribedWithAllThatIsKnown() {
        run(true, "\\d Accounts;");
        assertThat(output.toString())
                .isEqualTo(
                        """
                        Table "accounts"
                        column    type     nullable default
                        ------ ----------- -------- --------
                        id     INTEGER     not null
                        owner  VARCHAR(40)          'nobody'
                        Indexes:
                            "accounts_pkey" PRIMARY KEY (id)
                            "accounts_owner_key" UNIQUE (owner)
                        Checks:
                            "accounts_id_check" CHECK (id > 0)
                        Referenced by:
                            TABLE "audit" CONSTRAINT "audit_fkey" FOREIGN KEY (account) REFERENCES accounts(id)
                        Physical design:
                            2 old versions, buckets of 4, inline
                        """);
    }

    @Test
    void tablesAndIndexesAreFoundByPatterns() {
        run(true, "\\dt *UDI?\n\\di *_key\n\\dt x*\n\\d aud*\n");
        assertThat(output.toString())
                .isEqualTo(
                        """
                        table columns primary key indexes
                        ----- ------- ----------- -------
                        audit       1                   0
                              index         table   columns  kind
                        ------------------ -------- ------- ------
                        accounts_owner_key accounts owner   UNIQUE
                        Table "audit"
                        column   type   nullable default
                        ------- ------- -------- -------
                        account INTEGER
                        """);
        assertThat(errors.toString()).isEqualTo("There is no table \"x*\".\n");
    }

    @Test
    void whatTheShellListsIsATableThoughRowsAreExpanded() {
        run(true, "\\x on\n\\sessions\nSELECT 1;\n");
        assertThat(output.toString())
                .startsWith(
                        "session slot state\n------- ---- ----- --------\na          0 idle  this one\n")
                .contains("-- row 1 ");
    }

    @Test
    void valuesAloneAndUnalignedBySingleLetters() {
        run(true, "\\t\n\\a\nselect accounts;\n\\a\n\\t off\nSELECT 1;\n");
        assertThat(output.toString()).isEqualTo("1|Ada\n2|\nn\n-\n1\n(1 row)\n");
        assertThat(errors.toString())
                .isEqualTo(
                        "tuples_only is on.\nFormat is unaligned.\nFormat is aligned.\ntuples_only is off.\n");
    }

    @Test
    void theSnapshotSlotBySlot() {
        run(true, "BEGIN;\n\\tx\n");
        assertThat(output.toString())
                .contains(
                        """
                        session a, slot 0: in a transaction, its snapshot is 1.5 s old
                        snapshot: the last commit that it sees of each slot (* its own)
                           slot 0* 1234   slot 3    17
                        write set: 2 rows
                        old versions that this session has to keep: 640 bytes
                        """);
    }

    @Test
    void watchRunsAStatementAgain() {
        run(true, "SELECT 4;\n\\watch 0.1 3\n");
        assertThat(database.statements).hasSize(4);
        assertThat(output.toString())
                .containsPattern("\n[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} \\(every 0.1 s\\)\n");
    }

    @Test
    void rowsForAProgramHaveNoHeadingOfAWatch() {
        print.format(OutputFormat.CSV);
        run(true, "SELECT 4 \\watch 0.1 2\n");
        assertThat(output.toString()).isEqualTo("n\n4\nn\n4\n");
    }

    @Test
    void theListOfCommandsFitsANarrowTerminal() {
        Screen narrow = new ScreenOfWidth(60, new PrintWriter(output), new PrintWriter(errors));
        try (Shell shell = new Shell(database, narrow, print, true)) {
            shell.run(LineSource.of("\\?"));
        }
        assertThat(output.toString().lines()).allMatch(line -> line.length() <= 60);
        assertThat(output.toString())
                .contains("\n  \\h [statement]           the syntax of a statement, or\n");
    }

    private record ScreenOfWidth(int columns, PrintWriter out, PrintWriter errors)
            implements Screen {
        @Override
        public boolean isTerminal() {
            return false;
        }

        @Override
        public int rows() {
            return 24;
        }
    }

    @Test
    void aStatementWithoutASemicolonRunsByG() {
        run(true, "SELECT 1 \\gx\n\\p\n");
        assertThat(output.toString()).startsWith("-- row 1 ").endsWith("SELECT 1\n");
    }

    @Test
    void everyCommandIsInTheList() {
        run(true, "\\?");
        for (MetaCommand command : MetaCommand.values()) {
            assertThat(output.toString()).contains("\\" + command.word() + " ");
        }
    }

    @Test
    void helpFindsStatementsByTheirFirstWords() {
        run(true, "\\h\n\\h create\n\\h select\n");
        assertThat(output.toString())
                .contains("CREATE TABLE, CREATE TABLE AS: makes a table")
                .contains("CREATE INDEX: makes an index")
                .contains("SELECT [DISTINCT]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "\\nonsense | there is no command \\nonsense; \\? lists those there are",
                "\\d nothing | there is no table \"nothing\"; \\dt lists those there are",
                "\\x perhaps | on or off, not \"perhaps\"",
                "\\pset border 7 | border is 0, 1 or 2",
                "\\pset colour red | there is no option \"colour\"",
                "\\format xml | there is no format \"xml\"",
                "\\i | \\i needs a file",
                "\\i /nowhere/x.sql | /nowhere/x.sql can't be read: there is no such file",
                "\\o /nowhere/x | /nowhere/x can't be written: there is no such file",
                "\\copy nonsense | \\copy table|(query) from|to 'file' [options]",
                "\\session a/b | a session's name is 1 to 16 letters and digits",
                "\\session -z | there is no session \"z\"",
                "\\session -a | this is the only session; \\q leaves",
                "\\watch soon | a number, not \"soon\"",
                "\\watch 0 | \\watch waits 0.1 seconds to a day",
                "\\watch 1 0 | \\watch runs a statement once or more often",
                "\\g | there is no statement yet",
                "\\h nonsense | there is no help on \"nonsense\"",
                "\\echo 'a | a quote is not closed",
                "\\e | \\e needs a terminal"
            })
    void mistakesInMetaCommandsSayWhatIsPossible(String line, String message) {
        assertThat(run(true, line)).isFalse();
        assertThat(errors.toString()).startsWith("ERROR: " + message);
    }

    @Test
    void settingsAreListed() {
        run(true, "\\pset null '-'\n\\pset\n");
        assertThat(errors.toString()).isEqualTo("null is -.\n");
        assertThat(output.toString()).contains("linestyle   ascii").contains("null        -");
    }
}

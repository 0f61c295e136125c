package org.namdb.sql.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.sql.shell.ShellOptions.FileInput;
import org.namdb.sql.shell.ShellOptions.TextInput;
import org.namdb.sql.shell.format.OutputFormat;

/// The shell without a person at its input, and its exit status.
class SqlShellTest {
    private static final SqlShell.Interactive NO_TERMINAL =
            (_, _) -> {
                throw new AssertionError("there is no terminal");
            };

    private final FakeDatabase database = new FakeDatabase();
    private final ShellOptions options = new ShellOptions();
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @TempDir private Path directory;

    private int run(byte[] input) {
        return new SqlShell(
                        options,
                        NO_TERMINAL,
                        () -> database,
                        new ByteArrayInputStream(input),
                        new PrintWriter(output),
                        new PrintWriter(errors))
                .run();
    }

    /// Runs with an output that can't be written to.
    private int runLosing(String reason, String input) {
        Writer lost =
                new Writer() {
                    @Override
                    public void write(char[] characters, int offset, int length)
                            throws IOException {
                        throw new IOException(reason);
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        return new SqlShell(
                        options,
                        NO_TERMINAL,
                        () -> database,
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                        ResultWriter.of(lost),
                        new PrintWriter(errors))
                .run();
    }

    private int run(String input) {
        options.inputs().add(new FileInput(Path.of("-")));
        return run(input.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aPipeHasNoPromptsAndNoColours() {
        assertThat(run("select accounts;\n")).isZero();
        assertThat(output.toString())
                .isEqualTo(" id | owner\n----+-------\n  1 | Ada\n  2 |\n(2 rows)\n");
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void anErrorStopsAPipeAndIsTheStatus() {
        assertThat(run("SELECT 1;\nSELECT x;\nSELECT 2;")).isEqualTo(1);
        assertThat(errors.toString()).startsWith("stdin:2: ERROR 42703: ");
        assertThat(database.statements).containsExactly("SELECT 1", "SELECT x");
    }

    @Test
    void anErrorIsTheStatusThoughTheRestIsRun() {
        options.stopOnError(false);
        assertThat(run("SELECT x;\nSELECT 2;")).isEqualTo(1);
        assertThat(database.statements).containsExactly("SELECT x", "SELECT 2");
    }

    @Test
    void commandsAndFilesRunInOrderInOneSession() throws IOException {
        Path file = Files.writeString(directory.resolve("two.sql"), "SELECT 2;\n");
        Path init = Files.writeString(directory.resolve("init.sql"), "SELECT 0;\n");
        options.init(init);
        options.inputs().add(new TextInput("BEGIN; SELECT 1"));
        options.inputs().add(new FileInput(file));
        options.inputs().add(new TextInput("SELECT 3; COMMIT"));
        assertThat(run(new byte[0])).isZero();
        assertThat(database.statements)
                .containsExactly("SELECT 0", "BEGIN", "SELECT 1", "SELECT 2", "SELECT 3", "COMMIT");
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void aFileThatIsNotThereIsWrongUsageBeforeAnythingRuns() {
        options.inputs().add(new TextInput("SELECT 1"));
        options.inputs().add(new FileInput(directory.resolve("none.sql")));
        assertThat(run(new byte[0])).isEqualTo(2);
        assertThat(errors.toString())
                .endsWith("none.sql can't be read: there is no such file or directory\n");
        assertThat(database.statements).isEmpty();
    }

    @Test
    void anOutputThatCannotBeIsWrongUsage() {
        options.output(directory);
        assertThat(run("SELECT 1;")).isEqualTo(2);
    }

    @Test
    void aProgramsFormatHasNothingElseInIt() {
        options.print().format(OutputFormat.JSON);
        assertThat(run("BEGIN; INSERT; select accounts; COMMIT;")).isZero();
        assertThat(output.toString())
                .isEqualTo("[{\"id\":1,\"owner\":\"Ada\"},\n {\"id\":2,\"owner\":null}]\n");
    }

    @Test
    void inputThatIsNoTextIsAnError() {
        options.inputs().add(new FileInput(Path.of("-")));
        assertThat(run(new byte[] {'S', (byte) 0xff, '\n'})).isEqualTo(1);
        assertThat(errors.toString()).contains("stdin is no text in UTF-8");
    }

    @Test
    void theDataOfACopyStandsInThePipe() {
        assertThat(run("COPY t FROM STDIN;\n1\n2\n\\.\nSELECT 9;\n")).isZero();
        assertThat(database.copied.toString()).isEqualTo("1\n2\n");
        assertThat(database.statements).containsExactly("COPY t FROM STDIN", "SELECT 9");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1;",
                "select many;",
                "COPY t TO STDOUT;",
                "\\copy t to stdout",
                "BEGIN;",
                "\\echo hello",
                "\\d accounts"
            })
    void aFullDiskIsNoticed(String line) {
        assertThat(runLosing("No space left on device", line + "\nSELECT 2;\n")).isEqualTo(1);
        assertThat(errors.toString())
                .startsWith(
                        "stdin:1: ERROR: standard output can't be written: No space left on device\n");
        assertThat(database.statements).doesNotContain("SELECT 2");
    }

    @Test
    void afterALostResultTheRestIsRunIfAsked() {
        options.stopOnError(false);
        assertThat(runLosing("No space left on device", "SELECT 1;\nSELECT 2;\n")).isEqualTo(1);
        assertThat(errors.toString()).containsSubsequence("stdin:1: ERROR", "stdin:2: ERROR");
    }

    @Test
    void aReaderThatHasSeenEnoughEndsItQuietly() {
        assertThat(runLosing("Broken pipe", "COPY t TO STDOUT;\nSELECT 2;\n")).isZero();
        assertThat(runLosing("Broken pipe", "SELECT 1;\nSELECT 2;\n")).isZero();
        assertThat(errors.toString()).isEmpty();
        assertThat(database.statements).containsExactly("COPY t TO STDOUT", "SELECT 1");
    }

    @Test
    void aFullDiskIsNoticedInFilesThatTheUserNames() {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "needs a device that is full");
        options.output(full);
        assertThat(run("SELECT 1;\n")).isEqualTo(1);
        assertThat(errors.toString())
                .startsWith(
                        "stdin:1: ERROR: /dev/full can't be written: No space left on device\n");
        assertThat(output.toString()).isEmpty();
    }

    @Test
    void aByteOrderMarkIsNoText() throws IOException {
        Path script = Files.writeString(directory.resolve("s.sql"), "\ufeffSELECT 1;\n");
        Path rows = Files.writeString(directory.resolve("rows"), "\ufeff7\n");
        options.inputs().add(new FileInput(script));
        assertThat(run("\ufeff\\copy t from '" + rows + "'\nSELECT 2;")).isZero();
        assertThat(database.statements)
                .containsExactly("SELECT 1", "COPY t FROM STDIN", "SELECT 2");
        assertThat(database.copied.toString()).isEqualTo("7\n");
    }
}

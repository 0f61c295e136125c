package org.namdb.sql.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.sql.shell.ShellOptions.FileInput;
import org.namdb.sql.shell.ShellOptions.TextInput;
import org.namdb.sql.shell.format.OutputFormat;

/// What the shell runs where nobody types, and its exit status.
class SqlShellTest {
    private final FakeDatabase database = new FakeDatabase();
    private final ShellOptions options = new ShellOptions();
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @TempDir private Path directory;

    private int run(byte[] input) {
        return new SqlShell(
                        options,
                        () -> database,
                        new ByteArrayInputStream(input),
                        new PrintWriter(output),
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
}

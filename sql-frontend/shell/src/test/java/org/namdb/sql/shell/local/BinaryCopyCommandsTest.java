package org.namdb.sql.shell.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.sql.shell.LineSource;
import org.namdb.sql.shell.ResultWriter;
import org.namdb.sql.shell.Screen;
import org.namdb.sql.shell.Shell;
import org.namdb.sql.shell.format.PrintSettings;

/// The binary format of COPY in the shell: to its output, and to and from files.
class BinaryCopyCommandsTest {
    private static final String ROWS =
            "CREATE TABLE t (id INT PRIMARY KEY, name TEXT, price NUMERIC(9, 2), at TIMESTAMP);"
                    + " INSERT INTO t VALUES (1, 'Gräfin', 1.50, '2024-02-29 12:00'), (2, NULL, -7,"
                    + " NULL);";

    private final LocalDatabase database =
            LocalDatabase.of(NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(256L << 20)));
    private final StringWriter errors = new StringWriter();

    @TempDir private Path directory;

    @AfterEach
    void close() {
        database.close();
    }

    private void run(PrintWriter output, String lines) {
        Screen screen = Screen.of(output, new PrintWriter(errors));
        try (Shell shell = new Shell(database, screen, new PrintSettings(), true)) {
            boolean _ = shell.run(LineSource.of(lines));
        }
        output.flush();
    }

    private byte[] output(String lines) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        run(ResultWriter.of(output), lines);
        return output.toByteArray();
    }

    @Test
    void bytesGoToTheOutputAndToFilesAndBack() throws IOException {
        Path file = directory.resolve("rows.bin");
        output(ROWS + "\n\\copy (SELECT * FROM t ORDER BY id) to '" + file + "' (format binary)");
        byte[] written = Files.readAllBytes(file);
        assertThat(written).startsWith("PGCOPY\n".getBytes(StandardCharsets.US_ASCII));
        String copy = "COPY (SELECT * FROM t ORDER BY id) TO STDOUT (FORMAT binary);\n";
        assertThat(output(copy)).isEqualTo(written);
        assertThat(output("\\copy (SELECT * FROM t ORDER BY id) to stdout (format binary)"))
                .isEqualTo(written);
        Path other = directory.resolve("other.bin");
        output("\\o " + other + "\n" + copy);
        assertThat(other).hasBinaryContent(written);
        assertThat(
                        new String(
                                output(
                                        "CREATE TABLE u AS SELECT * FROM t WHERE false;\n\\copy u from '"
                                                + file
                                                + "' (format binary)\nCOPY (SELECT * FROM u ORDER BY id)"
                                                + " TO STDOUT;\n"),
                                StandardCharsets.UTF_8))
                .endsWith("1\tGräfin\t1.50\t2024-02-29 12:00:00\n2\t\\N\t-7.00\t\\N\n");
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void aTerminalGetsNoBytes() {
        output(ROWS);
        StringWriter text = new StringWriter();
        run(new PrintWriter(text), "COPY t TO STDOUT (FORMAT binary);\n");
        assertThat(text.toString()).isEmpty();
        assertThat(errors.toString())
                .isEqualTo(
                        "ERROR: the binary format is not shown on a terminal; \\copy .. to 'file' (format"
                                + " binary) writes it to a file\n");
    }
}

package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/// `nam check` as its user meets it: what it prints where, and its exit status.
class CheckCommandTest {
    private static final String LEGAL =
            """
            {"tid":1,"sid":"a","status":"ok","i":0,"t":1,"b":10,"e":20,"snap":[0],"ops":[["r",7,0],["w",7,70]]}
            {"tid":2,"sid":"b","status":"ok","i":-1,"t":-1,"b":30,"e":40,"snap":[1],"ops":[["r",7,70]]}
            """;

    /// Transaction 2 doesn't see what was committed before it began.
    private static final String STALE =
            LEGAL.replace("[1]", "[0]").replace("[\"r\",7,70]", "[\"r\",7,0]");

    @TempDir private Path directory;

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int nam(String... arguments) {
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        return nam.execute(arguments);
    }

    private String file(String text) throws IOException {
        return Files.writeString(directory.resolve("history.jsonl"), text).toString();
    }

    @Test
    void aLegalHistoryIsStatusZeroAndAShortSummary() throws IOException {
        assertThat(nam("check", file(LEGAL))).isZero();
        assertThat(output.toString())
                .startsWith("Snapshot isolation holds.\n")
                .contains("transactions    2: 2 ok, 0 failed, 0 of unknown outcome\n")
                .contains("real-time");
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void aViolationIsStatusOneAndAnExplanation() throws IOException {
        assertThat(nam("check", file(STALE))).isEqualTo(1);
        assertThat(output.toString())
                .startsWith("Snapshot isolation is VIOLATED.\n")
                .contains("Broken rule: real-time ")
                .contains("T1 --rt--> T2 --rw(k7)--> T1\n");
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void staleSnapshotsMayBeAllowed() throws IOException {
        assertThat(nam("check", "--allow-stale", file(STALE))).isZero();
        assertThat(output.toString()).contains("not checked     real-time\n");
    }

    @Test
    void aMinusIsStandardInput() {
        InputStream before = System.in;
        try {
            System.setIn(new ByteArrayInputStream(LEGAL.getBytes(StandardCharsets.UTF_8)));
            assertThat(nam("check", "-")).isZero();
            System.setIn(new ByteArrayInputStream(new byte[0]));
            assertThat(nam("check", "-")).isEqualTo(2);
        } finally {
            System.setIn(before);
        }
        assertThat(errors.toString().lines())
                .containsExactly("nam check: standard input: there are no transactions");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    not JSON          | `, line 1: malformed JSON at column 1`
                    {}                | `, line 1: tid is missing`
                    {"status":"done"} | `, line 1: status must be "ok", "fail" or "info", not "done"`
                    ``                | `: there are no transactions`
                    """)
    void whatIsNoHistoryIsStatusTwoAndOneSentence(String text, String sentence) throws IOException {
        String file = file(text);
        assertThat(nam("check", file)).isEqualTo(2);
        assertThat(errors.toString().lines()).containsExactly("nam check: " + file + sentence);
        assertThat(output.toString()).isEmpty();
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        Path none = directory.resolve("none");
        assertThat(nam("check", none.toString())).isEqualTo(2);
        assertThat(nam("check", directory.toString())).isEqualTo(2);
        assertThat(nam("check", "a\0b")).isEqualTo(2);
        assertThat(errors.toString().lines())
                .containsExactly(
                        "nam check: " + none + ": no such file",
                        "nam check: " + directory + " is a directory",
                        "nam check: 'a\0b' can't be a file's name");
        assertThat(output.toString()).isEmpty();
    }

    @Test
    void aFileMustBeNamed() {
        assertThat(nam("check")).isEqualTo(2);
        assertThat(errors.toString().lines())
                .containsExactly(
                        "nam check: Missing required parameter: 'FILE'",
                        "Try 'nam check --help' for more information.");
    }

    /// Each for itself is no history: one reads what only the other one has written.
    @Test
    void severalFilesAreOneHistory() throws IOException {
        String writer = line(1, "c1-t0", 1, 1, 100, 200, "[0,0]", "[\"w\",7,5]");
        String reader = line(2, "c2-t0", -1, -1, 300, 400, "[0,1]", "[\"r\",7,5]");
        String one = file(writer);
        Path other = Files.writeString(directory.resolve("other.jsonl"), reader);
        assertThat(nam("check", one, other.toString())).as(errors.toString()).isZero();
        assertThat(nam("check", other.toString())).isEqualTo(1);
        assertThat(output.toString()).contains("Broken rule: unwritten-read ");
        assertThat(nam("check", one, one)).isEqualTo(2);
        assertThat(errors.toString()).startsWith("nam check: " + one + ", line 1: ");
    }

    private static String line(
            int tid, String sid, int i, int t, int b, int e, String snap, String op) {
        return "{\"tid\":%d,\"sid\":\"%s\",\"status\":\"ok\",\"i\":%d,\"t\":%d,\"b\":%d,\"e\":%d,\"snap\":%s,\"ops\":[%s]}%n"
                .formatted(tid, sid, i, t, b, e, snap, op);
    }

    @Test
    void helpSaysWhatAHistoryIsWithinEightyColumns() {
        assertThat(nam("check", "--help")).isZero();
        assertThat(output.toString())
                .startsWith("Usage: nam check ")
                .contains("--allow-stale", "\"snap\":[9,4,7,56]", "Exit status:");
        assertThat(output.toString().lines()).allMatch(line -> line.length() <= 80);
        assertThat(nam("--help")).isZero();
        assertThat(output.toString()).containsPattern("check +Checks whether");
    }
}

package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `nam sql --data` is killed by SIGKILL while it inserts rows, repeatedly. What it has answered is
/// there, and of what it had not answered at most one statement.
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledShellTest {
    /// `-Dnamdb.deaths=N`: so many, in place of eight.
    private static final int DEATHS = Integer.getInteger("namdb.deaths", 8);

    @TempDir private Path directory;

    @Test
    @Tag("sample")
    void whatWasAnsweredIsThere() throws Exception {
        kill(3);
    }

    @Test
    @Tag("long")
    void whatWasAnsweredIsThereManyTimes() throws Exception {
        kill(DEATHS);
    }

    private void kill(int rounds) throws Exception {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        Path data = directory.resolve("data");
        String _ =
                run(
                        data,
                        "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20));"
                                + " CREATE INDEX by_name ON t (name)");
        int there = 0;
        try (Programs programs = new Programs(directory)) {
            for (int round = 0; round < rounds; round++) {
                Process shell = start(programs, data, "shell-" + round);
                there = requireWhole(shell, there);
                there = insert(shell, there, 1 + random.nextInt(200));
            }
            Process last = start(programs, data, "last");
            there = requireWhole(last, there);
            last.outputWriter().close();
            assertThat(last.waitFor()).as(() -> programs.errorsOf("last")).isZero();
        }
        assertThat(run(data, "SELECT count(*) FROM t").strip())
                .as("after a clean shutdown")
                .isEqualTo(Integer.toString(2 * there));
    }

    private static Process start(Programs programs, Path data, String name) {
        return programs.start(List.of(), name, Nam.class, "sql", "--memory=64m", "--data=" + data);
    }

    /// The next process, which has opened what the last one left, is queried for it, and then
    /// killed itself.
    ///
    /// @param answered how many pairs of rows there must be, or one more
    /// @return how many there are
    private static int requireWhole(Process shell, int answered) throws IOException {
        int there = Integer.parseInt(ask(shell, "SELECT count(*) FROM t WHERE id > 0"));
        assertThat(there).isBetween(answered, answered + 1);
        if (there > 0) {
            assertThat(ask(shell, "SELECT count(*), min(id), max(id) FROM t"))
                    .isEqualTo("%d|-%d|%d".formatted(2 * there, there, there));
            assertThat(ask(shell, "SELECT id FROM t WHERE name = 'row %d'".formatted(there)))
                    .isEqualTo(Integer.toString(there));
        }
        return there;
    }

    private static String ask(Process shell, String statement) throws IOException {
        Writer statements = shell.outputWriter();
        statements.write(statement + ";\n");
        statements.flush();
        BufferedReader lines = shell.inputReader(); // the test's limit ends it
        for (int head = 0; head < 2; head++) {
            assertThat(lines.readLine()).isNotNull();
        }
        String row = lines.readLine();
        assertThat(lines.readLine()).isEqualTo("(1 row)");
        return row.replace(" ", "");
    }

    /// Inserts one pair of rows after the other, and kills the process some time after it has
    /// answered `answers` statements.
    ///
    /// @return how many pairs there must be
    private static int insert(Process shell, int before, int answers) throws Exception {
        AtomicInteger asked = new AtomicInteger(before);
        Thread writer =
                Thread.ofPlatform()
                        .daemon()
                        .start(() -> {
                            try (Writer statements = shell.outputWriter()) {
                                while (true) {
                                    int id = asked.incrementAndGet();
                                    statements.write(
                                            "INSERT INTO t VALUES (%d, 'row %d'), (-%d, NULL);\n"
                                                    .formatted(id, id, id));
                                    statements.flush();
                                }
                            } catch (IOException e) {
                                // It was killed.
                            }
                        });
        int answered = before;
        try (BufferedReader lines = shell.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                assertThat(line).isEqualTo("INSERT 0 2");
                answered++;
                if (answered == before + answers) {
                    ClusterFixture.kill(shell.toHandle());
                }
            }
        } catch (IOException e) {
            // It was killed in the middle of a line.
        }
        writer.join();
        assertThat(answered).isGreaterThanOrEqualTo(before + answers);
        return answered;
    }

    private static String run(Path data, String statement) {
        StringWriter output = new StringWriter();
        StringWriter errors = new StringWriter();
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        int status = nam.execute("sql", "--memory=64m", "--data=" + data, "-At", "-c", statement);
        assertThat(status).as(errors::toString).isZero();
        return output.toString();
    }
}

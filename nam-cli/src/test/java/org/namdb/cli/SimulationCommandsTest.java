package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// `nam simulate` and `nam history` as their user meets them.
class SimulationCommandsTest {
    private static final int MAX_SEEDS = 1000;

    @TempDir private Path directory;

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int nam(String... arguments) {
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        return nam.execute(arguments);
    }

    @Test
    void aSeedPrintsItsOptionsAndItsVerdict() {
        assertThat(nam("simulate", "--seed", "3")).isZero();
        assertThat(output.toString())
                .startsWith("seed               3\nservers            ")
                .contains("faults             ")
                .contains("Snapshot isolation holds.")
                .contains("fingerprint ");
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void theSameSeedPrintsTheSameTrace() {
        String[] arguments = {"simulate", "--seed", "5", "--servers", "2,1", "--trace"};
        assertThat(nam(arguments)).isZero();
        String first = output.toString();
        output.getBuffer().setLength(0);
        assertThat(nam(arguments)).isZero();
        assertThat(output.toString())
                .isEqualTo(first)
                .contains("servers            2 memory, 1 compute")
                .contains("CAS   chain head")
                .contains("WRITE V[1]")
                .contains("TRANSACTION is committed as <");
    }

    @Test
    void aClusterIsNotMadeHere() {
        assertThat(nam("history", "--cluster", "c", "--out", "x", "--fabric", "shm")).isEqualTo(2);
        assertThat(nam("history", "--cluster", "c", "--out", "x", "--oracle", "chain"))
                .isEqualTo(2);
        assertThat(errors.toString().lines().filter(line -> line.startsWith("nam history: ")))
                .containsExactly(
                        "nam history: --fabric is for a database of this process alone: with --cluster it is the cluster's own",
                        "nam history: --oracle is for a database of this process alone: with --cluster it is the cluster's own");
    }

    @Test
    void manySeedsAreCounted() {
        assertThat(nam("simulate", "--seeds", "1..6", "--faults", "latency,tear8")).isZero();
        assertThat(output.toString()).startsWith("6 seeds (1..6) with ").contains("nothing wrong");
    }

    /// Which seeds fork depends on every verb that is posted; some soon do.
    @Test
    void aForkOfThePapersReadIsStatusOneAndExplained() {
        String faults = "latency,tear64,tear8,pause,crash,disconnect";
        for (int seed = 149; !output.toString().contains("Broken rule: long-fork"); seed++) {
            assertThat(seed).as("seeds that were tried").isLessThan(MAX_SEEDS);
            output.getBuffer().setLength(0);
            String number = Integer.toString(seed);
            int status =
                    nam("simulate", "--seed", number, "--oracle", "direct", "--faults", faults);
            assertThat(status)
                    .as("seed " + seed)
                    .isEqualTo(output.toString().contains("Broken rule") ? 1 : 0);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --seeds 5..1            | --seeds must rise, as in 1..1000; '5..1' falls
                    --seeds 7               | --seeds must be two numbers as in 1..1000, not '7'
                    --seeds a..9            | --seeds: 'a' is no number
                    --servers 3             | --servers must be two numbers as in 2,3, not '3'
                    --servers 0,1           | --servers must be 1 to 16 of each, not 0
                    --seeds 1..2 --trace    | --trace is for one seed: use --seed N
                    """)
    void anOptionThatCantBeIsOneSentenceAndStatusTwo(String arguments, String sentence) {
        assertThat(nam(("simulate " + arguments).split(" "))).isEqualTo(2);
        assertThat(errors.toString().lines())
                .containsExactly(
                        "nam simulate: " + sentence,
                        "Try 'nam simulate --help' for more information.");
        assertThat(output.toString()).isEmpty();
    }

    @Test
    void anUnknownFaultIsNamedWithThoseThatThereAre() {
        assertThat(nam("simulate", "--faults", "fire")).isEqualTo(2);
        assertThat(errors.toString())
                .startsWith(
                        "nam simulate: there is no fault 'fire'; there are all, none and [latency,");
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "sim"})
    void aHistoryIsWrittenAndChecked(String fabric) {
        String file = directory.resolve("h.jsonl").toString();
        assertThat(
                        nam(
                                "history",
                                "--fabric",
                                fabric,
                                "--sessions",
                                "4",
                                "--keys",
                                "10",
                                "--transactions",
                                "400",
                                "--seed",
                                "3",
                                "--out",
                                file))
                .isZero();
        assertThat(output.toString()).contains("transactions in " + file);
        output.getBuffer().setLength(0);
        assertThat(nam("check", file)).isZero();
        assertThat(output.toString()).startsWith("Snapshot isolation holds.");
    }

    @Test
    void aFileThatCantBeWrittenIsOneSentenceAndStatusTwo() {
        String file = directory.resolve("nowhere").resolve("h.jsonl").toString();
        assertThat(nam("history", "--out", file)).isEqualTo(2);
        assertThat(errors.toString()).startsWith("nam history: --out: can't write " + file);
    }

    @Test
    void impossibleNumbersAreRefused() {
        assertThat(nam("history", "--sessions", "0", "--out", "h")).isEqualTo(2);
        assertThat(errors.toString()).startsWith("nam history: --sessions must be 1 to 512, not 0");
    }

    /// A real signal to a real process, as soon as it simulates.
    @Test
    @EnabledOnOs(OS.LINUX)
    void anInterruptionEndsManySeedsWithTheirSummary() throws Exception {
        Process process =
                new ProcessBuilder(
                                "env",
                                "--default-signal=INT",
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Nam.class.getName(),
                                "simulate",
                                "--seeds",
                                "1..100000000")
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            while (process.isAlive() && !simulates(process)) {
                Thread.sleep(10); // the test's limit ends it
            }
            new ProcessBuilder("kill", "-INT", String.valueOf(process.pid())).start().waitFor();
            String printed =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(printed)
                    .matches(
                            "(?s)interrupted: [0-9,]+ seeds \\(1\\.\\.[0-9]+\\) with .*: nothing wrong\n");
            assertThat(process.waitFor()).isEqualTo(130);
        } finally {
            process.destroyForcibly();
        }
    }

    private static boolean simulates(Process process) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc", "" + process.pid(), "task"))) {
            for (Path thread : threads.toList()) {
                if (Files.readString(thread.resolve("comm")).startsWith("simulation-")) {
                    return true;
                }
            }
            return false;
        } catch (NoSuchFileException e) {
            return false; // a thread that has ended, or the process
        }
    }
}

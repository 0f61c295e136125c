package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// The command line as its user meets it: what it prints where, and its exit status.
class NamTest {
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int run(String... arguments) {
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        return nam.execute(arguments);
    }

    @Test
    void helpGoesToStandardOutput() {
        assertThat(run("--help")).isZero();
        assertThat(output.toString()).startsWith("Usage: nam ");
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void versionNamesTheJavaItRunsOn() {
        assertThat(run("--version")).isZero();
        assertThat(output.toString()).matches("nam \\S+ \\(Java 2[5-9]\\S*\\)\\R");
    }

    @Test
    void wrongUsageIsASentenceAndAHintOnStandardErrorAndStatusTwo() {
        assertThat(run("--no-such-option")).isEqualTo(2);
        assertThat(output.toString()).isEmpty();
        assertThat(errors.toString().lines())
                .containsExactly(
                        "nam: Unknown option: '--no-such-option'",
                        "Try 'nam --help' for more information.");
    }

    @Test
    void aDirectoryThatCannotBeMadeIsASentence() {
        assertThat(run("cluster", "up", "--directory", "/dev/null/x")).isEqualTo(1);
        assertThat(errors.toString().lines())
                .singleElement()
                .asString()
                .startsWith("nam cluster up: --directory /dev/null/x can't be used: ")
                .endsWith("Not a directory");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sql", "status", "compute-server"})
    void aClusterFileThatIsNotThereIsWrongUsage(String command) {
        assertThat(run(command, "--cluster", "/nowhere/cluster.yaml")).isEqualTo(2);
        assertThat(errors.toString().lines())
                .first()
                .asString()
                .isEqualTo("nam " + command + ": there is no file /nowhere/cluster.yaml");
    }

    @Test
    void noCommandIsWrongUsage() {
        assertThat(run()).isEqualTo(2);
        assertThat(errors.toString().lines())
                .containsExactly("nam: No command given", "Try 'nam --help' for more information.");
    }
}

package org.namdb.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Clients of other languages: each is a script that takes the server's address, and reports what
/// has passed and what has failed. One that is not installed is skipped; with
/// `-Dnamdb.clients=required` it fails.
class ScriptTest {
    private static final boolean IS_REQUIRED =
            "required".equals(System.getProperty("namdb.clients"));

    /// Debian's, whose packages the scripts use.
    private static final String PYTHON = "/usr/bin/python3";

    /// A script, and what must be installed for it.
    ///
    /// @param probe ends with 0 if the client is there
    record Script(String name, List<String> probe, List<String> command, String remedy) {
        static Script python(String module) {
            return new Script(
                    module,
                    List.of(PYTHON, "-c", "import " + module),
                    List.of(PYTHON, "-B", "python/with_" + module + ".py"),
                    "install the packages that .ci/clients lists");
        }

        static Script node() {
            return new Script(
                    "node-postgres",
                    List.of("node", "-e", "require.resolve('pg', {paths: ['node']})"),
                    List.of("node", "node/with-pg.js"),
                    "run .ci/clients, which calls npm");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Arguments> scripts() {
        List<Script> scripts = new ArrayList<>();
        for (String module :
                List.of("psycopg2", "psycopg", "asyncpg", "sqlalchemy", "alembic", "django")) {
            scripts.add(Script.python(module));
        }
        scripts.add(Script.node());
        return scripts.stream()
                .flatMap(script -> TestServer.all().map(on -> Arguments.of(script, on)));
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("scripts")
    void everyStepPasses(Script script, Callable<TestServer> open) throws Exception {
        require(script.name(), script.probe(), script.remedy());
        try (TestServer server = open.call()) {
            List<String> command = new ArrayList<>(script.command());
            command.add(server.url());
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectInput(new File("/dev/null"))
                            .start();
            try {
                String printed =
                        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(printed).contains("passed: ").doesNotContain("FAILED: ");
                assertThat(process.exitValue()).as(printed).isZero();
            } finally {
                process.destroyForcibly();
            }
        }
    }

    /// Skips a test whose client is not installed, or has it fail.
    ///
    /// @param command ends with 0 if the client is there
    /// @param remedy what installs it
    static void require(String client, List<String> command, String remedy)
            throws InterruptedException {
        if (!isInstalled(command)) {
            String missing = client + " is not installed: " + remedy;
            if (IS_REQUIRED) {
                fail(missing);
            }
            assumeTrue(false, missing);
        }
    }

    private static boolean isInstalled(List<String> command) throws InterruptedException {
        try {
            Process probe =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            return probe.waitFor() == 0;
        } catch (IOException e) {
            return false; // nor is the interpreter
        }
    }
}

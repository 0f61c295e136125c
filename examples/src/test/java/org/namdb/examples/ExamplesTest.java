package org.namdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.NamDb;
import org.namdb.sql.client.NamClient;

/// The programs run as their readers run them: a JVM with the library on its class path, and
/// nothing else of this project.
class ExamplesTest {
    private static final Path BUILD = Path.of(System.getProperty("examples.build"));

    @TempDir private Path directory;

    @Test
    void theBankTransfersMoney() throws Exception {
        assertThat(run(Bank.class)).isEqualTo("Ada has 70.00 left\n");
    }

    @Test
    void sqlIsReadByTheNamesOfItsColumns() throws Exception {
        assertThat(run(SqlOrders.class)).isEqualTo("Grace: 1200.00\nAda: 349.90\n");
    }

    /// Without an error, with which a missing class would end it.
    @Test
    void aClusterSaysWhichLibraryItNeeds() throws Exception {
        Path file =
                Files.writeString(
                        directory.resolve("cluster.yaml"),
                        """
                        memory-servers:
                          - address: 127.0.0.1:1
                        membership:
                          zookeeper: 127.0.0.1:2
                        """);
        assertThat(run(Connect.class, file.toString()))
                .isEqualTo(
                        "membership.zookeeper needs the library org.namdb:namdb-cluster: add it to the class path\n");
    }

    @Test
    void aClientOfAServerIsInTheLibrary() throws Exception {
        assertThat(run(Call.class, "postgresql://ada@127.0.0.1:1"))
                .isEqualTo("127.0.0.1:1 can't be connected to: Connection refused\n");
    }

    @Test
    void theLibraryIsAFewJars() throws Exception {
        assertThat(classPath())
                .filteredOn(jar -> !jar.contains("slf4j-nop")) // the program's own
                .hasSizeLessThan(10)
                .noneMatch(jar ->
                        jar.matches(".*(zookeeper|netty|disni|nam-fabric|nam-compute|simul).*"));
    }

    @Test
    void theReadmeQuotesTheBank() throws Exception {
        assertQuotes("README.md", "Bank");
    }

    /// Between two processes it is tried by a test of the command line's.
    @Test
    void thePageOnCachesQuotesTheCounter() throws Exception {
        assertQuotes("docs/cache.md", "SharedCounter");
    }

    @Test
    void thePageOnCachesQuotesThePages() throws Exception {
        assertQuotes("docs/cache.md", "LargerThanMemory");
    }

    @Test
    void pagesMayBeMoreThanMemoryHolds() throws Exception {
        assertThat(run(LargerThanMemory.class, directory.resolve("pages").toString()))
                .isEqualTo("the sum is 49995000\n");
    }

    /// One of the page's programs, line by line, however far they are indented.
    private static void assertQuotes(String page, String example) throws Exception {
        Path root = BUILD.toAbsolutePath();
        while (!Files.exists(root.resolve("README.md"))) {
            root = root.getParent();
        }
        List<List<String>> programs = new ArrayList<>();
        boolean isCode = false;
        for (String line : Files.readAllLines(root.resolve(page))) {
            if (line.startsWith("```")) {
                isCode = line.equals("```java");
                if (isCode) {
                    programs.add(new ArrayList<>());
                }
            } else if (isCode) {
                programs.getLast().add(line.strip());
            }
        }
        Path source =
                root.resolve("examples/src/main/java/org/namdb/examples/" + example + ".java");
        List<String> lines = Files.readAllLines(source).stream().map(String::strip).toList();
        assertThat(programs)
                .anyMatch(program ->
                        !program.isEmpty() && Collections.indexOfSubList(lines, program) > 0);
    }

    private static List<String> classPath() throws Exception {
        String path = Files.readString(BUILD.resolve("runtime.classpath")).strip();
        return List.of(path.split(File.pathSeparator));
    }

    private static String run(Class<?> program, String... arguments) throws Exception {
        List<String> path = new ArrayList<>(classPath());
        path.add(BUILD.resolve("classes").toString());
        path.add(BUILD.resolve("test-classes").toString());
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                String.join(File.pathSeparator, path),
                                program.getName()));
        Stream.of(arguments).forEach(command::add);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed;
    }

    /// Calls a procedure of a server, and reports failures.
    static final class Call {
        private Call() {}

        public static void main(String[] arguments) {
            try (NamClient client = NamClient.connect(arguments[0])) {
                System.out.println(client.call("any", null));
            } catch (RuntimeException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    /// Opens a cluster, and reports failures.
    static final class Connect {
        private Connect() {}

        public static void main(String[] arguments) {
            try {
                NamDb.connect(Path.of(arguments[0])).close();
            } catch (RuntimeException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}

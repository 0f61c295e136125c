package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// What the documents show is what is printed: their SQL gives their output, their programs compile
/// and run, and their commands are valid.
class DocumentationTest {
    /// A command in a document: what follows it is a comment, another command, or prose.
    private static final Pattern COMMAND = Pattern.compile("\\./nam( [^#|;)`\\n]*)?");

    private static final Pattern ARGUMENT = Pattern.compile("\"([^\"]*)\"|(\\S+)");
    private static final Pattern CSV_FILE = Pattern.compile("'(\\w+\\.csv)'");
    private static final Pattern TIME = Pattern.compile("time=[0-9.]+ ms");

    /// What a person sees in a terminal.
    private static final List<String> AS_IN_A_TERMINAL =
            List.of("\\pset border 2", "\\pset linestyle unicode", "\\pset null NULL");

    /// What the programs of a document import.
    private static final Map<String, List<String>> IMPORTS =
            Map.of(
                    "README.md",
                    List.of("compute.*", "compute.read.*", "compute.schema.*", "mvcc.schema.*"),
                    "docs/sql.md",
                    List.of("sql.engine.*", "sql.language.result.*"),
                    "docs/isolation-checker.md",
                    List.of("checker.*", "checker.history.*", "checker.report.*"));

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/sql.md"})
    void aReaderSeesWhatTheDocumentShows(String name) throws Exception {
        List<Shell> shells = shells(Document.read(name));
        assertThat(shells.stream().flatMap(shell -> shell.examples().stream()))
                .as("examples with an output")
                .anyMatch(example -> !example.printed().isEmpty());
        for (Shell shell : shells) {
            prepare(shell);
            List<String> printed = run(shell);
            for (int i = 0; i < printed.size(); i++) {
                Example example = shell.examples().get(i);
                if (example.printed().isEmpty()) {
                    assertThat(printed.get(i)).as(example.sql()).doesNotContain("ERROR");
                } else {
                    assertThat(withoutTimes(printed.get(i)))
                            .as(example.sql())
                            .endsWith(withoutTimes(example.printed()));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/sql.md", "docs/isolation-checker.md"})
    void theDocumentsProgramsRun(String name) throws Exception {
        for (String program : programs(name)) {
            compileAndRun(Objects.requireNonNull(IMPORTS.get(name)), program);
        }
    }

    /// A document's programs in Java.
    static List<String> programs(String name) throws IOException {
        List<String> programs =
                Document.read(name).blocks().stream()
                        .filter(block -> block.language().equals("java"))
                        .map(Block::text)
                        .toList();
        assertThat(programs).isNotEmpty();
        return programs;
    }

    @ParameterizedTest
    @MethodSource("documents")
    void theDocumentsCommandsCanBeGiven(String name) throws IOException {
        for (Block block : Document.read(name).blocks()) {
            Matcher matcher = COMMAND.matcher(block.text());
            while (matcher.find()) {
                String command = Objects.requireNonNullElse(matcher.group(1), "");
                if (!command.contains("$")) { // what a loop of the shell puts in
                    assertThatCode(() ->
                                    Nam.commandLine()
                                            .parseArgs(arguments(command).toArray(String[]::new)))
                            .as(matcher.group())
                            .doesNotThrowAnyException();
                }
            }
        }
    }

    static List<String> documents() throws IOException {
        try (Stream<Path> files = Files.list(Document.path("docs"))) {
            Stream<String> docs =
                    files.map(file -> "docs/" + file.getFileName())
                            .filter(name -> name.endsWith(".md"));
            return Stream.concat(Stream.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"), docs)
                    .toList();
        }
    }

    private static List<String> arguments(String command) {
        return ARGUMENT.matcher(command)
                .results()
                .map(found -> found.group(1) == null ? found.group(2) : found.group(1))
                .toList();
    }

    /// Some SQL, and what a document shows as its last output; nothing if it shows none.
    private record Example(String sql, String printed) {}

    /// A shell session of a document: how it is started, and what is typed in it.
    ///
    /// @param preparation commands for the system's shell
    private record Shell(String preparation, List<String> arguments, List<Example> examples) {}

    private static List<Shell> shells(Document document) {
        List<Shell> shells = new ArrayList<>();
        List<Block> blocks = document.blocks();
        for (int i = 0; i < blocks.size(); i++) {
            Block block = blocks.get(i);
            if (block.language().equals("sql")) {
                boolean isShown = i + 1 < blocks.size() && blocks.get(i + 1).followsABlock();
                String printed = isShown ? blocks.get(i + 1).text() : "";
                shells.getLast().examples().add(new Example(block.text(), printed));
            } else if (block.lastLine().matches("\\./nam sql( --(?!data )\\S+ \\S+)*")) {
                String before = block.text().substring(0, block.text().lastIndexOf("./nam"));
                List<String> arguments = arguments(block.lastLine().substring("./nam".length()));
                shells.add(new Shell(before, arguments, new ArrayList<>()));
            }
        }
        return shells;
    }

    private void prepare(Shell shell) throws Exception {
        if (!shell.preparation().isBlank()) {
            assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "needs a shell");
            Process process =
                    new ProcessBuilder("/bin/sh", "-c", shell.preparation())
                            .directory(directory.toFile())
                            .inheritIO()
                            .start();
            assertThat(process.waitFor()).isZero();
        }
    }

    /// What is printed of each example.
    private List<String> run(Shell shell) {
        StringWriter output = new StringWriter();
        PrintWriter writer = new PrintWriter(output, true);
        CommandLine nam = Nam.commandLine();
        nam.setOut(writer);
        nam.setErr(writer);
        List<String> arguments = new ArrayList<>(shell.arguments());
        arguments.addAll(List.of("--memory", "512m", "--on-error", "continue"));
        AS_IN_A_TERMINAL.forEach(command -> arguments.addAll(List.of("-c", command)));
        String end = "(end of an example)";
        for (Example example : shell.examples()) {
            arguments.addAll(List.of("-c", inDirectory(example.sql()), "-c", "\\echo " + end));
        }
        nam.execute(arguments.toArray(String[]::new));
        String[] parts = output.toString().split(Pattern.quote(end + "\n"), -1);
        assertThat(parts).hasSize(shell.examples().size() + 1);
        return Stream.of(parts).limit(shell.examples().size()).toList();
    }

    private String inDirectory(String sql) {
        return CSV_FILE.matcher(sql)
                .replaceAll(name -> "'" + directory.resolve(name.group(1)) + "'");
    }

    /// Times differ, and with them the width of a table.
    private static String withoutTimes(String text) {
        return TIME.matcher(text).find()
                ? TIME.matcher(text).replaceAll("time").replaceAll(" +", " ").replaceAll("─+", "─")
                : text;
    }

    private void compileAndRun(List<String> imports, String program) throws Exception {
        String source =
                imports.stream()
                                .map(name -> "import org.namdb." + name + ";\n")
                                .collect(Collectors.joining())
                        + "import java.math.*;\nimport java.util.*;\n"
                        + "public class Program {\npublic static void run() throws Exception {\n"
                        + program
                        + "}\n}\n";
        Path file = Files.writeString(directory.resolve("Program.java"), source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        String classPath = System.getProperty("java.class.path");
        String target = directory.toString();
        int status =
                compiler.run(
                        null,
                        null,
                        null,
                        "-cp",
                        classPath,
                        "-proc:none",
                        "-d",
                        target,
                        file.toString());
        assertThat(status).as(source).isZero();
        URL[] found = {new File(target).toURI().toURL()};
        try (URLClassLoader loader = new URLClassLoader(found, getClass().getClassLoader())) {
            loader.loadClass("Program").getMethod("run").invoke(null);
        }
    }

    /// Code in a document.
    ///
    /// @param language a fence's language, or nothing for lines that are indented
    /// @param followsABlock whether only a blank line is between it and the block before
    private record Block(String language, String text, boolean followsABlock) {
        String lastLine() {
            return text.lines().reduce("", (_, line) -> line);
        }
    }

    private record Document(List<Block> blocks) {
        static Path path(String name) {
            return ArchitectureTest.projectRoot().resolve(name);
        }

        static Document read(String name) throws IOException {
            List<Block> blocks = new ArrayList<>();
            List<String> lines = Files.readAllLines(path(name));
            int end = -1; // of the block before
            for (int at = 0; at < lines.size(); at++) {
                String line = lines.get(at);
                int from = at;
                if (line.startsWith("```")) {
                    do {
                        at++;
                    } while (!lines.get(at).startsWith("```"));
                    String text = String.join("\n", lines.subList(from + 1, at)) + "\n";
                    blocks.add(new Block(line.substring(3), text, false));
                    end = at;
                } else if (line.startsWith("    ")) {
                    while (at + 1 < lines.size() && lines.get(at + 1).startsWith("    ")) {
                        at++;
                    }
                    String text =
                            lines.subList(from, at + 1).stream()
                                    .map(indented -> indented.substring(4) + "\n")
                                    .collect(Collectors.joining());
                    blocks.add(new Block("", text, end >= 0 && from == end + 2));
                    end = at;
                }
            }
            return new Document(blocks);
        }
    }
}

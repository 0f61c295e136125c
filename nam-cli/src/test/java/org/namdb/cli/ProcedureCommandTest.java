package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.sql.engine.procedure.Procedure;
import picocli.CommandLine;

/// The procedure of docs/procedures.md: compiled, submitted by `nam procedure`, called and listed,
/// and called again after the server was killed.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcedureCommandTest {
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern SQL = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);

    @TempDir private Path directory;

    private final StringWriter printed = new StringWriter();

    @Test
    void theDocumentsProcedureIsSubmittedCalledListedAndKept() throws Exception {
        String document =
                Files.readString(
                        ArchitectureTest.projectRoot().resolve("docs").resolve("procedures.md"));
        Path jar = jar(first(JAVA, document));
        try (Programs programs = new Programs(directory)) {
            String url = url(programs, "first", "--allow-procedures");
            String none = directory.resolve("none.jar").toString();
            assertThat(nam("procedure", "add", none, "--url", address(url))).isOne();
            assertThat(printed.toString())
                    .endsWith("the jar can't be read: there is no such file\n");
            assertThat(nam("procedure", "add", jar.toString(), "--url", address(url))).isZero();
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute(first(SQL, document)); // in PL/pgSQL
                statement.execute(first(SQL, document.substring(document.indexOf("## Called"))));
                assertThat(call(connection)).isEqualTo("Ada has 55.00");
            }
            assertThat(nam("procedure", "list", "--url", address(url))).isZero();
            assertThat(printed.toString())
                    .contains("from_account integer, to_account integer, amount numeric")
                    .containsPattern("bank +4 +0 +0 ");
        } // which kills the server
        try (Programs programs = new Programs(directory)) {
            String url = url(programs, "second");
            try (Connection connection = DriverManager.getConnection(url)) {
                assertThat(call(connection)).isEqualTo("Ada has 50.00");
            }
            assertThat(nam("procedure", "add", jar.toString(), "--url", address(url))).isOne();
            assertThat(nam("procedure", "remove", "bank", "--url", address(url))).isOne();
            assertThat(printed.toString()).contains("permission denied for sqlj.install_jar");
        }
        assertThat(nam("procedure", "list", "--url", "postgresql://127.0.0.1:1")).isOne();
        assertThat(nam("procedure", "list", "--url", "nowhere")).isOne();
        assertThat(nam("procedure")).isEqualTo(2);
    }

    private static String call(Connection connection) throws Exception {
        try (CallableStatement transfer = connection.prepareCall("{call transfer(?, ?, ?)}")) {
            transfer.setInt(1, 1);
            transfer.setInt(2, 2);
            transfer.setBigDecimal(3, new BigDecimal("5.00"));
            try (ResultSet left = transfer.executeQuery()) {
                assertThat(left.next()).isTrue();
                return left.getString("owner") + " has " + left.getBigDecimal("balance");
            }
        }
    }

    private int nam(String... arguments) {
        PrintWriter writer = new PrintWriter(printed, true);
        CommandLine nam = Nam.commandLine().setOut(writer).setErr(writer);
        return nam.execute(arguments);
    }

    private static String first(Pattern block, String document) {
        Matcher matcher = block.matcher(document);
        assertThat(matcher.find()).isTrue();
        return String.valueOf(matcher.group(1));
    }

    private Path jar(String source) throws Exception {
        Path classes = directory.resolve("classes");
        Path file = directory.resolve("Transfer.java");
        Files.writeString(file, source);
        int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                null,
                                "-proc:none",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "-d",
                                classes.toString(),
                                file.toString());
        assertThat(status).isZero();
        Path jar = directory.resolve("bank.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                zip.putNextEntry(new ZipEntry(classes.relativize(each).toString()));
                Files.copy(each, zip);
            }
            zip.putNextEntry(new ZipEntry("META-INF/services/" + Procedure.class.getName()));
            zip.write("bank.Transfer\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        return jar;
    }

    /// Starts a server; as it prints the address.
    private String url(Programs programs, String name, String... options) throws Exception {
        List<String> arguments =
                Stream.concat(
                                Stream.of(
                                        "server",
                                        "--trust",
                                        "--listen=127.0.0.1:0",
                                        "--memory=64m",
                                        "--data=" + directory.resolve("data")),
                                Stream.of(options))
                        .toList();
        Process server =
                programs.start(List.of(), name, Nam.class, arguments.toArray(String[]::new));
        BufferedReader lines = server.inputReader();
        String line = lines.readLine();
        while (line != null && !line.strip().startsWith("jdbc:")) {
            line = lines.readLine(); // the test's limit ends it
        }
        assertThat(line).as(() -> programs.errorsOf(name)).isNotNull();
        return String.valueOf(line).strip();
    }

    private static String address(String url) {
        return url.substring("jdbc:".length(), url.indexOf('?'));
    }
}

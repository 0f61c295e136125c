package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterSettings;
import org.namdb.cluster.transport.ComputeTransport;
import org.namdb.fabric.ComputeFabric;
import org.namdb.sql.client.NamClient;

/// Servers with certificates, or with a token, as processes: a small TPC-C runs on them, its twelve
/// conditions hold, `nam status` sees them, and a client without either gets the reason why it is
/// refused.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SecureClusterTest {
    private static final int MEMORY_SERVERS = 2;
    private static final long MAX_SECONDS = 200;

    @TempDir Path directory;

    private Programs programs;
    private ReservedPorts reserved;
    private List<Integer> ports;

    /// What the last server that was started has said.
    private String ready = "";

    @BeforeEach
    void prepare() throws IOException {
        programs = new Programs(directory);
        reserved = new ReservedPorts(MEMORY_SERVERS + 1);
        ports = reserved.numbers();
    }

    @AfterEach
    void end() {
        programs.close();
        reserved.close();
    }

    @Test
    void tlsByTcp() throws Exception {
        Path file = write("tls", "tcp", false, tls() + sql());
        runAndCheck(file);
        checkClients(file);
        String said = refused(write("plain", "tcp", false, ""));
        assertThat(said)
                .contains("this memory server demands TLS: give the compute server a certificate");
    }

    @Test
    void tlsForRequestsAndMappedMemory() throws Exception {
        Path file = write("tls", "auto", true, tls());
        runAndCheck(file);
        ClusterConfig config = ClusterSettings.read(file, Map.of(), Map.of()).config();
        try (ComputeFabric fabric = ComputeTransport.connect(config)) {
            for (int server = 0; server < MEMORY_SERVERS; server++) {
                assertThat(ComputeTransport.isMapped(fabric, server)).isTrue();
            }
        }
    }

    @Test
    void tokenByTcp() throws Exception {
        runAndCheck(write("token", "tcp", false, token("the cluster's")));
        String said = refused(write("stranger", "tcp", false, token("another's")));
        assertThat(said).contains("the token is not the one that the memory server was given");
    }

    private Path write(String name, String transport, boolean isMapped, String security)
            throws IOException {
        StringBuilder text = new StringBuilder("name: secure\nmemory-servers:\n");
        for (int server = 0; server < MEMORY_SERVERS; server++) {
            text.append("  - address: 127.0.0.1:").append(ports.get(server)).append('\n');
            text.append("    memory: 128m\n");
            if (isMapped) {
                text.append("    directory: ").append(directory).append('\n');
            }
        }
        text.append("transport: ").append(transport).append('\n').append(security);
        text.append("membership:\n  zookeeper: 127.0.0.1:").append(ports.getLast());
        text.append("\n  lease: 10s\n");
        return Files.writeString(directory.resolve(name + ".yaml"), text);
    }

    /// Made as documented, by an authority of this test's own.
    private String tls() throws Exception {
        Path names = directory.resolve("names");
        Files.writeString(names, "subjectAltName=IP:127.0.0.1");
        String key = " -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=test ";
        openssl("req -x509 -days 2" + key + "-keyout authority.key -out authority.pem");
        openssl("req" + key + "-keyout server.key -out server.csr");
        openssl(
                "x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial"
                        + " -days 2 -extfile names -out server.pem");
        return """
        security:
          tls:
            certificate: %1$s/server.pem
            key: %1$s/server.key
            authority: %1$s/authority.pem
        """
                .formatted(directory);
    }

    private String sql() {
        return """
        sql:
          listen: 127.0.0.1:0
          tls-certificate: %1$s/server.pem
          tls-key: %1$s/server.key
          connections: 2
          statement-timeout: 50s
          idle-in-transaction-timeout: 40s
        """
                .formatted(directory);
    }

    /// Clients of the compute server have TLS, and its limits.
    private void checkClients(Path file) throws Exception {
        String address = ready.substring(ready.lastIndexOf(' ') + 1);
        String url =
                "postgresql://namdb@%s?sslmode=verify-full&sslrootcert=%s/authority.pem"
                        .formatted(address, directory);
        try (NamClient _ = NamClient.connect(url);
                NamClient _ = NamClient.connect(url)) {
            assertThatThrownBy(() -> NamClient.connect(url))
                    .hasMessageContaining("too many clients");
        }
        assertThat(run(file, "sql", url, "-c", "SHOW statement_timeout")).contains("50s");
        assertThat(runHere(0, "procedure", "list", "--url", url)).contains("p99_us");
    }

    private void openssl(String arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments.split(" ")));
        try {
            Process process =
                    new ProcessBuilder(command)
                            .directory(directory.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(directory.resolve("openssl.log").toFile())
                            .start();
            assertThat(process.waitFor()).as(arguments).isZero();
        } catch (IOException e) {
            abort("needs openssl: " + e.getMessage());
        }
    }

    private String token(String text) throws IOException {
        Path file = Files.writeString(directory.resolve(text.replace("'", "")), text);
        return "security:\n  token-file: \"" + file + "\"\n";
    }

    private void runAndCheck(Path file) throws Exception {
        Files.createDirectories(directory.resolve("zookeeper"));
        start(
                "zookeeper",
                "zookeeper",
                "--directory",
                directory.resolve("zookeeper").toString(),
                "--address",
                "127.0.0.1:" + ports.getLast());
        for (int server = 0; server < MEMORY_SERVERS; server++) {
            start(
                    "memory-" + server,
                    "memory-server",
                    "-c",
                    file.toString(),
                    "-n",
                    Integer.toString(server));
        }
        start("compute", "compute-server", "-c", file.toString());
        run(
                file,
                "tpcc",
                "--cluster",
                file.toString(),
                "--warehouses",
                "1",
                "--population",
                "1",
                "--threads",
                "2",
                "--transactions",
                "300");
        assertThat(runHere(0, "tpcc", "--cluster", file.toString(), "--check"))
                .contains("all twelve consistency conditions hold");
        assertThat(runHere(0, "status", "-c", file.toString()))
                .contains("memory server 0 ")
                .contains("memory server 1 ")
                .contains("compute server ")
                .contains("slots ");
    }

    /// Starts a server, and waits until it reports that it is ready.
    private void start(String name, String... arguments) throws IOException {
        Process server = programs.start(List.of(), name, Nam.class, arguments);
        String line = server.inputReader().readLine(); // the test's limit ends it
        assertThat(line).as(() -> programs.errorsOf(name)).contains(" is ready");
        ready = line;
    }

    /// @return what it has said
    private String run(Path file, String... arguments) throws Exception {
        String name = arguments[0] + "-of-" + file.getFileName();
        Process process = programs.start(List.of(), name, Nam.class, arguments);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).as(name).isTrue();
        said += programs.errorsOf(name);
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }

    /// @return the error for another configuration
    private static String refused(Path file) {
        return runHere(1, "status", "-c", file.toString());
    }

    /// Runs `nam` in this process, which costs less.
    ///
    /// @return what it has said
    private static String runHere(int status, String... arguments) {
        StringWriter said = new StringWriter();
        var nam = Nam.commandLine();
        nam.setOut(new PrintWriter(said, true));
        nam.setErr(new PrintWriter(said, true));
        assertThat(nam.execute(arguments)).as(said::toString).isEqualTo(status);
        return said.toString();
    }
}

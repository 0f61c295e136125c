package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// `transport: rdma` where there is no device, or none of the configured name. With one,
/// `.ci/rdma-cluster` runs a cluster.
class RdmaCommandsTest {
    @TempDir Path directory;

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();
    private Path file;

    @BeforeEach
    void configure() throws IOException {
        file = directory.resolve("cluster.yaml");
        Files.writeString(directory.resolve("token"), "known to all\n");
        Files.writeString(
                file,
                """
                memory-servers:
                  - address: 10.9.0.1:7400
                    memory: 64m
                transport: rdma
                rdma: {device: none_such}
                security: {token-file: token}
                """);
    }

    private int run(String line) {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        words.replaceAll(word -> word.equals("FILE") ? file.toString() : word);
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        return nam.execute(words.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "memory-server -c FILE --number 0",
                "compute-server -c FILE",
                "status -c FILE",
                "tpcc --cluster FILE --warehouses 1 --transactions 1",
                "sql --cluster FILE -c VALUES(1)"
            })
    void whereThereIsNoDeviceOneSentenceSaysSo(String line) {
        assertThat(run(line)).isPositive();
        assertThat(errors.toString().lines().filter(each -> each.contains("no RDMA device")))
                .as(errors::toString)
                .hasSize(1);
        assertThat(errors.toString()).doesNotContain("\tat ").doesNotContain("Exception");
        assertThat(errors.toString().lines().toList()).hasSizeLessThanOrEqualTo(2);
        assertThat(output.toString()).isEmpty();
    }

    @Test
    void aMemoryServerListensToStrangersOnlyWithAToken() throws IOException {
        Files.writeString(
                file,
                """
                memory-servers: [{address: 10.9.0.1:7400}]
                transport: rdma
                """);
        assertThat(run("memory-server -c FILE --number 0")).isEqualTo(1);
        assertThat(errors.toString())
                .isEqualToIgnoringNewLines(
                        "nam memory-server: memory-servers[0].address: 10.9.0.1:7400 is open to"
                                + " other machines: a memory server listens there for RDMA only"
                                + " with a token (security.token-file)");
    }
}

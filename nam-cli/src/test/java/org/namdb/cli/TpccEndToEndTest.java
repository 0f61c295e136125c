package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `nam tpcc` from its command line to its files, on a small database.
class TpccEndToEndTest {
    private static final List<String> TYPES =
            List.of("NewOrder", "Payment", "OrderStatus", "Delivery", "StockLevel");

    @TempDir private Path directory;

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int nam(String arguments) {
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        List<String> words = new ArrayList<>(List.of(("tpcc " + arguments).split(" +", -1)));
        words.addAll(List.of("--out", directory.toString()));
        return nam.execute(words.toArray(String[]::new));
    }

    private JsonNode result() throws IOException {
        return JsonMapper.shared().readTree(Files.readString(directory.resolve("result.json")));
    }

    @Test
    void aRunIsLoadedDrivenCheckedAndWritten() throws IOException {
        assertThat(
                        nam(
                                "--warehouses 2 --threads 2 --population 1 --memory 1g --memory-servers 2"
                                        + " --rate 5000 --warmup 300ms --duration 1500ms --seed 5"))
                .as(errors.toString())
                .isZero();
        JsonNode result = result();
        assertThat(result.get("passed").booleanValue()).isTrue();
        assertThat(result.get("tpmC").doubleValue()).isPositive();
        assertThat(result.get("tps").doubleValue()).isPositive();
        assertThat(result.get("types").propertyNames()).containsExactlyElementsOf(TYPES);
        for (String type : TYPES) {
            JsonNode counted = result.get("types").get(type);
            assertThat(counted.get("count").isIntegralNumber()).isTrue();
            assertThat(counted.get("count").longValue()).isPositive();
            assertThat(counted.get("retries").isIntegralNumber()).isTrue();
            for (String field : List.of("p50Micros", "p99Micros", "verbs", "bytes", "roundTrips")) {
                assertThat(counted.get(field).doubleValue()).as(type + "." + field).isPositive();
            }
        }
        assertThat(result.get("conditions").size()).isEqualTo(12);
        for (int clause = 1; clause <= 12; clause++) {
            assertThat(result.get("conditions").get("3.3.2." + clause).booleanValue()).isTrue();
        }
        for (String file :
                List.of("report.html", "timeline.csv", "latency.csv", "deliveries.csv")) {
            assertThat(directory.resolve(file)).isNotEmptyFile();
        }
        assertThat(output.toString())
                .contains("new orders/min (tpmC)")
                .endsWith("PASSED: all twelve consistency conditions hold.\n");
        assertThat(errors.toString()).contains("loaded 2 warehouses", " tps ");
    }

    @Test
    void theHistoryIsWrittenAndItsLengthIsReported() throws IOException {
        Path file = directory.resolve("history.jsonl");
        assertThat(
                        nam(
                                "--warehouses 1 --threads 2 --population 1 --memory 256m --transactions 500 --history "
                                        + file))
                .as(errors.toString())
                .isZero();
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSizeGreaterThan(450);
        for (String line : lines) {
            assertThat(JsonMapper.shared().readTree(line).get("ops").size()).isPositive();
        }
        assertThat(errors.toString())
                .contains("history of %d transactions in %s%n".formatted(lines.size(), file));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aHistoryThatIsNotWholeIsAFailure() throws IOException {
        assertThat(
                        nam(
                                "--warehouses 1 --threads 1 --population 1 --memory 256m --transactions 500"
                                        + " --history /dev/full"))
                .isEqualTo(1);
        assertThat(result().get("passed").booleanValue()).isTrue();
        assertThat(errors.toString())
                .contains("nam tpcc: the history is not whole, as /dev/full can't be written: ");
    }

    @Test
    void transactionsAreCounted() throws IOException {
        assertThat(
                        nam(
                                "--warehouses 1 --threads 1 --population 1 --memory 64m --transactions 1000"
                                        + " --reads tearing --versions 1"))
                .isZero();
        long count = 0;
        for (String type : TYPES) {
            count += result().get("types").get(type).get("count").longValue();
        }
        assertThat(count).isEqualTo(1_000);
        assertThat(result().get("types").get("NewOrder").get("count").longValue()).isEqualTo(450);
    }

    @Test
    void aRunThatFillsTheMemoryFails() throws IOException {
        assertThat(
                        nam(
                                "--warehouses 1 --threads 2 --population 1 --memory 16m --warmup 0ms --duration 5m"))
                .isEqualTo(1);
        assertThat(result().get("passed").booleanValue()).isFalse();
        assertThat(result().get("ended").stringValue()).isEqualTo("memoryFull");
        for (int clause = 1; clause <= 12; clause++) {
            assertThat(result().get("conditions").get("3.3.2." + clause).booleanValue()).isTrue();
        }
    }
}

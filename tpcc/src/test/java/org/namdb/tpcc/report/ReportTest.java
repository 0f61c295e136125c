package org.namdb.tpcc.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.driver.TpccRun;
import org.namdb.tpcc.statistics.DeliveryLog;
import org.namdb.workload.InvalidOptionException;
import org.namdb.workload.report.ResultFiles;
import org.namdb.workload.report.RunConsole;
import org.namdb.workload.report.RunResult;
import org.namdb.workload.report.TextStyle;
import org.namdb.workload.statistics.MeasuredWindow;
import org.namdb.workload.statistics.TimelinePoint;
import org.xml.sax.InputSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// What people and programs get of a run.
class ReportTest {
    private static final RunResult PASSED = SampleResult.passed();
    private static final RunResult FAILED = SampleResult.failed();

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();
    private final RunConsole console =
            new RunConsole(
                    new PrintWriter(output), new PrintWriter(errors), new TextStyle(false, true));

    @TempDir private static Path files;

    private static JsonNode json(RunResult result) {
        return JsonMapper.shared().readTree(written("result.json", result));
    }

    private static String written(String file, RunResult result) {
        try {
            ResultFiles.in(files).write(result);
            return Files.readString(files.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void jsonHoldsEveryTypeWithItsNumbers() {
        JsonNode root = json(PASSED);
        assertThat(root.get("tps").doubleValue()).isBetween(28_000.0, 32_000.0);
        assertThat(root.get("tpmC").doubleValue())
                .isCloseTo(root.get("tps").doubleValue() * 0.45 * 60, within(100.0));
        assertThat(root.get("types").propertyNames())
                .containsExactly("NewOrder", "Payment", "OrderStatus", "Delivery", "StockLevel");
        for (TransactionType type : TransactionType.all()) {
            JsonNode node = root.get("types").get(type.label());
            assertThat(node.get("count").isIntegralNumber()).isTrue();
            assertThat(node.get("retries").isIntegralNumber()).isTrue();
            assertThat(node.get("p50Micros").doubleValue()).isPositive();
            assertThat(node.get("p99Micros").doubleValue())
                    .isGreaterThan(node.get("p50Micros").doubleValue());
            for (String name : List.of("verbs", "bytes", "roundTrips")) {
                assertThat(node.get(name).isNumber()).as(name).isTrue();
            }
            assertThat(node.get("aborts").propertyNames())
                    .containsExactly(
                            "writeConflict", "duplicateKey", "snapshotTooOld", "memoryFull");
        }
    }

    @Test
    void jsonHoldsTwelveBooleansAndWhetherAllAreTrue() {
        JsonNode passed = json(PASSED);
        List<String> clauses =
                IntStream.rangeClosed(1, 12).mapToObj(number -> "3.3.2." + number).toList();
        assertThat(passed.get("conditions").propertyNames()).containsExactlyElementsOf(clauses);
        clauses.forEach(
                clause -> assertThat(passed.get("conditions").get(clause).booleanValue()).isTrue());
        assertThat(passed.get("passed").booleanValue()).isTrue();
        JsonNode failed = json(FAILED);
        assertThat(failed.get("conditions").get("3.3.2.6").booleanValue()).isFalse();
        assertThat(failed.get("differences").get("3.3.2.6").get("count").intValue()).isEqualTo(1);
        assertThat(failed.get("passed").booleanValue()).isFalse();
        assertThat(failed.get("ended").stringValue()).isEqualTo("memoryFull");
    }

    @Test
    void uncheckedIsNotPassed() {
        RunResult unchecked =
                new RunResult(
                        PASSED.benchmark(),
                        PASSED.options(),
                        PASSED.machine(),
                        PASSED.database(),
                        PASSED.load(),
                        PASSED.end(),
                        PASSED.statistics(),
                        PASSED.memory(),
                        PASSED.counts(),
                        List.of(),
                        0);
        assertThat(unchecked.passed()).isFalse();
    }

    @Test
    void jsonHoldsOptionsMachineLoadAndTimeline() {
        JsonNode root = json(PASSED);
        assertThat(root.get("options").get("warehouses").intValue()).isEqualTo(4);
        assertThat(root.get("options").get("mix").stringValue()).isEqualTo("45,43,4,4,4");
        assertThat(root.get("machine").get("processors").intValue()).isEqualTo(2);
        assertThat(root.get("load").get("regionBytesPerWarehouse").longValue())
                .isEqualTo(128L << 20);
        assertThat(root.get("growthBytesPerNewOrder").doubleValue()).isEqualTo(1_234.6);
        assertThat(root.get("memory").get("allocatedBytesPerTransaction").doubleValue())
                .isEqualTo(93.62);
        assertThat(root.get("timeline").get(3).get("oldVersionBytes").longValue())
                .isEqualTo(4_000_000);
        assertThat(root.get("timeline").size()).isEqualTo(SampleResult.SECONDS);
        assertThat(root.get("timeline").get(2).get("warmup").booleanValue()).isTrue();
        assertThat(root.get("timeline").get(3).get("warmup").booleanValue()).isFalse();
    }

    @Test
    void theDirectoryHoldsAllFiles(@TempDir Path directory) throws IOException {
        Path out = directory.resolve("a/b");
        DeliveryLog log = new DeliveryLog(new MeasuredWindow(0, 1), true);
        log.add(
                1_500_000_000L,
                2_000_000_000L,
                3,
                9,
                new long[] {2_101, 0, 3, 4, 5, 6, 7, 8, 9, 1});
        ResultFiles files = ResultFiles.in(out);
        for (int run = 0; run < 2; run++) {
            files.write(PASSED);
            DeliveryCsv.write(files.file("deliveries.csv"), List.of(log), 1_000_000_000L);
        }
        assertThat(Files.readAllLines(out.resolve("timeline.csv")))
                .hasSize(1 + SampleResult.SECONDS)
                .first()
                .isEqualTo(
                        "endSeconds,lengthSeconds,warmup,NewOrder,Payment,OrderStatus,Delivery,"
                                + "StockLevel,tps,tpmC,abortsPerSecond,p99Micros,oldVersionBytes");
        assertThat(Files.readAllLines(out.resolve("latency.csv")))
                .startsWith("type,percentile,micros")
                .anyMatch(line -> line.matches("StockLevel,100\\.0,[0-9.]+"));
        assertThat(Files.readAllLines(out.resolve("deliveries.csv")))
                .containsExactly(
                        "queuedSeconds,doneSeconds,warehouse,carrier,order1,order2,order3,order4,"
                                + "order5,order6,order7,order8,order9,order10",
                        "0.5,1.0,3,9,2101,,3,4,5,6,7,8,9,1");
        assertThat(out.resolve("report.html")).isNotEmptyFile();
        assertThat(out.resolve("result.json")).isNotEmptyFile();
    }

    @Test
    void whatIsNoDirectoryIsRefused(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> ResultFiles.in(file))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessage("--out " + file + " can't be made a directory: a file is in its place");
    }

    @Test
    void thePageNeedsNothingButItself() {
        String page = written("report.html", FAILED);
        assertThat(page)
                .doesNotContain("http:", "https:", "src=", "@import", "url(", "<script", "<link")
                .contains("&lt;2,999&gt; orders &amp; 3,001 expected")
                .contains("The memory is full");
    }

    @Test
    void thePlotsAreWellFormedAndWithinTheirFrame() throws Exception {
        List<String> plots =
                Pattern.compile("<svg.*?</svg>", Pattern.DOTALL)
                        .matcher(written("report.html", PASSED))
                        .results()
                        .map(MatchResult::group)
                        .toList();
        assertThat(plots).hasSize(3);
        for (String plot : plots) {
            DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(plot)));
            assertThat(plot).doesNotContain("NaN", "Infinity");
            Pattern.compile("[ML]([-0-9.]+) ([-0-9.]+)")
                    .matcher(plot)
                    .results()
                    .forEach(place -> {
                        assertThat(Double.parseDouble(place.group(1))).isBetween(0.0, 920.0);
                        assertThat(Double.parseDouble(place.group(2))).isBetween(0.0, 320.0);
                    });
        }
    }

    @Test
    void theTablesAreAligned() {
        console.measured(PASSED);
        List<String> lines = output.toString().lines().toList();
        int first =
                lines.indexOf(
                        lines.stream().filter(l -> l.startsWith("NewOrder")).findFirst().get());
        assertThat(lines.subList(first - 2, first + 6))
                .extracting(String::length)
                .containsOnly(lines.get(first).length());
        assertThat(lines.get(first + 5)).startsWith("all ");
        assertThat(output.toString())
                .contains("new orders/min (tpmC)  ", "transactions/s  ", "p99.9 µs", "round trips")
                .contains(
                        "loaded       4 warehouses, 2,001,234 rows in 2.5 s",
                        "regions      128 MiB per warehouse when loaded, 1.1 MiB in all at the end")
                .contains("growth       1,235 bytes per NewOrder")
                .contains("old versions 7.6 MiB on average, at most 11.4 MiB")
                .contains("heap         93.6 bytes allocated per transaction");
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void theChecksSayWhatDiffers() {
        console.checked(PASSED.conditions(), PASSED.checkSeconds());
        assertThat(output.toString().lines().filter(line -> line.startsWith("✓"))).hasSize(12);
        console.checked(FAILED.conditions(), FAILED.checkSeconds());
        assertThat(output.toString())
                .contains(
                        "✗ 3.3.2.6  O_OL_CNT = count(ORDER_LINE), by order",
                        "1 difference:",
                        "warehouse 1, district 3: <2,999> orders & 3,001 expected");
    }

    @Test
    void whereOnlyAsciiIsReadOnlyAsciiIsWritten() {
        RunConsole plain =
                new RunConsole(
                        new PrintWriter(output),
                        new PrintWriter(errors),
                        new TextStyle(false, false));
        plain.begin(PASSED.options());
        plain.second(PASSED.statistics().timeline().getFirst(), TpccRun.TPCC);
        plain.measured(FAILED);
        plain.checked(FAILED.conditions(), FAILED.checkSeconds());
        assertThat(output.toString() + errors).matches("\\p{ASCII}*").contains("FAILED 3.3.2.6");
    }

    @Test
    void aSecondIsALineOnStandardError() {
        console.second(PASSED.statistics().timeline().getFirst(), TpccRun.TPCC);
        assertThat(errors.toString())
                .matches(
                        " +1 s +[0-9,]+ tps +[0-9,]+ tpmC +[0-9]+ aborts/s  p99 +[0-9,]+ µs  warm-up\\R");
        assertThat(output.toString()).isEmpty();
    }

    /// Figures of a slow network are distinguished, too.
    @Test
    void aSecondFitsInEightyColumns() {
        console.second(
                new TimelinePoint(9999, 1, false, List.of(9L, 9L, 9L, 9L, 9L), 99_999, 2.7e6, 1300),
                TpccRun.TPCC);
        assertThat(errors.toString())
                .contains("99,999 aborts/s  p99 2,700,000 µs  old 1.3 KiB")
                .hasSizeLessThanOrEqualTo(80 + System.lineSeparator().length());
    }

    @Test
    void theOptionsAreSaidFirstSoThatARunCanBeRepeated() {
        console.begin(PASSED.options());
        assertThat(errors.toString())
                .startsWith("TPC-C: warehouses=4 population=100 threads=2 durationSeconds=9.0")
                .contains(" seed=1 ");
    }
}

package org.namdb.workload.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.workload.SampleKind;
import org.namdb.workload.SampleOptions;
import org.namdb.workload.statistics.MeasuredWindow;
import org.namdb.workload.statistics.RunEnd;
import org.namdb.workload.statistics.RunStatistics;
import org.namdb.workload.statistics.ThreadStatistics;
import org.namdb.workload.statistics.TimelinePoint;
import org.namdb.workload.statistics.TransactionCost;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A benchmark whose measure is transactions per second: nothing in its report is another's.
class ReportTest {
    private static final CheckedCondition HOLDS =
            new CheckedCondition("rows", "every row is there", 0, List.of());
    private static final CheckedCondition FAILS =
            new CheckedCondition("order", "in order", 1, List.of("row 3 before 2"));

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();
    private final RunConsole console =
            new RunConsole(
                    new PrintWriter(output, true),
                    new PrintWriter(errors, true),
                    new TextStyle(false, true));

    private static RunResult result(CheckedCondition... conditions) {
        MeasuredWindow window = new MeasuredWindow(0, 1_000_000_000L);
        ThreadStatistics thread = new ThreadStatistics(window, SampleKind.values().length);
        for (int i = 0; i < 8; i++) {
            thread.began(0, 0);
            thread.completed(
                    i < 6 ? SampleKind.READ : SampleKind.SCAN,
                    false,
                    1_000_000,
                    new TransactionCost());
        }
        return new RunResult(
                SampleKind.benchmark(),
                SampleOptions.of("--records 7 --threads 2"),
                new MachineFacts("a processor", 2, 1L << 30, "Linux", "a JVM", "0", "now"),
                new DatabaseFacts(null, 1, 8L << 30, 0),
                new LoadFacts("record", 7, 7, 0.5, 700),
                RunEnd.DURATION,
                RunStatistics.merge(
                        2, SampleKind.values().length, List.of(thread), List.of(point())),
                new MemoryFacts(1_000, 1_800, 8, 0),
                new OwnCounts(Map.of("rowsScanned", 55L), Map.of("scans", "55 rows")),
                List.of(conditions),
                0.25);
    }

    private static TimelinePoint point() {
        return new TimelinePoint(1, 1, false, List.of(6L, 0L, 2L), 0, 9, 10);
    }

    @Test
    void theFilesNameItsKindsAndNoMeasure(@TempDir Path directory) throws IOException {
        ResultFiles.in(directory).write(result(HOLDS, HOLDS));
        JsonNode json =
                JsonMapper.shared().readTree(Files.readString(directory.resolve("result.json")));
        assertThat(json.get("benchmark").stringValue()).isEqualTo("Sample");
        assertThat(json.get("tps").doubleValue()).isEqualTo(4);
        assertThat(json.get("types").propertyNames()).containsExactly("Read", "Write", "Scan");
        assertThat(json.get("load").propertyNames())
                .containsExactly(
                        "records",
                        "rows",
                        "seconds",
                        "recordsPerSecond",
                        "regionBytes",
                        "regionBytesPerRecord");
        assertThat(json.get("growthBytesPerTransaction").doubleValue()).isEqualTo(100);
        assertThat(json.get("rowsScanned").longValue()).isEqualTo(55);
        assertThat(json.get("options").get("records").longValue()).isEqualTo(7);
        assertThat(json.get("passed").booleanValue()).isTrue();
        assertThat(Files.readAllLines(directory.resolve("timeline.csv")))
                .containsExactly(
                        "endSeconds,lengthSeconds,warmup,Read,Write,Scan,tps,abortsPerSecond,"
                                + "p99Micros,oldVersionBytes",
                        "1.0,1.0,false,6,0,2,8.0,0.0,9.0,10");
        assertThat(directory.resolve("report.html"))
                .content()
                .contains("Sample on NamDB", "7 records, 2 threads", "growth per transaction");
    }

    @Test
    void theConsoleShowsItsKindsAndNoMeasure() {
        console.begin(SampleOptions.of("--records 7 --threads 2"));
        console.second(point(), SampleKind.benchmark());
        console.measured(result());
        console.verdict(result(HOLDS));
        assertThat(errors.toString().lines())
                .anyMatch(line -> line.startsWith("Sample: records=7 threads=2 "))
                .anyMatch(
                        line -> line.matches(" +1 s +8 tps +0 aborts/s  p99 +9 µs  old 10 bytes"));
        assertThat(output.toString())
                .contains(
                        "transactions/s  4.0, measured for 2.0 s",
                        "loaded       7 records, 7 rows in 0.5 s",
                        "regions      100 bytes per record when loaded",
                        "growth       100 bytes per transaction",
                        "scans        55 rows")
                .endsWith("PASSED: both conditions hold.\n");
    }

    @Test
    void aConditionThatDoesNotHoldIsAFailure() {
        RunResult failed = result(HOLDS, FAILS);
        assertThat(failed.passed()).isFalse();
        console.checked(failed.conditions(), 1);
        console.verdict(failed);
        assertThat(output.toString())
                .contains("✗ order    in order", "row 3 before 2")
                .endsWith("FAILED: one of the consistency conditions violated.\n");
    }
}

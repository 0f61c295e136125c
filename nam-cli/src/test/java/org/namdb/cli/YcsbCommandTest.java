package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `nam ycsb` from its command line to its files.
class YcsbCommandTest {
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int nam(String arguments) {
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        return nam.execute(("ycsb " + arguments).strip().split(" +", -1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    --threads 1                      | Missing required option: '--workload=NAME'
                    --workload g                     | Invalid value for option '--workload': must be one of a, b, c, d, e, f, tree-a, tree-b, tree-c, tree-d, not 'g'
                    --workload c --records 1         | --records must be 2 to 2147483647, not 1
                    --workload c --records 900000000 --memory 1g | --records 900000000 needs about 2.1 TiB of memory, but --memory gives 1 GiB
                    --workload c --fields 0          | --fields must be 1 to 50, not 0
                    --workload c --field-bytes 15    | --field-bytes must be 16 to 2000, not 15
                    --workload c --fields 50 --field-bytes 1000 | --fields 50 with --field-bytes 1000 are more than the 30000 bytes that a record may have
                    --workload c --requests zipf:1   | Invalid value for option '--requests': a Zipfian skew must be over 0 and below 1, not 1.0
                    --workload c --requests first    | Invalid value for option '--requests': requests are zipf:THETA as in zipf:0.99, latest or uniform, not 'first'
                    --workload e --max-scan 0        | --max-scan must be 1 to 1000000, not 0
                    --workload c --max-scan 5        | --max-scan is for --workload e, whose scans have a number of records
                    --workload e --selectivity 0.1   | --selectivity is for --workload tree-b, whose ranges have one
                    --workload tree-b --selectivity 0 | --selectivity must be over 0 and at most 1, not 0.0
                    --workload e --entries           | --entries is for --workload tree-a to tree-d, whose reads go by the index
                    --workload c --no-load           | --no-load is about a database that is there already, so it needs --cluster or --data
                    --workload c --cluster c --memory 1g | --memory is for a database in this process: with --cluster it is the cluster's own
                    --workload c --mix 1             | Unknown options: '--mix', '1'
                    """)
    void whatCannotBeIsRefusedInOneSentenceWithStatusTwo(String arguments, String sentence) {
        assertThat(nam(arguments)).isEqualTo(2);
        assertThat(output.toString()).isEmpty();
        assertThat(errors.toString().lines().findFirst()).contains("nam ycsb: " + sentence);
    }

    @Test
    void aRunIsLoadedDrivenCheckedAndWritten(@TempDir Path directory) throws Exception {
        assertThat(
                        nam(
                                "--workload e --records 2000 --threads 2 --memory 128m --memory-servers 2"
                                        + " --warmup 200ms --duration 800ms --max-scan 40 --out "
                                        + directory))
                .as(() -> errors.toString())
                .isZero();
        JsonNode result =
                JsonMapper.shared().readTree(Files.readString(directory.resolve("result.json")));
        assertThat(result.get("benchmark").stringValue()).isEqualTo("YCSB");
        assertThat(result.get("tps").doubleValue()).isPositive();
        assertThat(result.get("types").propertyNames()).containsExactly("Scan", "Insert");
        double mean =
                result.get("recordsScanned").doubleValue() / result.get("scans").doubleValue();
        assertThat(mean).isBetween(15.0, 25.0);
        assertThat(result.get("conditions").propertyNames())
                .containsExactly("found", "content", "order");
        for (String file : List.of("report.html", "timeline.csv", "latency.csv")) {
            assertThat(directory.resolve(file)).isNotEmptyFile();
        }
        assertThat(directory.resolve("deliveries.csv")).doesNotExist();
        assertThat(errors.toString())
                .contains("YCSB: workload=e records=2000 ", "loaded 2,000 records");
        assertThat(output.toString())
                .contains("transactions/s  ", "scans  ")
                .doesNotContain("tpmC")
                .endsWith("PASSED: all three consistency conditions hold.\n");
    }

    @Test
    void theHelpNamesEveryWorkload() {
        assertThat(nam("--help")).isZero();
        assertThat(output.toString())
                .contains("--workload=NAME", "tree-a", "--selectivity", "--cluster", "--duration");
    }
}

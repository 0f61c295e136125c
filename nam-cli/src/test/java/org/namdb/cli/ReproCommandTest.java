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

/// `nam repro` from its command line to its files.
class ReproCommandTest {
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int nam(String arguments) {
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        return nam.execute(("repro " + arguments).strip().split(" +", -1));
    }

    /// Figures that vary clients, with inserts, and memory servers, with skewed data.
    @ParameterizedTest
    @CsvSource({"12, 2, 4, 16", "11, 4, 3, 24"})
    void aFigureIsMeasuredPrintedAndWritten(
            int figure, int plots, int lines, int values, @TempDir Path directory)
            throws Exception {
        assertThat(
                        nam(
                                "tree-index %d --records 400 --clients 1,3 --memory-servers 2 --cable 0 --duration 60ms --warmup 0ms --out %s"
                                        .formatted(figure, directory)))
                .as(() -> errors.toString())
                .isZero();
        assertThat(output.toString())
                .startsWith("Figure %d of the tree-index paper, measured here: ".formatted(figure))
                .contains("\nthe paper: \"");
        assertThat(output.toString().lines().skip(1).filter(line -> line.contains(", measured ")))
                .hasSize(plots * lines);
        List<String> written =
                Files.readAllLines(directory.resolve("tree-index-" + figure + ".csv"));
        assertThat(written).hasSize(values + 1);
        assertThat(written.getFirst())
                .isEqualTo("plot,line,source,horizontal,place,vertical,roundTrips,bytes,value");
        double sum = 0;
        for (String line : written.subList(1, written.size())) {
            assertThat(line).contains(",measured,");
            String value = line.substring(line.lastIndexOf(',') + 1);
            if (!value.isEmpty()) { // a slow machine may complete nothing
                assertThat(Double.parseDouble(value)).as(line).isPositive();
                sum += Double.parseDouble(value);
            }
        }
        assertThat(sum).isPositive();
        for (int plot = 0; plot < plots; plot++) {
            assertThat(directory.resolve("tree-index-%d-%c.svg".formatted(figure, 'a' + plot)))
                    .content()
                    .contains("<svg", ", measured")
                    .doesNotContain("NaN");
        }
    }

    /// Accesses by numbers of compute servers, by each of them, and a tree.
    @ParameterizedTest
    @CsvSource({"12, 6, 3", "15, 2, 3", "18, 4, 1"})
    void aFigureOfSelccIsMeasuredAndPrinted(int figure, int plots, int lines) {
        assertThat(
                        nam(
                                "selcc %d --servers 2 --threads 1 --lines 200 --frames 100 --cable 0 --duration 20ms --warmup 0ms"
                                        .formatted(figure)))
                .as(() -> errors.toString())
                .isZero();
        assertThat(output.toString())
                .startsWith("Figure %d of SELCC, measured here, over TCP".formatted(figure))
                .contains("\nthe paper: \"");
        assertThat(output.toString().lines().skip(1).filter(line -> line.contains(", measured ")))
                .hasSize(plots * lines);
    }

    /// Every figure of ScaleStore.
    @ParameterizedTest
    @CsvSource({
        "6, 4, 12, 24",
        "7, 2, 8, 16",
        "8, 2, 5, 20",
        "9, 2, 8, 80",
        "10, 2, 10, 100",
        "11, 2, 2, 8"
    })
    void aFigureOfScaleStoreIsMeasuredPrintedAndWritten(
            int figure, int plots, int lines, int values, @TempDir Path directory)
            throws Exception {
        Path disks = Files.createDirectory(directory.resolve("disks"));
        assertThat(
                        nam(
                                "scalestore %d --nodes 1,2 --threads 2 --records 40000 --frames 100 --cable 0 --duration 30ms --warmup 0ms --directory %s --out %s"
                                        .formatted(figure, disks, directory)))
                .as(() -> errors.toString())
                .isZero();
        assertThat(output.toString())
                .startsWith("Figure %d of ScaleStore, measured here, over TCP".formatted(figure))
                .contains("\nthe paper: ");
        assertThat(output.toString().lines().skip(1).filter(line -> line.contains(", measured ")))
                .hasSize(lines);
        assertThat(Files.readAllLines(directory.resolve("scalestore-%d.csv".formatted(figure))))
                .hasSize(values + 1);
        assertThat(directory.resolve("scalestore-%d-%c.svg".formatted(figure, 'a' + plots - 1)))
                .exists();
        assertThat(disks).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    scalestore                    | nam repro scalestore: Missing required parameter: 'FIGURE'
                    scalestore 12                 | nam repro scalestore: FIGURE is a number from 6 to 11, not 12
                    scalestore 9 --nodes 1        | nam repro scalestore: figure 9 needs 2 nodes or more: give it --nodes 2
                    scalestore 7 --nodes 4,2      | nam repro scalestore: --nodes must be numbers from 1 to 16 in ascending order, like 2,4
                    scalestore 7 --threads 0      | nam repro scalestore: --threads must be 1 to 64, not 0
                    scalestore 7 --records 10     | nam repro scalestore: --records must be 1000 to 100000000, not 10
                    scalestore 7 --frames 9       | nam repro scalestore: --frames must be 100 to 262144, not 9
                    scalestore 7 --directory /none | nam repro scalestore: --directory /none is no directory: make it first
                    selcc                         | nam repro selcc: Missing required parameter: 'FIGURE'
                    selcc 11                      | nam repro selcc: FIGURE is a number from 12 to 19, not 11
                    selcc 12 --servers 4,2        | nam repro selcc: --servers must be numbers from 2 to 16 in ascending order, like 2,4
                    selcc 12 --frames 5           | nam repro selcc: --frames must be 100 or more, not 5
                    tree-index                    | nam repro tree-index: Missing required parameter: 'FIGURE'
                    tree-index 6                  | nam repro tree-index: FIGURE is a number from 7 to 15, not 6
                    tree-index 7 --clients 4,2    | nam repro tree-index: --clients must be numbers from 1 to 4096 in ascending order, like 1,4,16
                    tree-index 7 --clients 0,2    | nam repro tree-index: --clients must be numbers from 1 to 4096 in ascending order, like 1,4,16
                    tree-index 7 --records 5      | nam repro tree-index: --records must be 100 or more, not 5
                    tree-index 7 --memory-servers 0 | nam repro tree-index: --memory-servers must be 1 to 16
                    tree-index 7 --cable -1       | nam repro tree-index: --cable must be 0 to 1000000 microseconds
                    tree-index 7 --duration 0s    | nam repro tree-index: --duration must be over 0 s and at most an hour
                    tree-index 7 --out /dev/null  | nam repro tree-index: --out /dev/null can't be made a directory: a file is in its place
                    """)
    void whatCannotBeIsRefusedInOneSentenceWithStatusTwo(String arguments, String sentence) {
        assertThat(nam(arguments)).isEqualTo(2);
        assertThat(output.toString()).isEmpty();
        assertThat(errors.toString().lines().findFirst()).contains(sentence);
    }

    @Test
    void aPaperIsWanted() {
        assertThat(nam("")).isEqualTo(2);
        assertThat(errors.toString()).contains("nam repro");
    }
}

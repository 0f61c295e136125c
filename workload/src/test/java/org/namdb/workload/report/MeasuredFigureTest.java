package org.namdb.workload.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.workload.report.MeasuredFigure.Line;
import org.namdb.workload.report.MeasuredFigure.Place;
import org.namdb.workload.report.MeasuredFigure.Plot;
import org.namdb.workload.report.MeasuredFigure.Value;

class MeasuredFigureTest {
    private final MeasuredFigure figure =
            new MeasuredFigure(
                    "figure",
                    "Figure",
                    List.of(
                            new Plot(
                                    "A",
                                    "clients",
                                    "mean µs",
                                    List.of(Place.of(1), Place.of(4)),
                                    List.of(
                                            new Line(
                                                    "one",
                                                    List.of(Value.NONE, new Value(250, 1.5, 64))),
                                            new Line(
                                                    "other",
                                                    List.of(new Value(7, 0, 0), Value.NONE))))),
                    List.of());

    /// A slow machine may complete no operation in the time of a value: that is no latency of 0.
    @Test
    void whatWasNotMeasuredIsNoZero(@TempDir Path directory) throws Exception {
        assertThat(figure.lines())
                .contains(
                        "A: mean µs at clients    1    4  round trips  bytes",
                        "one, measured            -  250          1.5   64.0",
                        "other, measured        7.0    -            -      -");
        figure.write(ResultFiles.in(directory));
        assertThat(Files.readAllLines(directory.resolve("figure.csv")))
                .contains(
                        "A,one,measured,clients,1,mean µs,,,",
                        "A,one,measured,clients,4,mean µs,1.5,64.0,250.0",
                        "A,other,measured,clients,1,mean µs,0.0,0.0,7.0");
        assertThat(directory.resolve("figure-a.svg"))
                .content()
                .contains("<title>250</title>", "<title>7.0</title>")
                .doesNotContain("NaN", "<title>-</title>");
    }
}

package org.namdb.workload.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
    private static final long MILLI = 1_000_000;

    private final StringWriter text = new StringWriter();

    private ProgressBar bar(boolean terminal) {
        return new ProgressBar(new PrintWriter(text), new TextStyle(terminal, true), "loading", 0);
    }

    @Test
    void onATerminalOneLineIsDrawnAgainAndAgain() {
        ProgressBar bar = bar(true);
        bar.show(0.25, "1 of 4 warehouses", 1_000 * MILLI);
        bar.show(0.26, "1 of 4 warehouses", 1_050 * MILLI);
        bar.show(0.5, "2 of 4 warehouses", 2_000 * MILLI);
        bar.finish("done");
        assertThat(text.toString())
                .isEqualTo(
                        "\r\u001b[Kloading    ██████░░░░░░░░░░░░░░░░░░  25 %  1 of 4 warehouses, 0:03 left"
                                + "\r\u001b[Kloading    ████████████░░░░░░░░░░░░  50 %  2 of 4 warehouses, 0:02 left"
                                + "\r\u001b[Kdone"
                                + System.lineSeparator());
    }

    @Test
    void elsewhereThereIsALineASecond() {
        ProgressBar bar = bar(false);
        for (int millis = 0; millis <= 2_500; millis += 100) {
            bar.show(millis / 2_500.0, millis + " rows", millis * MILLI);
        }
        bar.finish("done");
        assertThat(text.toString().lines())
                .containsExactly(
                        "loading    █████████░░░░░░░░░░░░░░░  40 %  1000 rows, 0:02 left",
                        "loading    ███████████████████░░░░░  80 %  2000 rows, 0:01 left", "done");
    }

    @Test
    void theTimeLeftIsNotGuessedFromLessThanOnePercent() {
        ProgressBar bar = bar(false);
        bar.show(0.009, "a row", 2_000 * MILLI);
        bar.show(0.01, "more", 4_000 * MILLI);
        assertThat(text.toString().lines())
                .containsExactly(
                        "loading    ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  a row",
                        "loading    ░░░░░░░░░░░░░░░░░░░░░░░░   1 %  more, 6:36 left");
    }

    @Test
    void aShareOutOfItsRangeDoesNotBreakTheBar() {
        ProgressBar bar = bar(false);
        bar.show(-1, "x", 2_000 * MILLI);
        bar.show(7, "y", 4_000 * MILLI);
        assertThat(text.toString().lines())
                .containsExactly(
                        "loading    ░░░░░░░░░░░░░░░░░░░░░░░░   0 %  x",
                        "loading    ████████████████████████ 100 %  y, 0:00 left");
    }
}

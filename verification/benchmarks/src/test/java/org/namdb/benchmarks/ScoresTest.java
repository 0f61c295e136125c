package org.namdb.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScoresTest {
    private static final String RESULTS =
            """
            [{"benchmark": "org.namdb.benchmarks.OracleBegin.quiet",
              "params": {"oracle": "CHAIN", "slots": "4"},
              "primaryMetric": {"rawData": [[5.0, 3.0, 4.0], [9.0, 8.0, 7.0], [2.0, 2.5, 9.9]]}},
             {"benchmark": "org.namdb.benchmarks.OraclePublish.ownSlot",
              "params": {"slots": "4"},
              "primaryMetric": {"rawData": [[1.0], [2.0]]}}]
            """;

    @TempDir private Path directory;

    @Test
    void aScoreIsTheMedianOfTheForksLeastIterations() throws IOException {
        Scores scores = Scores.read(Files.writeString(directory.resolve("results"), RESULTS));
        assertThat(scores.of("quiet", Map.of("oracle", "CHAIN", "slots", "4"))).isEqualTo(3.0);
        assertThat(scores.of("ownSlot", Map.of("slots", "4"))).isEqualTo(1.5);
    }

    @Test
    void whatWasNotRunIsNamed() throws IOException {
        Scores scores = Scores.read(Files.writeString(directory.resolve("results"), RESULTS));
        assertThatThrownBy(() -> scores.of("quiet", Map.of("oracle", "CHAIN", "slots", "16")))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessage("quiet was not run with {oracle=CHAIN, slots=16}");
    }
}

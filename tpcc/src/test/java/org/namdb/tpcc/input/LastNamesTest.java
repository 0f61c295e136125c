package org.namdb.tpcc.input;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Clause 4.3.2.3.
class LastNamesTest {
    private static String name(int number) {
        return new String(LastNames.ascii(number), StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @CsvSource({"0, BARBARBAR", "371, PRICALLYOUGHT", "40, BARPRESBAR", "999, EINGEINGEING"})
    void aNameHasASyllableForEachDigit(int number, String name) {
        assertThat(name(number)).isEqualTo(name);
    }

    @Test
    void allNamesDifferAndFitInTheirColumn() {
        assertThat(IntStream.range(0, 1_000).mapToObj(LastNamesTest::name).distinct())
                .hasSize(1_000)
                .allMatch(name -> name.length() <= LastNames.MAX_BYTES);
    }
}

package org.namdb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.workload.InvalidOptionException;

class RecordChooserTest {
    private static final int RECORDS = 1_000;
    private static final int DRAWS = 1_000_000;

    private static RecordChooser chooser(Requests requests) {
        return new RecordChooser(requests, zipfian(requests, RECORDS), new SplittableRandom(11));
    }

    private static @Nullable Zipfian zipfian(Requests requests, int ranks) {
        return requests.kind() == Requests.Kind.UNIFORM
                ? null
                : new Zipfian(ranks, requests.theta());
    }

    private static int[] counts(Requests requests, int records) {
        RecordChooser chooser = chooser(requests);
        int[] counts = new int[records];
        for (int i = 0; i < DRAWS; i++) {
            counts[(int) chooser.next(records)]++;
        }
        return counts;
    }

    @Test
    void uniformAsksForEachAsOften() {
        int[] counts = counts(Requests.UNIFORM, RECORDS);
        double expected = (double) DRAWS / RECORDS;
        double chiSquare =
                Arrays.stream(counts).mapToDouble(n -> Math.pow(n - expected, 2) / expected).sum();
        // 999 degrees of freedom: mean 999, standard deviation 45.
        assertThat(chiSquare).isBetween(999 - 5 * 45.0, 999 + 5 * 45.0);
    }

    @Test
    void zipfianAsksForFewMostOftenWhereverTheyLie() {
        int[] counts = counts(Requests.ZIPFIAN, RECORDS);
        int popular = (int) Long.remainderUnsigned(RecordChooser.hash(0), RECORDS);
        int[] sorted = counts.clone();
        Arrays.sort(sorted);
        assertThat(counts[popular]).isEqualTo(sorted[RECORDS - 1]);
        // 1 / sum(1 / i^0.99) of a thousand.
        assertThat((double) sorted[RECORDS - 1] / DRAWS).isBetween(0.12, 0.15);
        int[] halves = new int[2];
        for (int record = 0; record < RECORDS; record++) {
            halves[record * 2 / RECORDS] += counts[record] > DRAWS / RECORDS ? 1 : 0;
        }
        assertThat(halves[0]).isBetween(20, 200);
        assertThat(halves[1]).isBetween(20, 200);
    }

    @Test
    void latestAsksForTheLastOneMostAndFollowsIt() {
        int[] counts = counts(Requests.LATEST, RECORDS);
        assertThat((double) counts[RECORDS - 1] / DRAWS).isBetween(0.12, 0.15);
        assertThat(counts[RECORDS - 2]).isLessThan(counts[RECORDS - 1]);
        assertThat(counts[0]).isLessThan(counts[RECORDS / 2]);
        int[] later = counts(Requests.LATEST, 2 * RECORDS);
        assertThat(Arrays.stream(later).max()).hasValue(later[2 * RECORDS - 1]);
        assertThat(Arrays.stream(later, 0, RECORDS).sum()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"zipf:0.99", "zipf:0.5", "latest", "uniform"})
    void aDistributionIsReadAsItIsWritten(String text) {
        assertThat(Requests.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"zipf", "zipf:", "zipf:1", "zipf:0", "zipf:NaN", "zipf:x", "first"})
    void whatIsNoneIsRefused(String text) {
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> Requests.parse(text))
                .isInstanceOf(InvalidOptionException.class);
    }
}

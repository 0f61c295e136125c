package org.namdb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What is drawn, against the sums of the distribution.
class ZipfianTest {
    private static final int DRAWS = 1_000_000;

    private static double share(long ranks, long first, double theta) {
        double sum = 0;
        double all = 0;
        for (long rank = 0; rank < ranks; rank++) {
            double weight = Math.pow(rank + 1.0, -theta);
            all += weight;
            sum += rank < first ? weight : 0;
        }
        return sum / all;
    }

    private static double drawn(Zipfian zipfian, long first) {
        SplittableRandom random = new SplittableRandom(7);
        int below = 0;
        for (int i = 0; i < DRAWS; i++) {
            below += zipfian.next(random) < first ? 1 : 0;
        }
        return (double) below / DRAWS;
    }

    /// Ranks 0 and 1 are exact; the power law of the others is a little off.
    @ParameterizedTest
    @CsvSource({
        "100000, 0.99, 1, 0.002", "100000, 0.99, 2, 0.002", "100000, 0.99, 10, 0.03",
        "100000, 0.99, 1000, 0.03", "1000, 0.5, 1, 0.002", "1000, 0.5, 100, 0.03",
        "2, 0.99, 1, 0.002", "100000, 1.2, 2, 0.002", "100000, 1.2, 10, 0.03",
        "100000, 1.2, 1000, 0.03", "100000, 1.4, 1, 0.002", "100000, 1.4, 100, 0.03"
    })
    void theFirstRanksAreDrawnAsOftenAsTheyShould(
            long ranks, double theta, long first, double tolerance) {
        assertThat(drawn(new Zipfian(ranks, theta), first))
                .isCloseTo(share(ranks, first, theta), within(tolerance));
    }

    @Test
    void everyRankIsInItsRange() {
        Zipfian zipfian = new Zipfian(100, 0.99);
        SplittableRandom random = new SplittableRandom(8);
        boolean[] seen = new boolean[100];
        for (int i = 0; i < DRAWS; i++) {
            seen[(int) zipfian.next(random)] = true;
        }
        assertThat(seen).doesNotContain(false);
    }

    @Test
    void oneThatHasGrownDrawsTheSameAsOneThatWasAsLargeAtOnce() {
        Zipfian grown = new Zipfian(10, 0.99);
        grown.grow(500);
        grown.grow(1_000);
        Zipfian large = new Zipfian(1_000, 0.99);
        SplittableRandom one = new SplittableRandom(9);
        SplittableRandom other = new SplittableRandom(9);
        for (int i = 0; i < 10_000; i++) {
            assertThat(grown.next(one)).isEqualTo(large.next(other));
        }
    }
}

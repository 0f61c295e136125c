package org.namdb.tpcc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Clauses 2.1.6 and 4.3.2: what is drawn lies in its range and is distributed as the standard
/// requires.
class TpccRandomTest {
    private static final int DRAWS = 200_000;

    private final TpccRandom random = new TpccRandom(Seeds.next());
    private final byte[] text = new byte[500];

    private String text(int length) {
        return new String(text, 0, length, StandardCharsets.US_ASCII);
    }

    @Test
    void uniformReachesBothEndsAndFavoursNone() {
        int[] counts = new int[10];
        for (int i = 0; i < DRAWS; i++) {
            counts[random.uniform(5, 14) - 5]++;
        }
        double expected = DRAWS / 10.0;
        double chiSquare =
                Arrays.stream(counts)
                        .mapToDouble(n -> (n - expected) * (n - expected) / expected)
                        .sum();
        assertThat(chiSquare).as("9 degrees of freedom, one in ten million over").isLessThan(50);
    }

    @Test
    void uniformTakesTheWholeRangeOfInts() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(random.uniform(Integer.MAX_VALUE, Integer.MAX_VALUE))
                    .isEqualTo(Integer.MAX_VALUE);
            random.uniform(Integer.MIN_VALUE, Integer.MAX_VALUE);
        }
    }

    @Test
    void nuRandIsTheDistributionOfItsFormula() {
        int a = 255;
        int c = 123;
        double[] expected = new double[1_000];
        for (int x = 0; x <= a; x++) {
            for (int y = 0; y < 1_000; y++) {
                expected[((x | y) + c) % 1_000] += DRAWS / (256.0 * 1_000);
            }
        }
        int[] counts = new int[1_000];
        for (int i = 0; i < DRAWS; i++) {
            counts[random.nuRand(a, c, 0, 999)]++;
        }
        double chiSquare = 0;
        for (int i = 0; i < 1_000; i++) {
            if (expected[i] == 0) {
                assertThat(counts[i]).isZero();
            } else {
                chiSquare += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
            }
        }
        assertThat(chiSquare).as("999 degrees of freedom").isLessThan(1_300);
    }

    @Test
    void nuRandStaysInItsRange() {
        for (int i = 0; i < DRAWS; i++) {
            assertThat(random.nuRand(8_191, 8_191, 1, 100_000)).isBetween(1, 100_000);
            assertThat(random.nuRand(1_023, 77, 1, 30)).isBetween(1, 30);
        }
    }

    @Test
    void stringsHaveTheirLengthsAndAlphabets() {
        boolean[] lengths = new boolean[27];
        for (int i = 0; i < 10_000; i++) {
            String letters = text(random.alphanumeric(text, 10, 26));
            assertThat(letters).matches("[0-9A-Za-z]{10,26}");
            lengths[letters.length()] = true;
            assertThat(text(random.numeric(text, 16, 16))).matches("[0-9]{16}");
            assertThat(text(random.zip(text))).matches("[0-9]{4}11111");
        }
        assertThat(IntStream.rangeClosed(10, 26).allMatch(length -> lengths[length])).isTrue();
    }

    @Test
    void everySignIsAsLikelyAsAnyOther() {
        int[] counts = new int[128];
        int drawn = 0;
        for (int i = 0; i < 2_000; i++) {
            int length = random.alphanumeric(text, 300, 500);
            drawn += length;
            for (int j = 0; j < length; j++) {
                counts[text[j]]++;
            }
        }
        for (int sign = 0; sign < 128; sign++) {
            double expected = Character.isLetterOrDigit(sign) ? drawn / 62.0 : 0;
            assertThat((double) counts[sign]).isCloseTo(expected, within(expected * 0.06));
        }
    }

    @Test
    void aTenthOfTheBrandsIsOriginal() {
        int originals = 0;
        for (int i = 0; i < DRAWS; i++) {
            String brand = text(random.brand(text, 26, 50));
            assertThat(brand).hasSizeBetween(26, 50);
            originals += brand.contains("ORIGINAL") ? 1 : 0;
        }
        assertThat(originals).isCloseTo(DRAWS / 10, within(DRAWS / 100));
    }

    @Test
    void aPermutationHoldsEachNumberOnceAndMovesThem() {
        int[] numbers = new int[3_000];
        random.permutation(numbers, 1);
        int[] sorted = numbers.clone();
        Arrays.sort(sorted);
        assertThat(sorted).isEqualTo(IntStream.rangeClosed(1, 3_000).toArray());
        assertThat(numbers).isNotEqualTo(sorted);
    }

    @Test
    void exponentialTimesHaveTheirMeanAndEndAtTenTimesIt() {
        long mean = 1_000_000;
        double sum = 0;
        for (int i = 0; i < DRAWS; i++) {
            long nanos = random.exponentialNanos(mean);
            assertThat(nanos).isBetween(0L, 10 * mean);
            sum += nanos;
        }
        assertThat(sum / DRAWS).isCloseTo((double) mean, within(mean * 0.02));
    }

    @Test
    void oneSeedDrawsTheSameAndItsStreamsDiffer() {
        long seed = random.bits();
        assertThat(TpccRandom.stream(seed, 3).bits()).isEqualTo(TpccRandom.stream(seed, 3).bits());
        long distinct =
                IntStream.range(-1, 1_000)
                        .mapToLong(stream -> TpccRandom.stream(seed, stream).bits())
                        .distinct()
                        .count();
        assertThat(distinct).isEqualTo(1_001);
    }
}

package org.namdb.tpcc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.tpcc.ItemSkew;

class ItemChooserTest {
    private static final int DRAWS = 1_000_000;

    private final long seed = Seeds.next();
    private final TpccRandom random = new TpccRandom(seed);

    private int[] draw(ItemSkew skew, int items) {
        ItemChooser chooser = ItemChooser.of(skew, items, NuRandConstants.of(seed));
        int[] counts = new int[items + 1];
        for (int i = 0; i < DRAWS; i++) {
            counts[chooser.next(random)]++;
        }
        assertThat(counts[0]).isZero();
        return counts;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.8, 0.9, 1.0, 2.0, 10.0})
    void zipfGivesEachItemItsShare(double alpha) {
        int items = 1_000;
        int[] counts = draw(new ItemSkew.Zipf(alpha), items);
        double sum = 0;
        for (int i = 1; i <= items; i++) {
            sum += Math.pow(i, -alpha);
        }
        for (int i = 1; i <= items; i++) {
            double expected = DRAWS * Math.pow(i, -alpha) / sum;
            assertThat((double) counts[i])
                    .as("item %d", i)
                    .isCloseTo(expected, within(6 * Math.sqrt(expected) + 6));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 100_000})
    void zipfWorksForAnyNumberOfItems(int items) {
        int[] counts = draw(new ItemSkew.Zipf(1), items);
        assertThat(counts[1]).isPositive();
    }

    @Test
    void uniformGivesEachItemTheSame() {
        int[] counts = draw(new ItemSkew.Uniform(), 100);
        for (int i = 1; i <= 100; i++) {
            assertThat(counts[i]).isCloseTo(DRAWS / 100, within(700));
        }
    }

    @Test
    void theStandardSkewDrawsEveryItem() {
        int[] counts = draw(new ItemSkew.Standard(), 1_000);
        for (int i = 1; i <= 1_000; i++) {
            assertThat(counts[i]).isPositive();
        }
    }
}

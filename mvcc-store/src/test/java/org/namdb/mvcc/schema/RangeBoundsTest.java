package org.namdb.mvcc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RangeBoundsTest {
    private static final IndexDefinition RANGES =
            IndexDefinition.ordered("i", "t", "c")
                    .property(IndexDefinition.DISTRIBUTION, IndexDefinition.COARSE)
                    .property(IndexDefinition.PARTITION, IndexDefinition.BY_RANGE);

    private static List<long[]> sample(int entries) {
        return LongStream.range(0, entries).mapToObj(i -> new long[] {i, 7}).toList();
    }

    private static List<Long> divided(int entries, IndexDefinition definition, int parts) {
        return RangeBounds.divide(sample(entries), definition, parts).stream()
                .map(bound -> bound[0])
                .toList();
    }

    @Test
    void rangesHaveTheSharesOfTheEntriesThatAreWanted() {
        IndexDefinition skewed = RANGES.property(IndexDefinition.SHARES, "80,12,5,3");
        assertThat(divided(1000, skewed, 4)).containsExactly(800L, 920L, 970L);
        assertThat(divided(1000, RANGES, 4)).containsExactly(250L, 500L, 750L);
        assertThat(divided(1000, RANGES, 1)).isEmpty();
    }

    @Test
    void sharesOfAnotherNumberOfRangesAreEqual() {
        IndexDefinition skewed = RANGES.property(IndexDefinition.SHARES, "80,12,5,3");
        assertThat(divided(1000, skewed, 2)).containsExactly(500L);
    }

    @Test
    void fewEntriesMakeEmptyRangesAndNoneNoRanges() {
        assertThat(divided(1, RANGES, 4)).containsExactly(0L, 0L, 0L);
        assertThat(divided(0, RANGES, 4)).isEmpty();
    }

    /// A separator is an entry with a leaf's address.
    @Test
    void furtherWordsAreTheLeast() {
        RangeBounds ranges =
                Objects.requireNonNull(
                        RangeBounds.of(RANGES.bounds(List.of(new long[] {5})), 2, 1, 1));
        assertThat(ranges.least()).hasSize(1);
        assertThat(ranges.least().getFirst()).containsExactly(5, 0);
        assertThat(ranges.shares()).containsExactly(0.5, 0.5);
    }

    @Test
    void boundsThatDoNotFitAreNone() {
        IndexDefinition bounded = RANGES.bounds(List.of(new long[] {1, 2}));
        assertThat(RangeBounds.of(bounded, 2, 2, 0)).isNotNull();
        assertThat(RangeBounds.of(bounded, 3, 2, 0)).isNull();
        assertThat(RangeBounds.of(bounded, 2, 1, 0)).isNull();
        assertThat(RangeBounds.of(RANGES, 2, 2, 0)).isNull();
        assertThat(RangeBounds.of(bounded, 1, 2, 0)).isNull();
    }
}

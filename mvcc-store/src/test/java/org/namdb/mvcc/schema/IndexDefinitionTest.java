package org.namdb.mvcc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class IndexDefinitionTest {
    @Test
    void itHasADistributionThatThereIs() {
        IndexDefinition ordered = IndexDefinition.ordered("i", "t", "c");
        assertThat(ordered.distribution()).isEqualTo(IndexDefinition.FINE);
        for (String distribution : IndexDefinition.DISTRIBUTIONS) {
            assertThat(ordered.property(IndexDefinition.DISTRIBUTION, distribution).distribution())
                    .isEqualTo(distribution);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ordered.property(IndexDefinition.DISTRIBUTION, "Fine"))
                .withMessage(
                        "index i has the distribution \"Fine\": it is one of fine, coarse, hybrid");
    }

    private static IndexDefinition index(String distribution, String partition) {
        return IndexDefinition.ordered("i", "t", "c")
                .property(IndexDefinition.DISTRIBUTION, distribution)
                .property(IndexDefinition.PARTITION, partition);
    }

    @Test
    void aCoarseIndexIsPartitionedByHashOrRangeAndAHybridOneByRange() {
        assertThat(index("coarse", "hash").isByRange()).isFalse();
        assertThat(index("coarse", "range").isByRange()).isTrue();
        assertThat(index("hybrid", "range").isByRange()).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> index("hybrid", "hash"))
                .withMessageContaining("a hybrid one by range");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> index("fine", "range"))
                .withMessageContaining("the distribution \"fine\" has the partition \"range\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> index("coarse", "list"))
                .withMessage("index i has the partition \"list\": it is one of hash, range");
    }

    @Test
    void sharesAreForRanges() {
        IndexDefinition ranges = index("coarse", "range");
        assertThat(ranges.shares()).isEmpty();
        assertThat(ranges.property(IndexDefinition.SHARES, "80,12,5,3").shares())
                .containsExactly(80, 12, 5, 3);
        for (String wrong : new String[] {"", "1,,2", "0", "-1", "1000001", "a", "1, 2"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ranges.property(IndexDefinition.SHARES, wrong))
                    .withMessageContaining("has the shares \"" + wrong + "\"");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> index("coarse", "hash").property(IndexDefinition.SHARES, "1,2"))
                .withMessageContaining("partitioned by range");
    }

    @Test
    void boundsAreWords() {
        IndexDefinition ranges = index("coarse", "range");
        assertThat(ranges.bounds()).isEmpty();
        List<long[]> bounds = List.of(new long[] {0, 1}, new long[] {-1, Long.MIN_VALUE});
        assertThat(ranges.bounds(bounds).bounds().toArray(long[][]::new))
                .isDeepEqualTo(bounds.toArray(long[][]::new));
    }

    @Test
    void aHashedIndexHasNone() {
        IndexDefinition hashed = IndexDefinition.hash("i", "t", "c");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> hashed.property(IndexDefinition.DISTRIBUTION, "fine"))
                .withMessageContaining("ordered indexes have one");
    }
}

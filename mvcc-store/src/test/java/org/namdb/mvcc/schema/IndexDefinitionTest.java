package org.namdb.mvcc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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

    @Test
    void aHashedIndexHasNone() {
        IndexDefinition hashed = IndexDefinition.hash("i", "t", "c");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> hashed.property(IndexDefinition.DISTRIBUTION, "fine"))
                .withMessageContaining("ordered indexes have one");
    }
}

package org.namdb.tpcc.input;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// Clause 2.1.6.1.
class NuRandConstantsTest {
    @Test
    void theConstantsKeepTheirDistances() {
        long seed = Seeds.next();
        LongStream.range(seed, seed + 5_000)
                .mapToObj(NuRandConstants::of)
                .forEach(NuRandConstantsTest::check);
    }

    private static void check(NuRandConstants constants) {
        int delta = Math.abs(constants.lastNameRun() - constants.lastNameLoad());
        assertThat(delta).isBetween(65, 119).isNotIn(96, 112);
        assertThat(constants.lastNameLoad()).isBetween(0, 255);
        assertThat(constants.lastNameRun()).isBetween(0, 255);
        assertThat(constants.customer()).isBetween(0, 1_023);
        assertThat(constants.item()).isBetween(0, 8_191);
    }

    @Test
    void oneSeedHasOneSetOfConstants() {
        assertThat(NuRandConstants.of(42)).isEqualTo(NuRandConstants.of(42));
    }
}

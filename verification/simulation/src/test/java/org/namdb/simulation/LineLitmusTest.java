package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.simulation.LitmusMeeting.Litmus;

/// Accesses to several lines are sequentially consistent.
class LineLitmusTest {
    private static final int SEEDS = 150;

    @ParameterizedTest
    @EnumSource
    void nothingForbiddenIsSeen(Litmus litmus) {
        Map<String, Integer> outcomes = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            String outcome = LitmusMeeting.of(seed, litmus);
            assertThat(outcome).as("seed %d", seed).doesNotStartWith("!");
            outcomes.merge(outcome, 1, Integer::sum);
        }
        System.out.println(litmus + " " + outcomes);
        assertThat(outcomes).as("they meet in several ways").hasSizeGreaterThan(1);
    }
}

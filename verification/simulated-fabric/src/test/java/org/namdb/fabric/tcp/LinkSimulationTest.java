package org.namdb.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The two ends of the provider on a simulated wire, from seeds. `-Dnamdb.seed=N` runs that one
/// only, and prints its steps.
class LinkSimulationTest {
    private static final int SEEDS = 500;

    @Test
    void everyVerbIsDoneExactlyOnceThoughConnectionsFail() {
        Long one = Long.getLong("namdb.seed");
        if (one != null) {
            assertThat(LinkSimulation.of(one, System.out::println).wrong()).isNull();
            return;
        }
        int batches = 0;
        int lost = 0;
        int reopened = 0;
        int replaced = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            LinkSimulation.Result result = LinkSimulation.of(seed, _ -> {});
            assertThat(result.wrong()).as("-Dnamdb.seed=%d", seed).isNull();
            batches += result.batches();
            lost += result.lost();
            reopened += result.reopened();
            replaced += result.replaced();
        }
        assertThat(batches).isGreaterThan(20 * SEEDS);
        assertThat(lost).isGreaterThan(SEEDS);
        assertThat(reopened).isGreaterThan(SEEDS);
        assertThat(replaced).isGreaterThan(SEEDS);
    }

    @Test
    void aSeedIsReplayedStepByStep() {
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        LinkSimulation.Result result = LinkSimulation.of(5, first::add);
        assertThat(LinkSimulation.of(5, second::add)).isEqualTo(result);
        assertThat(first).hasSizeGreaterThan(100).isEqualTo(second);
    }
}

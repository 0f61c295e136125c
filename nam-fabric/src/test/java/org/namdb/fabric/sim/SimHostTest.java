package org.namdb.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What a simulated process gets from its machine.
class SimHostTest {
    @Test
    void theTimeOfDayGoesWithVirtualTime() {
        List<Instant> seen = new ArrayList<>();
        try (Simulation simulation =
                new Simulation(1, ClusterModel.FREE_PROCESSORS, SimTrace.off())) {
            SimHost host = simulation.host("process");
            host.start(
                    "clock",
                    () -> {
                        seen.add(host.instant());
                        host.sleep(Duration.ofHours(1).toNanos());
                        seen.add(host.instant());
                    });
            simulation.run(Duration.ofHours(2).toNanos());
        }
        assertThat(seen)
                .containsExactly(
                        Instant.parse("2000-01-01T00:00:00Z"),
                        Instant.parse("2000-01-01T01:00:00Z"));
    }
}

package org.namdb.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskFile;

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

    /// It sleeps by its own clock, which goes on from where it was; the one on the wall may jump.
    @Test
    void aClockThatDriftsGoesByItsOwnTime() {
        List<Long> times = new ArrayList<>();
        List<Instant> wall = new ArrayList<>();
        try (Simulation simulation =
                new Simulation(1, ClusterModel.FREE_PROCESSORS, SimTrace.off())) {
            SimHost host = simulation.host("process");
            Thread _ =
                    host.start(
                            "clock",
                            () -> {
                                host.sleep(1_000);
                                host.driftFromNowOn(1.25);
                                times.add(host.nanoTime());
                                host.sleep(1_000);
                                times.add(host.nanoTime());
                                times.add(simulation.nanoTime());
                                host.jump(Duration.ofHours(-2));
                                times.add(host.nanoTime());
                                wall.add(host.instant());
                            });
            simulation.run(Duration.ofHours(2).toNanos());
        }
        assertThat(times).containsExactly(1_000L, 2_000L, 1_800L, 2_000L);
        assertThat(wall).containsExactly(Instant.parse("1999-12-31T22:00:00.000002Z"));
    }

    /// What it had forced is there for the next process, and the same seed loses the same.
    @Test
    void aCrashLeavesTheDiskWithWhatWasForced() {
        byte[] left = diskAfterCrash(5);
        assertThat(left).hasSizeBetween(Disk.SECTOR_BYTES, 20 * Disk.SECTOR_BYTES);
        assertThat(Arrays.copyOf(left, Disk.SECTOR_BYTES)).containsOnly(1);
        assertThat(diskAfterCrash(5)).isEqualTo(left);
    }

    private static byte[] diskAfterCrash(long seed) {
        try (Simulation simulation =
                new Simulation(seed, ClusterModel.FREE_PROCESSORS, SimTrace.off())) {
            SimHost host = simulation.host("process");
            byte[] ones = new byte[Disk.SECTOR_BYTES];
            Arrays.fill(ones, (byte) 1);
            host.start(
                    "writer",
                    () -> {
                        DiskFile file = host.disk().open("journal");
                        host.disk().forceNames();
                        file.write(0, ByteBuffer.wrap(ones));
                        file.force();
                        for (int sector = 1; sector < 20; sector++) {
                            file.write((long) sector * ones.length, ByteBuffer.wrap(ones));
                        }
                        host.crash();
                    });
            simulation.run(Duration.ofSeconds(1).toNanos());
            DiskFile file = host.disk().open("journal");
            ByteBuffer content = ByteBuffer.allocate((int) file.size());
            assertThat(file.read(0, content)).isEqualTo(content.capacity());
            return content.array();
        }
    }
}

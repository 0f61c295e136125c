package org.namdb.memory.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;

class MaintenanceLeadTest {
    private ShmFabric fabric;
    private MemoryServer server;
    private QueuePair queuePair;

    @BeforeEach
    void open() {
        fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
        server = new MemoryServer(fabric, 0, 1 << 20, 0);
        queuePair = fabric.connect(List.of(server.region()));
    }

    @AfterEach
    void close() {
        queuePair.close();
        server.close();
        fabric.close();
    }

    private MaintenanceLead lead(int process) {
        return new MaintenanceLead(queuePair, 0, process);
    }

    @Test
    void theFirstComputeServerLeadsAsLongAsItTakesItsTurns() {
        MaintenanceLead one = lead(1);
        MaintenanceLead other = lead(2);
        assertThat(one.take()).isTrue();
        for (int turn = 0; turn < 4 * MaintenanceLead.MAX_UNCHANGED; turn++) {
            assertThat(other.take()).isFalse();
            if (turn % (MaintenanceLead.MAX_UNCHANGED - 2) == 0) {
                assertThat(one.take()).isTrue();
            }
        }
    }

    @Test
    void aLeaderThatStandsStillIsReplacedAndFindsOut() {
        MaintenanceLead slow = lead(1);
        MaintenanceLead other = lead(2);
        MaintenanceLead third = lead(3);
        slow.take();
        int turns = 0;
        while (!other.take()) {
            turns++;
        }
        assertThat(turns).isGreaterThanOrEqualTo(MaintenanceLead.MAX_UNCHANGED);
        assertThat(slow.take()).isFalse();
        assertThat(slow.take()).isFalse();
        assertThat(third.take()).isFalse();
        assertThat(other.take()).isTrue();
    }

    @Test
    void aLeaderThatLeavesIsReplacedAtOnce() {
        MaintenanceLead one = lead(1);
        MaintenanceLead other = lead(2);
        one.take();
        assertThat(other.take()).isFalse();
        other.release();
        assertThat(one.take()).as("it was not the other's to leave").isTrue();
        one.release();
        assertThat(other.take()).isFalse();
        assertThat(other.take()).as("it has seen that there is no leader").isTrue();
    }

    /// As when a compute server's session for background maintenance is replaced.
    @Test
    void theSameProcessGoesOnWithAnotherObject() {
        lead(1).take();
        MaintenanceLead again = lead(1);
        assertThat(again.take()).isFalse();
        assertThat(again.take()).isTrue();
    }

    @Test
    void aTurnIsOneRoundTrip() {
        MaintenanceLead one = lead(1);
        MaintenanceLead other = lead(2);
        one.take();
        other.take();
        long before = queuePair.counters().roundTrips();
        one.take();
        other.take();
        assertThat(queuePair.counters().roundTrips() - before).isEqualTo(2);
    }
}

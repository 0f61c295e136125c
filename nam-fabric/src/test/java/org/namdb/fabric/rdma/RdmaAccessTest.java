package org.namdb.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;

/// Which clients are accepted.
class RdmaAccessTest {
    private static final RdmaOptions NO_TOKEN = RdmaOptions.DEFAULT.withLandingBytes(1 << 14);
    private static final RdmaOptions TOKEN = NO_TOKEN.withToken("known to all");
    private static final long WORD = RemoteAddress.of(0, 64);

    private RdmaMemoryFabric memory;
    private List<Region> regions;

    @BeforeAll
    static void requireDevice() {
        Devices.require();
    }

    @BeforeEach
    void open() {
        memory = Devices.memory(TOKEN);
        regions = List.of(memory.register(0, 1 << 16));
    }

    @AfterEach
    void close() {
        memory.close();
    }

    private static void assertRefused(ThrowingCallable what) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(what)
                .withMessageContaining("the token is not the one")
                .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.SYSTEM));
    }

    @Test
    void aClientWithTheTokenIsAccepted() {
        try (RdmaComputeFabric fabric = Devices.compute(memory, TOKEN)) {
            assertThat(fabric.regions()).isEqualTo(regions);
            QueuePair queuePair = fabric.connect(regions);
            queuePair.writeWord(WORD, 5);
            assertThat(queuePair.readWord(WORD)).isEqualTo(5);
        }
    }

    @Test
    void aClientWithoutTheTokenGetsNothingAndFencesNoProcess() {
        try (RdmaComputeFabric known = Devices.compute(memory, TOKEN);
                RdmaComputeFabric stranger = Devices.compute(memory, NO_TOKEN)) {
            known.enroll(7);
            QueuePair queuePair = known.connect(known.regions());
            assertRefused(stranger::regions);
            assertRefused(stranger::regions);
            assertRefused(() -> stranger.enroll(8));
            assertRefused(() -> stranger.fence(7));
            assertThat(queuePair.readWord(WORD)).isZero();
        }
    }

    @Test
    void anotherTokenIsNone() {
        try (RdmaComputeFabric fabric = Devices.compute(memory, NO_TOKEN.withToken("another"))) {
            assertRefused(fabric::regions);
        }
    }
}

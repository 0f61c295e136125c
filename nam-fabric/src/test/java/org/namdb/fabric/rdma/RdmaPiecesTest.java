package org.namdb.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.BatchCases;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricCase;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.VerbCases;

/// Regions in many pieces, by send queues that hold few verbs: a verb of some thousand bytes is
/// split, and waits for the queue in the middle.
class RdmaPiecesTest implements VerbCases, BatchCases {
    private static final RdmaOptions SMALL =
            RdmaOptions.DEFAULT
                    .withLandingBytes(FabricCase.LANDING_BYTES)
                    .withPieceBytes(4096)
                    .withSendDepth(3);

    private final List<Region> regions = new ArrayList<>();
    private final List<QueuePair> connected = new ArrayList<>();
    private Fabric fabric;
    private QueuePair queuePair;

    @BeforeAll
    static void requireDevice() {
        Devices.require();
    }

    @BeforeEach
    void open() {
        fabric = Devices.open(SMALL);
        for (int server = 0; server < SERVERS; server++) {
            regions.add(fabric.register(server, FabricCase.regionBytes(server)));
        }
        queuePair = connect();
    }

    @AfterEach
    void close() {
        connected.forEach(QueuePair::close);
        fabric.close();
    }

    @Override
    public Fabric fabric() {
        return fabric;
    }

    @Override
    public Region region(int server) {
        return regions.get(server);
    }

    @Override
    public QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public QueuePair connect() {
        return connect(regions.toArray(Region[]::new));
    }

    @Override
    public QueuePair connect(Region... to) {
        QueuePair opened = fabric.connect(List.of(to));
        connected.add(opened);
        return opened;
    }

    /// Devices have 16 READs and atomics of a connection under way; more wait in the send queue.
    @Test
    void moreReadsCanBeInFlightThanTheDeviceHolds() {
        try (Fabric other = Devices.open(RdmaOptions.DEFAULT)) {
            QueuePair deep = other.connect(List.of(other.register(0, 1 << 16)));
            for (int word = 0; word < 1000; word++) {
                deep.writeWord(address(0, 8L * word), word);
            }
            List<Long> views = new ArrayList<>();
            for (int word = 0; word < 1000; word++) {
                views.add(
                        word % 3 == 0
                                ? deep.fetchAndAdd(address(0, 8L * word), 1)
                                : deep.read(address(0, 8L * word), 8));
            }
            deep.await();
            for (int word = 0; word < 1000; word++) {
                assertThat(LocalMemory.longAt(views.get(word))).isEqualTo(word);
            }
            deep.close();
        }
    }
}

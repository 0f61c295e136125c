package org.namdb.fabric;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// What every provider of the fabric must do. A provider's test extends this class and opens its
/// fabric.
public abstract class FabricConformance
        implements VerbCases,
                BatchCases,
                LandingCases,
                RefusalCases,
                RegionCases,
                CallCases,
                SharingCases {
    private final List<Region> regions = new ArrayList<>();

    /// Threads of a test connect at the same time.
    private final ConcurrentLinkedQueue<QueuePair> connected = new ConcurrentLinkedQueue<>();

    private Fabric fabric;
    private QueuePair queuePair;

    /// Opens a fabric whose queue pairs have landing buffers of `landingBytes`.
    protected abstract Fabric open(int landingBytes) throws Exception;

    @BeforeEach
    void openFabric() throws Exception {
        fabric = open(LANDING_BYTES);
        for (int server = 0; server < SERVERS; server++) {
            regions.add(fabric.register(server, FabricCase.regionBytes(server)));
        }
        queuePair = connect();
    }

    /// Undoes what [#open] did, when the fabric is closed.
    protected void closed() throws Exception {}

    @AfterEach
    void closeFabric() throws Exception {
        connected.forEach(QueuePair::close);
        fabric.close();
        closed();
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
}

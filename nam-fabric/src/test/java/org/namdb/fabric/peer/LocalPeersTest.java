package org.namdb.fabric.peer;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.namdb.fabric.Host;

/// Peers in one process.
class LocalPeersTest extends PeerConformance {
    private final LocalPeers peers = new LocalPeers();
    private final List<PeerFabric> joined = new ArrayList<>();

    @Override
    protected PeerFabric join(int process) {
        PeerFabric peer = peers.join(process, Host.MACHINE);
        joined.add(peer);
        return peer;
    }

    @Override
    protected void kill(PeerFabric peer) {
        peer.close();
    }

    @Override
    protected void start(PeerFabric peer, Runnable work) {
        Thread _ = Host.MACHINE.start("part", work);
    }

    @AfterEach
    void closeAll() {
        joined.forEach(PeerFabric::close);
    }
}

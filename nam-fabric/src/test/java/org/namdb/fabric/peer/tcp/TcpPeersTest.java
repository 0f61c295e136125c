package org.namdb.fabric.peer.tcp;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.namdb.fabric.Host;
import org.namdb.fabric.peer.PeerConformance;
import org.namdb.fabric.peer.PeerFabric;

/// Peers over sockets of the loopback address.
class TcpPeersTest extends PeerConformance {
    private final Map<Integer, InetSocketAddress> addresses = new ConcurrentHashMap<>();
    private final List<PeerFabric> joined = new ArrayList<>();

    TcpPeerOptions options() {
        return TcpPeerOptions.LOOPBACK.withToken("secret");
    }

    @Override
    protected PeerFabric join(int process) {
        TcpPeers peer = new TcpPeers(process, options(), addresses::get);
        addresses.put(process, peer.address());
        joined.add(peer);
        return peer;
    }

    @Override
    protected void kill(PeerFabric peer) {
        peer.close(); // TcpPeerProcessTest kills a process
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

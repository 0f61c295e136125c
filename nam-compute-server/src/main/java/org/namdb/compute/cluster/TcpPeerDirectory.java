package org.namdb.compute.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.membership.Member;
import org.namdb.cluster.membership.Membership;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.cluster.transport.ComputeTransport;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.tcp.TcpPeers;

/// Where the compute servers of a cluster listen for each other: each says so in its member's node.
/// A number is never another process's, so an address that was found stays right.
final class TcpPeerDirectory {
    private final ClusterConfig config;
    private final Membership membership;
    private final Map<Integer, InetSocketAddress> known = new ConcurrentHashMap<>();
    private @Nullable HostPort address;

    TcpPeerDirectory(ClusterConfig config, Membership membership) {
        this.config = config;
        this.membership = membership;
    }

    /// Listens for the others, if the configuration says where.
    ///
    /// @throws org.namdb.fabric.FabricException if it can't
    @Nullable PeerFabric listen(int process) {
        TcpPeers peers = ComputeTransport.listen(config, process, this::find);
        address = peers == null ? null : reachable(peers.address());
        return peers;
    }

    /// Where the others reach this compute server; null if it does not listen.
    @Nullable HostPort address() {
        return address;
    }

    /// What listens on all addresses of the machine is reached by the one of its name.
    private static HostPort reachable(InetSocketAddress listening) {
        InetAddress chosen = listening.getAddress();
        try {
            if (chosen.isAnyLocalAddress()) {
                chosen = InetAddress.getLocalHost();
            }
        } catch (UnknownHostException e) {
            chosen = InetAddress.getLoopbackAddress(); // it has no name that others could know
        }
        return new HostPort(chosen.getHostAddress(), listening.getPort());
    }

    /// Where a compute server listens; null if it is none, or ZooKeeper does not answer now.
    private @Nullable InetSocketAddress find(int process) {
        if (!known.containsKey(process)) {
            try {
                for (Member member : membership.describe()) {
                    HostPort peers = member.peers();
                    if (peers != null) {
                        known.put(member.process(), peers.socketAddress());
                    }
                }
            } catch (MembershipException e) {
                return null; // the caller tries again
            }
        }
        return known.get(process);
    }
}

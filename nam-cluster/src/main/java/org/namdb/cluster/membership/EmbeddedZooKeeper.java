package org.namdb.cluster.membership;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.namdb.cluster.config.HostPort;

/// A ZooKeeper server in this process, alone: for a cluster on one machine, and for tests. A
/// cluster of several machines has an ensemble of its own.
public final class EmbeddedZooKeeper implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 1000;
    private static final int MAX_LEASE_MILLIS = 60_000;

    private final StallingServer server;
    private final ServerCnxnFactory connections;
    private final HostPort address;

    /// Starts it.
    ///
    /// @param directory for its data; what is there of an earlier run is taken up
    /// @param address where it listens; port 0 for any that is free
    /// @param tick in which steps it looks for leases that have ended; the shortest lease is two
    /// @throws MembershipException if it can't write there, or listen there
    public EmbeddedZooKeeper(Path directory, HostPort address, Duration tick) {
        // Its log grows in steps of 64 MiB otherwise.
        System.setProperty("zookeeper.preAllocSize", "1024");
        try {
            server = new StallingServer(directory, tick);
            server.setMinSessionTimeout(2 * (int) tick.toMillis());
            server.setMaxSessionTimeout(MAX_LEASE_MILLIS);
            InetSocketAddress socket = address.socketAddress();
            connections = new NIOServerCnxnFactory();
            connections.configure(socket, MAX_CONNECTIONS);
            connections.startup(server);
        } catch (IOException e) {
            throw new MembershipException(
                    "ZooKeeper can't start at %s with %s: %s"
                            .formatted(address, directory, e.getMessage()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MembershipException("interrupted while ZooKeeper starts", e);
        }
        this.address = new HostPort(address.host(), connections.getLocalPort());
    }

    /// Where it listens.
    public HostPort address() {
        return address;
    }

    /// Ends a compute server's lease, as if it had been silent for too long.
    ///
    /// @return whether it had one
    public boolean endLease(String cluster, int process) {
        String path = ZooKeeperMembership.root(cluster) + "/" + process;
        for (Map.Entry<Long, Set<String>> each :
                server.getZKDatabase().getDataTree().getEphemerals().entrySet()) {
            if (each.getValue().contains(path)) {
                server.closeSession(each.getKey());
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        server.endBeats();
        connections.shutdown();
    }
}

package org.namdb.fabric.rdma;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;

/// A compute server's side: memory servers in processes that listen for RDMA connections.
///
/// Only the addresses of these processes are configured; they report their memory servers, regions
/// and keys. Queue pairs connect to a memory server when they first need it.
public final class RdmaComputeFabric implements ComputeFabric {
    private final RdmaOptions options;
    private final Nic nic;
    private final List<ControlConnection> controls = new ArrayList<>();

    /// What the memory servers have reported, by their number.
    private final @Nullable RemoteRegion[] regions =
            new @Nullable RemoteRegion[RemoteAddress.MAX_SERVERS];

    /// The device can't be closed before they are.
    private final Set<RdmaQueuePair> open = ConcurrentHashMap.newKeySet();

    private boolean closed;

    private final @Nullable ControlConnection[] holders =
            new @Nullable ControlConnection[RemoteAddress.MAX_SERVERS];

    /// @param memoryServers where their processes listen; each may hold several memory servers
    /// @throws FabricException if there is no such device, or no native library
    public RdmaComputeFabric(List<InetSocketAddress> memoryServers, RdmaOptions options) {
        this.options = options;
        nic = Nic.open(RdmaDevice.ofMachine().connecting(options, from(memoryServers)));
        long fabric = ThreadLocalRandom.current().nextLong();
        for (InetSocketAddress address : memoryServers) {
            controls.add(new ControlConnection(nic, address, fabric, options));
        }
    }

    /// The address from which this machine would send to the first of them that it has a way to.
    /// Nothing is sent.
    private static @Nullable InetAddress from(List<InetSocketAddress> memoryServers) {
        for (InetSocketAddress each : memoryServers) {
            try (DatagramSocket socket = new DatagramSocket()) {
                socket.connect(each);
                return socket.getLocalAddress();
            } catch (SocketException _) {
                // said when it is connected to
            }
        }
        return null;
    }

    /// The regions of all memory servers, as these report now.
    ///
    /// @throws FabricException if one of the processes does not answer
    @Override
    public synchronized List<Region> regions() {
        FirstFailure failure = new FirstFailure();
        List<Region> all = requestAll(failure);
        failure.rethrow();
        all.sort(Comparator.comparingInt(Region::server));
        return all;
    }

    private List<Region> requestAll(FirstFailure failure) {
        List<Region> all = new ArrayList<>();
        for (ControlConnection control : controls) {
            failure.attempt(() -> {
                for (RemoteRegion region : control.regions()) {
                    int server = region.region().server();
                    regions[server] = region;
                    holders[server] = control;
                    all.add(region.region());
                }
            });
        }
        return all;
    }

    /// Requests the regions again where one differs from their last report; a memory server that
    /// does not answer, or has no such region, is gone for this queue pair.
    @Override
    public synchronized QueuePair connect(List<Region> to) {
        boolean isKnown = to.stream().allMatch(region -> region.equals(known(region.server())));
        if (!isKnown) {
            FirstFailure ignored = new FirstFailure();
            requestAll(ignored);
            if (ignored.first() instanceof Error error) {
                throw error;
            }
        }
        RdmaQueuePair queuePair = new RdmaQueuePair(this, nic, options, to.size());
        for (Region region : to) {
            boolean isRight = region.equals(known(region.server()));
            boolean isThere = known(region.server()) != null;
            queuePair.knows(
                    region.server(),
                    isRight ? regions[region.server()] : null,
                    isThere && !isRight);
        }
        open.add(queuePair);
        return queuePair;
    }

    /// A queue pair is closed.
    void closed(RdmaQueuePair queuePair) {
        open.remove(queuePair);
    }

    private @Nullable Region known(int server) {
        RemoteRegion region = regions[server];
        return region == null ? null : region.region();
    }

    /// The connection to the process that holds a region.
    synchronized ControlConnection control(RemoteRegion region) {
        return Objects.requireNonNull(holders[region.region().server()]);
    }

    /// @throws FabricException if a process does not answer
    @Override
    public void enroll(int process) {
        FirstFailure failure = new FirstFailure();
        for (ControlConnection control : controls) {
            failure.attempt(() -> control.enroll(process));
        }
        failure.rethrow();
    }

    @Override
    public void fence(int process) {
        FirstFailure failure = new FirstFailure();
        for (ControlConnection control : controls) {
            failure.attempt(() -> fence(control, process));
        }
        failure.rethrow();
    }

    private static void fence(ControlConnection control, int process) {
        try {
            control.fence(process);
        } catch (FabricException e) {
            if (e.kind() != Kind.FENCED) {
                throw new FabricException(
                        e.kind(),
                        control.address()
                                + " has not confirmed that process "
                                + process
                                + " is fenced: "
                                + e.getMessage(),
                        e);
            }
            throw e;
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        List.copyOf(open).forEach(RdmaQueuePair::close);
        controls.forEach(ControlConnection::close);
        nic.close();
    }
}

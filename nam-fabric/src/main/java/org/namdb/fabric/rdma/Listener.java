package org.namdb.fabric.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.RequestHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes connections and messages, in two threads: one for the events of connections, one for
/// completions. Neither is on the way of a verb.
final class Listener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

    /// How many connections there may be at a time; more are refused.
    private static final int MAX_PEERS = 4096;

    private static final int BACKLOG = 128;
    private static final int WAKE_UP_MILLISECONDS = 50;
    private static final ValueLayout.OfShort PORT =
            ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private final Nic nic;
    private final NativeDispatcher verbs;
    private final Completions completions;
    private final ConnectionAdmission admission;
    private final Map<Long, Peer> byId = new ConcurrentHashMap<>();
    private final long channel;
    private final long id;
    private final InetSocketAddress address;
    private final Thread connecting;
    private final Thread receiving;
    private volatile boolean closed;

    /// Used by the thread that takes connections alone.
    private long lastNumber;

    Listener(
            Nic nic,
            InetSocketAddress wanted,
            String token,
            Map<Integer, RdmaMemoryFabric.OpenRegion> regions) {
        this.nic = nic;
        this.verbs = nic.verbs();
        admission = new ConnectionAdmission(token, regions, this::forget);
        completions = new Completions(nic, MAX_PEERS * (Peer.SENDS + Peer.RECEIVES));
        try (Arena arena = Arena.ofConfined()) {
            channel = verbs._createEventChannel();
            id = verbs._createId(channel, Nic.RELIABLE_PORTS);
            verbs._bindAddr(id, Nic.socketAddress(arena, wanted));
            verbs._listen(id, BACKLOG);
            MemorySegment bound = arena.allocate(16, 8);
            verbs._getSrcAddr(id, bound.address());
            address = new InetSocketAddress(wanted.getAddress(), bound.get(PORT, 2) & 0xffff);
        } catch (IOException e) {
            completions.close();
            throw Nic.refused("can't listen for RDMA connections at " + wanted, e);
        }
        connecting = Host.MACHINE.start("rdma-connections", this::takeConnections);
        receiving = Host.MACHINE.start("rdma-messages", this::takeMessages);
    }

    InetSocketAddress address() {
        return address;
    }

    void serve(int server, RequestHandler handler) {
        admission.serve(server, handler);
    }

    void leave(int server) {
        admission.leave(server);
    }

    private void takeConnections() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ids = arena.allocate(16, 8);
            while (!closed) {
                int event =
                        verbs._getCmEvent(
                                channel, ids.address(), ids.address() + 8, WAKE_UP_MILLISECONDS);
                if (event == ReliableConnection.CONNECT_REQUEST) {
                    accept(ReliableConnection.client(ids));
                } else if (event == ReliableConnection.DISCONNECTED) {
                    Peer peer = byId.get(ReliableConnection.client(ids));
                    if (peer != null) {
                        admission.end(peer);
                    }
                }
            }
        }
    }

    private void accept(long client) {
        if (byId.size() >= MAX_PEERS) {
            LOG.warn("refuses an RDMA connection: there are {} already", MAX_PEERS);
            verbs._destroyCmId(client);
            return;
        }
        Peer peer = null;
        try {
            peer = new Peer(nic, ++lastNumber, client);
            byId.put(client, peer);
            admission.add(peer);
            peer.accept(nic, completions);
        } catch (IOException | FabricException e) {
            LOG.warn("can't accept an RDMA connection: {}", e.getMessage());
            giveUp(client, peer);
        }
    }

    private void giveUp(long client, @Nullable Peer peer) {
        if (peer == null) {
            verbs._destroyCmId(client);
        } else {
            admission.end(peer);
        }
    }

    private void forget(Peer peer) {
        byId.remove(peer.id(), peer);
    }

    private void takeMessages() {
        try {
            while (!closed) {
                if (takeSome() == 0) {
                    awaitSome();
                }
            }
        } catch (IOException e) {
            LOG.error("takes no more messages: {}", e.getMessage());
        }
    }

    private int takeSome() {
        int count = completions.poll();
        for (int i = 0; i < count; i++) {
            long number = completions.number(i);
            boolean isMessage = (number & 1) == 0;
            boolean isWell = completions.status(i) == Completions.SUCCESS;
            if (isMessage || !isWell) {
                admission.took(number >>> 1, isWell ? completions.bytes(i) : -1);
            }
        }
        return count;
    }

    /// Arms the notification of completions, and polls once more before it waits: what came in
    /// between raises no notification.
    private void awaitSome() throws IOException {
        verbs._reqNotifyCQ(completions.queue(), 0);
        if (takeSome() == 0
                && verbs._getCqEvent(nic.completionChannel(), WAKE_UP_MILLISECONDS) >= 0) {
            verbs._ackCqEvent(completions.queue(), 1);
        }
    }

    @Override
    public void close() {
        closed = true;
        join(connecting);
        join(receiving);
        admission.close();
        verbs._destroyCmId(id);
        verbs._destroyEventChannel(channel);
        completions.close();
    }

    static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

package org.namdb.fabric.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;

/// A compute server's end of a reliable connection: what the hardware calls a queue pair. It has an
/// event channel of its own, so that no thread is needed to share events out.
final class ReliableConnection implements AutoCloseable {
    private static final int ADDRESS_RESOLVED = 0;
    private static final int ROUTE_RESOLVED = 2;
    static final int CONNECT_REQUEST = 4;
    private static final int REJECTED = 8;
    private static final int ESTABLISHED = 9;
    static final int DISCONNECTED = 10;
    private static final int DEVICE_REMOVED = 11;

    /// How often the NIC sends again what is not acknowledged; 7 is the most.
    static final int RETRIES = 7;

    /// How often it does where the peer has not posted a RECEIVE; 7 is without limit.
    static final int RECEIVER_RETRIES = 7;

    /// What one message can have under way in addition to the verbs.
    private static final int MESSAGES = 2;

    private final NativeDispatcher verbs;
    private final InetSocketAddress peer;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment ids = arena.allocate(16, 8);
    private final long channel;
    private final long id;
    private long queuePair;
    private boolean isOpen;

    /// What a connection is made for.
    ///
    /// @param completions its completion queue
    /// @param verbs how many may be under way
    /// @param inlineBytes how much data its work requests can hold themselves
    record Shape(long completions, int verbs, int inlineBytes) {}

    /// Connects.
    ///
    /// @throws FabricException if no process listens there (`PEER_GONE`), the peer does not reply
    ///     in time (`CONNECTION_LOST`), or the device is out of resources (`SYSTEM`)
    static ReliableConnection open(
            Nic nic, InetSocketAddress peer, Shape shape, long timeoutNanos) {
        @Nullable ReliableConnection opened = null;
        try {
            opened = new ReliableConnection(nic, peer);
            opened.connect(nic, shape, Math.max((int) (timeoutNanos / 1_000_000), 1));
            return opened;
        } catch (IOException e) {
            close(opened);
            throw Nic.refused("no connection to " + peer, e);
        } catch (FabricException e) {
            close(opened);
            throw e;
        }
    }

    private static void close(@Nullable ReliableConnection opened) {
        if (opened != null) {
            opened.close();
        }
    }

    private ReliableConnection(Nic nic, InetSocketAddress peer) throws IOException {
        this.verbs = nic.verbs();
        this.peer = peer;
        channel = verbs._createEventChannel();
        try {
            id = verbs._createId(channel, Nic.RELIABLE_PORTS);
        } catch (IOException e) {
            verbs._destroyEventChannel(channel);
            arena.close();
            throw e;
        }
        isOpen = true;
    }

    private void connect(Nic nic, Shape shape, int milliseconds) throws IOException {
        long from = Nic.socketAddress(arena, new InetSocketAddress(nic.address(), 0));
        verbs._resolveAddr(id, from, Nic.socketAddress(arena, peer), milliseconds);
        require(ADDRESS_RESOLVED, milliseconds);
        verbs._resolveRoute(id, milliseconds);
        require(ROUTE_RESOLVED, milliseconds);
        queuePair =
                verbs._createQP(
                        id,
                        nic.domain(),
                        shape.completions(),
                        shape.completions(),
                        Nic.RELIABLE_CONNECTION,
                        shape.verbs() + MESSAGES,
                        MESSAGES,
                        shape.inlineBytes());
        verbs._connect(id, RETRIES, RECEIVER_RETRIES, 0, (byte) 0);
        require(ESTABLISHED, milliseconds);
    }

    private void require(int expected, int milliseconds) {
        int event = verbs._getCmEvent(channel, ids.address(), ids.address() + 8, milliseconds);
        if (event == expected) {
            return;
        }
        if (event == REJECTED) {
            throw new FabricException(Kind.PEER_GONE, "no process listens for RDMA at " + peer);
        }
        throw new FabricException(
                Kind.CONNECTION_LOST,
                event < 0
                        ? peer + " has not answered in " + milliseconds + " ms"
                        : peer + " can't be reached over RDMA (event " + event + ")");
    }

    /// The native queue pair.
    long queuePair() {
        return queuePair;
    }

    InetSocketAddress peer() {
        return peer;
    }

    /// Whether the other side has ended the connection, by the operating system.
    boolean isEnded() {
        int event = verbs._getCmEvent(channel, ids.address(), ids.address() + 8, 0);
        return event == DISCONNECTED || event == DEVICE_REMOVED;
    }

    /// Ends it: the NIC sends nothing more, and touches no memory for it.
    @Override
    public void close() {
        if (!isOpen) {
            return;
        }
        isOpen = false;
        if (queuePair != 0) {
            verbs._disconnect(id);
            verbs._destroyQP(id);
        }
        verbs._destroyCmId(id);
        verbs._destroyEventChannel(channel);
        arena.close();
    }

    /// For the layout of the two ids that come with an event: `listener 8 | client 8`.
    static long client(MemorySegment ids) {
        return ids.get(ValueLayout.JAVA_LONG, 8);
    }
}

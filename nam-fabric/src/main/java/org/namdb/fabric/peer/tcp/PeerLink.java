package org.namdb.fabric.peer.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.tls.TlsFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The requests of this process to one peer. A thread of its own connects, writes, and decides what
/// fails when the connection is lost; another one reads the answers of each connection. So no
/// caller waits for a peer that does not read.
///
/// When a connection is lost, all requests without an answer fail. Whether the peer is gone is
/// found out by connecting again: the next requests go over that connection.
final class PeerLink {
    /// What the thread is notified of.
    private sealed interface Event {
        record Send(PeerFrame frame) implements Event {}

        /// @param isFarewell whether the peer leaves
        record Lost(PeerConnection connection, boolean isFarewell) implements Event {}
    }

    private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);
    private static final int MAX_RESETS = 5;
    private static final long RESET_PAUSE_NANOS = 2_000_000;

    private final TcpPeers peers;
    private final int peer;
    private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private volatile @Nullable PeerConnection connection;
    private volatile boolean isClosed;

    /// Requests up to this number have failed, and are not sent any more.
    private long failedUpTo;

    PeerLink(TcpPeers peers, int peer) {
        this.peers = peers;
        this.peer = peer;
        Thread _ =
                Host.MACHINE.startOneOfMany(
                        "requests of process %d to %d".formatted(peers.process(), peer), this::run);
    }

    void send(PeerFrame frame) {
        events.add(new Event.Send(frame));
    }

    private void run() {
        try {
            while (!isClosed) {
                try {
                    handleNext();
                } catch (RuntimeException e) {
                    LOG.warn("requests to process {} fail", peer, e);
                    close(connection);
                    connection = null;
                    fail(
                            peers.lastPosted(),
                            new FabricException(
                                    FabricException.Kind.CONNECTION_LOST, "request failed: " + e));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // unreachable: no code interrupts this thread
        }
    }

    private void handleNext() throws InterruptedException {
        Event event = events.poll();
        if (event == null) {
            flush();
            event = events.take();
        }
        switch (event) {
            case Event.Send send -> write(send.frame());
            case Event.Lost lost -> {
                if (lost.connection() == connection) {
                    lost(lost.isFarewell());
                }
            }
        }
    }

    private void write(PeerFrame frame) {
        if (frame.kind() == PeerFrame.REQUEST && frame.number() <= failedUpTo) {
            // It may have had its number when all up to that failed, and be pending only since.
            peers.lost(frame.number());
            return;
        }
        if (connection == null && !connects()) {
            return;
        }
        PeerConnection open = connection;
        if (open != null) {
            try {
                open.write(frame);
            } catch (IOException e) {
                lost(false);
            }
        }
    }

    private void flush() {
        PeerConnection open = connection;
        if (open != null) {
            try {
                open.flush();
            } catch (IOException e) {
                lost(false);
            }
        }
    }

    /// Connects; if it can't, all requests fail.
    private boolean connects() {
        long last = peers.lastPosted();
        FabricException failure;
        try {
            InetSocketAddress address = peers.address(peer);
            if (address != null) {
                PeerConnection opened = open(address);
                connection = opened;
                Thread _ =
                        Host.MACHINE.startOneOfMany(
                                "answers of process %d to %d".formatted(peer, peers.process()),
                                () -> read(opened));
                return true;
            }
            failure = new FabricException(FabricException.Kind.PEER_GONE, "is not there");
        } catch (ConnectException | EOFException e) {
            failure =
                    new FabricException(
                            FabricException.Kind.PEER_GONE, "is not there: " + e.getMessage());
        } catch (SSLException e) {
            failure =
                    new FabricException(
                            FabricException.Kind.SYSTEM,
                            "is not trusted: " + TlsFailure.describe(e, "it", ""));
        } catch (IOException e) {
            failure =
                    new FabricException(
                            FabricException.Kind.CONNECTION_LOST,
                            "can't be reached: " + e.getMessage());
        } catch (FabricException e) {
            failure = e;
        }
        fail(last, failure);
        return false;
    }

    /// A process that ends may reset a connection that it has not accepted any more. The next one
    /// is refused then.
    private PeerConnection open(InetSocketAddress address) throws IOException {
        for (int tried = 1; ; tried++) {
            try {
                return peers.open(peer, address);
            } catch (ConnectException | NoRouteToHostException e) {
                throw e;
            } catch (SocketException e) {
                if (tried == MAX_RESETS) {
                    throw e;
                }
                Host.MACHINE.sleep(RESET_PAUSE_NANOS);
            }
        }
    }

    /// Requests that were posted by now, and have no answer, fail.
    private void lost(boolean isFarewell) {
        close(connection);
        connection = null;
        long last = peers.lastPosted();
        if (isFarewell) {
            fail(last, new FabricException(FabricException.Kind.PEER_GONE, "has left"));
        } else if (!isClosed && connects()) {
            fail(
                    last,
                    new FabricException(
                            FabricException.Kind.CONNECTION_LOST, "has lost the connection"));
        }
    }

    private void fail(long last, FabricException failure) {
        failedUpTo = last;
        peers.failed(peer, last, failure.kind(), String.valueOf(failure.getMessage()));
    }

    /// Reads answers until the connection ends, or the peer does not answer a keepalive probe.
    private void read(PeerConnection from) {
        boolean isRequested = false;
        boolean isFarewell = false;
        try {
            while (!isFarewell) {
                PeerFrame frame = from.read();
                if (frame == null) {
                    if (isRequested) {
                        break;
                    }
                    isRequested = true;
                    send(PeerFrame.of(PeerFrame.PING, 0));
                } else {
                    isRequested = false;
                    switch (frame.kind()) {
                        case PeerFrame.ANSWER -> peers.answered(frame.number(), frame.body());
                        case PeerFrame.REJECTION -> peers.rejected(frame.number());
                        case PeerFrame.FAREWELL -> isFarewell = true;
                        default -> {} // a word
                    }
                }
            }
        } catch (IOException e) {
            // The connection is lost.
        } finally {
            events.add(new Event.Lost(from, isFarewell));
        }
    }

    void close() {
        isClosed = true;
        close(connection);
        send(PeerFrame.of(PeerFrame.PING, 0)); // wakes the thread
    }

    private static void close(@Nullable PeerConnection connection) {
        if (connection != null) {
            connection.close();
        }
    }
}

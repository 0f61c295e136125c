package org.namdb.fabric.peer.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.PeerRequest;
import org.namdb.fabric.tls.TlsFiles;
import org.namdb.fabric.tls.TlsIdentity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A compute server's side of a network of peers that are other processes.
public final class TcpPeers extends PeerFabric {
    private static final Logger LOG = LoggerFactory.getLogger(TcpPeers.class);

    /// How long a peer is given to hear that this process leaves.
    private static final int FAREWELL_PAUSES = 50;

    private static final long FAREWELL_PAUSE_NANOS = 2_000_000;

    private final TcpPeerOptions options;
    private final IntFunction<@Nullable InetSocketAddress> addresses;
    private final @Nullable TlsIdentity server;
    private final @Nullable TlsIdentity client;
    private final ServerSocket listener;
    private final Map<Integer, PeerLink> links = new ConcurrentHashMap<>();
    private final Set<Accepted> accepted = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    /// Listens from now on.
    ///
    /// @param process this process's number
    /// @param addresses the address where a process listens; null if there is no such one. Called
    ///     by any thread, whenever a connection is opened
    /// @throws FabricException if it can't listen on the address
    public TcpPeers(
            int process,
            TcpPeerOptions options,
            IntFunction<@Nullable InetSocketAddress> addresses) {
        super(process, Host.MACHINE);
        this.options = options;
        this.addresses = addresses;
        TlsFiles files = options.tls();
        this.server = files == null ? null : TlsIdentity.server(files);
        this.client = files == null ? null : TlsIdentity.client(files);
        try {
            listener = new ServerSocket();
            listener.setReuseAddress(true);
            listener.bind(options.address());
        } catch (IOException e) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "can't listen on %s: %s".formatted(options.address(), e.getMessage()),
                    e);
        }
        Thread _ = Host.MACHINE.startOneOfMany("peers of process " + process, this::accept);
    }

    /// Where it listens.
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void accept() {
        while (!isClosed) {
            try {
                Accepted next = new Accepted(listener.accept());
                accepted.add(next);
                Thread _ = Host.MACHINE.startOneOfMany("requests to " + process(), next::read);
            } catch (IOException e) {
                if (!isClosed) {
                    LOG.warn("a peer could not connect: {}", e.toString());
                    Host.MACHINE.sleep(options.timeout().toNanos() / 100);
                }
            }
        }
    }

    @Override
    protected void carry(int peer, long number, byte[] request) {
        links.computeIfAbsent(peer, other -> new PeerLink(this, other))
                .send(new PeerFrame(PeerFrame.REQUEST, number, request));
    }

    @Override
    protected void leave() {
        isClosed = true;
        try {
            listener.close();
        } catch (IOException e) {
            LOG.warn("the port of peers can't be closed: {}", e.toString());
        }
        links.values().forEach(PeerLink::close);
        accepted.forEach(each -> each.answers.add(PeerFrame.of(PeerFrame.FAREWELL, 0)));
        for (int i = 0; i < FAREWELL_PAUSES && !accepted.isEmpty(); i++) {
            Host.MACHINE.sleep(FAREWELL_PAUSE_NANOS);
        }
        accepted.forEach(Accepted::close);
    }

    PeerConnection open(int peer, InetSocketAddress address) throws IOException {
        return PeerConnection.open(process(), peer, address, options, client);
    }

    @Nullable InetSocketAddress address(int peer) {
        return addresses.apply(peer);
    }

    long lastPosted() {
        return posted();
    }

    void failed(int peer, long last, FabricException.Kind kind, String what) {
        fail(peer, last, kind, what);
    }

    /// A request is not sent, as its link has failed; nothing, if it has failed already.
    void lost(long number) {
        fail(number, FabricException.Kind.CONNECTION_LOST, "has lost the connection");
    }

    void answered(long number, byte[] answer) {
        complete(number, answer);
    }

    void rejected(long number) {
        fail(number, FabricException.Kind.FENCED, "refuses process " + process());
    }

    /// A peer that has connected: its requests, and the answers to them, which are queued for a
    /// thread of their own, so that a peer that does not read delays no other.
    private final class Accepted {
        private final Socket socket;
        private final LinkedBlockingQueue<PeerFrame> answers = new LinkedBlockingQueue<>();
        private volatile boolean isOver;

        Accepted(Socket socket) {
            this.socket = socket;
        }

        void read() {
            try (PeerConnection connection =
                    PeerConnection.accept(process(), socket, options, server)) {
                Thread _ =
                        Host.MACHINE.startOneOfMany(
                                "answers to process " + connection.peer(), () -> write(connection));
                PeerFrame frame = connection.read();
                while (frame != null) {
                    handle(connection.peer(), frame);
                    frame = connection.read();
                }
            } catch (IOException e) {
                if (!isClosed) {
                    LOG.info("a peer has gone: {}", e.toString());
                }
            } finally {
                close();
                accepted.remove(this);
            }
        }

        private void handle(int from, PeerFrame frame) throws IOException {
            switch (frame.kind()) {
                case PeerFrame.REQUEST ->
                        receive(new TcpRequest(from, frame.number(), frame.body(), this));
                case PeerFrame.PING -> answers.add(PeerFrame.of(PeerFrame.PONG, 0));
                default -> throw new IOException("a frame of kind " + frame.kind());
            }
        }

        private void write(PeerConnection connection) {
            try {
                while (!isOver) {
                    PeerFrame next = answers.take();
                    connection.write(next);
                    if (answers.isEmpty() || next.kind() == PeerFrame.FAREWELL) {
                        connection.flush();
                    }
                    if (next.kind() == PeerFrame.FAREWELL) {
                        close();
                    }
                }
            } catch (IOException e) {
                close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // unreachable: no code interrupts this thread
            }
        }

        void close() {
            isOver = true;
            answers.add(PeerFrame.of(PeerFrame.PONG, 0)); // wakes the thread
            try {
                socket.close();
            } catch (IOException e) {
                LOG.warn("a peer's connection can't be closed: {}", e.toString());
            }
        }
    }

    private static final class TcpRequest extends PeerRequest {
        private final long number;
        private final Accepted sender;

        TcpRequest(int from, long number, byte[] bytes, Accepted sender) {
            super(from, bytes);
            this.number = number;
            this.sender = sender;
        }

        @Override
        protected void carry(byte[] answer) {
            sender.answers.add(new PeerFrame(PeerFrame.ANSWER, number, answer));
        }

        @Override
        protected void reject() {
            sender.answers.add(PeerFrame.of(PeerFrame.REJECTION, number));
        }
    }
}

package org.namdb.fabric.tcp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// A stretch of the network between compute servers and an agent, on this machine, that can be cut
/// at any byte, and can swallow what goes over it in one direction or both.
final class Wire implements AutoCloseable {
    private final ServerSocket listener;
    private final InetSocketAddress agent;
    private final SplittableRandom random;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger cuts = new AtomicInteger();

    /// After how many bytes a connection breaks, about; 0 for never.
    private volatile int meanBytes;

    /// The next bytes in this direction come changed: 1 for requests, 2 for replies.
    private final AtomicInteger damages = new AtomicInteger();

    private final AtomicInteger damaged = new AtomicInteger();

    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
    private volatile boolean holds;
    private volatile boolean isHolding;
    private volatile boolean swallowsRequests;
    private volatile boolean swallowsReplies;
    private volatile boolean closed;

    Wire(InetSocketAddress agent, long seed) throws IOException {
        this.agent = agent;
        this.random = new SplittableRandom(seed);
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("wire").start(this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /// Connections break after so many bytes, about, in either direction, from the next one on.
    void cutAfter(int bytes) {
        meanBytes = bytes;
    }

    /// How many connections there have been.
    int connections() {
        return connections.get();
    }

    /// How often it was cut.
    int cuts() {
        return cuts.get();
    }

    void swallow(boolean requests, boolean replies) {
        swallowsRequests = requests;
        swallowsReplies = replies;
    }

    /// Changes a bit of what comes next.
    void damageNext(boolean isRequest) {
        damages.set(isRequest ? 1 : 2);
    }

    /// How often anything was changed.
    int damaged() {
        return damaged.get();
    }

    /// Breaks all connections now.
    void cut() {
        sockets.forEach(Wire::closeQuietly);
    }

    /// Refuses connections from now on.
    void refuse() throws IOException {
        closed = true;
        listener.close();
    }

    /// Whether requests wait here; those that have come are sent on afterwards, though their client
    /// is gone.
    void hold(boolean now) {
        holds = now;
    }

    /// Whether a request has been held or swallowed here.
    boolean isHolding() {
        return isHolding;
    }

    /// Breaks all connections on the client's side.
    void cutClients() {
        clients.forEach(Wire::closeQuietly);
    }

    private void accept() {
        while (!closed) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket();
                server.connect(agent);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                connections.incrementAndGet();
                sockets.add(client);
                sockets.add(server);
                clients.add(client);
                ioLoop(client, server, true, limit());
                ioLoop(server, client, false, limit());
            } catch (IOException e) {
                // The agent is gone, or the wire is closed: the client sees its connection end.
            }
        }
    }

    private synchronized long limit() {
        return meanBytes == 0 ? Long.MAX_VALUE : random.nextInt(1, 2 * meanBytes);
    }

    private void ioLoop(Socket from, Socket to, boolean isRequests, long limit) {
        Thread.ofPlatform()
                .daemon()
                .name(isRequests ? "wire-requests" : "wire-replies")
                .start(() -> {
                    try (from;
                            to) {
                        copy(from.getInputStream(), to.getOutputStream(), isRequests, limit);
                    } catch (IOException e) {
                        // One of the two has ended.
                    }
                });
    }

    private void copy(InputStream in, OutputStream out, boolean isRequests, long limit)
            throws IOException {
        byte[] buffer = new byte[8192];
        long left = limit;
        while (true) {
            int count = in.read(buffer);
            if (count < 0) {
                return;
            }
            if (isRequests ? swallowsRequests : swallowsReplies) {
                isHolding |= isRequests;
                continue;
            }
            while (isRequests && holds) {
                isHolding = true;
                Thread.onSpinWait();
            }
            if (damages.compareAndSet(isRequests ? 1 : 2, 0)) {
                buffer[count - 1] ^= 1;
                damaged.incrementAndGet();
            }
            int passed = (int) Math.min(count, left);
            out.write(buffer, 0, passed);
            left -= passed;
            if (left == 0) {
                cuts.incrementAndGet();
                return;
            }
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed, then.
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        cut();
    }
}

package org.namdb.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/// A proxy between compute servers and a memory server, which cuts a connection at times: wherever
/// it just is, and what was in flight is lost.
final class CuttingProxy implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 14;

    private final SocketAddress target;
    private final ServerSocket server;
    private final SplittableRandom random;
    private final int mostPauseMillis;
    private final List<Pair> pairs = new CopyOnWriteArrayList<>();
    private final AtomicInteger cuts = new AtomicInteger();
    private volatile boolean isClosed;

    /// Starts it.
    ///
    /// @param target the memory server
    /// @param mostPauseMillis the longest time from a cut to the next one
    CuttingProxy(SocketAddress target, SplittableRandom random, int mostPauseMillis)
            throws IOException {
        this.target = target;
        this.random = random;
        this.mostPauseMillis = mostPauseMillis;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread _ = Thread.ofPlatform().daemon().start(this::accept);
        Thread _ = Thread.ofPlatform().daemon().start(this::cut);
    }

    int port() {
        return server.getLocalPort();
    }

    /// How many connections it has cut.
    int cuts() {
        return cuts.get();
    }

    private void accept() {
        while (!isClosed) {
            try {
                Pair pair = new Pair(server.accept(), new Socket());
                pairs.add(pair);
                pair.start();
            } catch (IOException e) {
                Thread.onSpinWait(); // it is closed, or a client has gone already
            }
        }
    }

    private void cut() {
        while (!isClosed) {
            try {
                Thread.sleep(random.nextInt(1, mostPauseMillis + 1));
            } catch (InterruptedException e) {
                return;
            }
            List<Pair> open = List.copyOf(pairs);
            if (!open.isEmpty()) {
                open.get(random.nextInt(open.size())).close();
                cuts.incrementAndGet();
            }
        }
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        server.close();
        pairs.forEach(Pair::close);
    }

    /// A client's connection, and the one to the memory server.
    private final class Pair {
        private final Socket client;
        private final Socket memory;

        Pair(Socket client, Socket memory) {
            this.client = client;
            this.memory = memory;
        }

        void start() {
            Thread _ =
                    Thread.ofPlatform()
                            .daemon()
                            .start(() -> {
                                try {
                                    client.setTcpNoDelay(true);
                                    memory.setTcpNoDelay(true);
                                    memory.connect(target);
                                    Thread _ =
                                            Thread.ofPlatform()
                                                    .daemon()
                                                    .start(() -> handOn(memory, client));
                                    handOn(client, memory);
                                } catch (IOException e) {
                                    close();
                                }
                            });
        }

        private void handOn(Socket from, Socket to) {
            byte[] buffer = new byte[BUFFER_BYTES];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    out.write(buffer, 0, read);
                }
            } catch (IOException e) {
                // It is cut.
            }
            close();
        }

        void close() {
            pairs.remove(this);
            try (client;
                    memory) {
                client.setSoLinger(true, 0); // what is in flight is thrown away
                memory.setSoLinger(true, 0);
            } catch (IOException e) {
                // It was closed before.
            }
        }
    }
}

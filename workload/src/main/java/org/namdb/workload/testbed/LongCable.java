package org.namdb.workload.testbed;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A cable to a server on this machine that is as long as one between two machines, or two
/// towns: what is sent arrives later by a time, in both directions, in order and with no limit on
/// how much is in flight. For measuring what round trips cost where they cost more than processor
/// time.
public final class LongCable implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int BACKLOG = 50;

    /// A sender that is faster than the receiver waits, as on any connection.
    private static final int MAX_UNDER_WAY = 4096;

    /// Linux ends a sleep this much late.
    private static final long TIMER_SLACK_NANOS = 55_000;

    private final InetSocketAddress target;
    private final long delayNanos;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /// Bytes in flight; none are the end of the connection.
    private static final class Sent {
        private final byte[] bytes;
        private final long dueNanos;

        Sent(byte[] bytes, long dueNanos) {
            this.bytes = bytes;
            this.dueNanos = dueNanos;
        }

        boolean isEnd() {
            return bytes.length == 0;
        }
    }

    private LongCable(InetSocketAddress target, Duration delay, ServerSocket listener) {
        this.target = target;
        this.delayNanos = delay.toNanos();
        this.listener = listener;
    }

    /// Lays one, which carries what comes until it is closed.
    ///
    /// @param port where it listens, on the loopback address; 0 for any that is free
    /// @param target the server's address
    /// @param delay the time from one end to the other
    public static LongCable lay(int port, InetSocketAddress target, Duration delay)
            throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        LongCable cable = new LongCable(target, delay, new ServerSocket(port, BACKLOG, here));
        Thread _ = Thread.ofPlatform().daemon().name("cable").start(cable::accept);
        return cable;
    }

    /// Runs until it is interrupted.
    ///
    /// @param arguments the port to listen at, the port of the memory server, and the time from one
    ///     end to the other in microseconds
    public static void main(String[] arguments) throws IOException, InterruptedException {
        InetAddress here = InetAddress.getLoopbackAddress();
        long micros = Long.parseLong(arguments[2]);
        try (LongCable _ =
                lay(
                        Integer.parseInt(arguments[0]),
                        new InetSocketAddress(here, Integer.parseInt(arguments[1])),
                        Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros)))) {
            Thread.sleep(Duration.ofDays(365));
        }
    }

    /// Where it listens.
    public int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                connect(listener.accept());
            } catch (IOException e) {
                // It is closed, or a client has left at once.
            }
        }
    }

    private void connect(Socket client) throws IOException {
        Socket server = new Socket();
        try {
            server.connect(target);
        } catch (IOException e) {
            client.close(); // as a server that is not there
            return;
        }
        sockets.add(client);
        sockets.add(server);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        connect(client, server);
        connect(server, client);
    }

    private void connect(Socket from, Socket to) {
        BlockingQueue<Sent> underWay = new ArrayBlockingQueue<>(MAX_UNDER_WAY);
        Thread _ = Thread.ofPlatform().daemon().start(() -> take(from, underWay));
        Thread _ = Thread.ofPlatform().daemon().start(() -> deliver(to, underWay));
    }

    private void take(Socket from, BlockingQueue<Sent> underWay) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            try {
                InputStream in = from.getInputStream();
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    long due = System.nanoTime() + delayNanos;
                    underWay.put(new Sent(Arrays.copyOf(buffer, count), due));
                }
            } catch (IOException e) {
                // A connection that fails has ended, too.
            }
            underWay.put(new Sent(new byte[0], 0));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void deliver(Socket to, BlockingQueue<Sent> underWay) {
        try (to) {
            OutputStream out = to.getOutputStream();
            for (Sent sent = underWay.take(); !sent.isEnd(); sent = underWay.take()) {
                for (long left = sent.dueNanos - System.nanoTime();
                        left > TIMER_SLACK_NANOS;
                        left = sent.dueNanos - System.nanoTime()) {
                    LockSupport.parkNanos(left - TIMER_SLACK_NANOS);
                }
                out.write(sent.bytes);
            }
        } catch (IOException e) {
            // The sender notices it.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            sockets.remove(to);
        }
    }

    /// Cuts it, and with it the connections that lead over it.
    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}

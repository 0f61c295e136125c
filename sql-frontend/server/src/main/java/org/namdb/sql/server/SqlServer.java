package org.namdb.sql.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.namdb.sql.engine.SessionPool;
import org.namdb.sql.engine.SqlDatabase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A server for PostgreSQL's clients.
///
/// ```java
/// try (SqlDatabase database = SqlDatabase.embedded();
///         SqlServer server = SqlServer.start(database, ServerOptions.DEFAULT)) {
///     System.out.println("listening on " + server.address());
///     ..
/// }
/// ```
public final class SqlServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SqlServer.class);
    private static final int BACKLOG = 1024;
    private static final long WATCH_MILLIS = 500;
    private static final long CLOSE_SECONDS = 10;
    private static final long ACCEPT_PAUSE_MILLIS = 50;

    private final SqlDatabase database;
    private final ServerOptions options;
    private final SessionPool pool;
    private final ServerSocket listener;
    private final Map<Integer, ClientConnection> connections = new ConcurrentHashMap<>();
    private final AtomicInteger lastNumber = new AtomicInteger();

    /// Clients that are past their authentication.
    private final AtomicInteger admitted = new AtomicInteger();

    private final SecureRandom random = new SecureRandom();
    private final CountDownLatch closing = new CountDownLatch(1);

    private SqlServer(SqlDatabase database, ServerOptions options, ServerSocket listener) {
        this.database = database;
        this.options = options;
        this.listener = listener;
        this.pool = new SessionPool(database, options.maxSessions(), options.sessionTimeout());
    }

    /// Listens, and serves clients until it is closed. Closing it leaves the database open.
    ///
    /// @throws IOException if the address can't be had
    public static SqlServer start(SqlDatabase database, ServerOptions options) throws IOException {
        ServerSocket listener = new ServerSocket();
        try {
            listener.setReuseAddress(true);
            listener.bind(options.address(), BACKLOG);
        } catch (IOException e) {
            listener.close();
            throw e;
        }
        SqlServer server = new SqlServer(database, options, listener);
        Thread.ofPlatform().daemon().name("sql-accept").start(server::accept);
        Thread.ofPlatform().daemon().name("sql-watch").start(server::watch);
        return server;
    }

    /// Where it listens.
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /// How many clients are connected.
    public int connectionCount() {
        return connections.size();
    }

    /// How many sessions run a statement or a transaction block.
    public int usedSessions() {
        return pool.used();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                serve(listener.accept());
            } catch (IOException | RuntimeException | Error e) { // whatever it is, others come
                if (!listener.isClosed()) {
                    LOG.warn("no connection could be accepted: {}", e.toString());
                    pause(); // most likely there are too many files open
                }
            }
        }
    }

    private void pause() {
        try {
            boolean _ = closing.await(ACCEPT_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(Socket socket) throws IOException {
        int number = lastNumber.incrementAndGet() & Integer.MAX_VALUE;
        ClientConnection connection;
        try {
            connection = new ClientConnection(this, socket, number, random.nextInt());
        } catch (IOException | RuntimeException | Error e) {
            socket.close();
            throw e;
        }
        connections.put(number, connection);
        Thread.ofVirtual().name("sql-" + number).start(connection);
        if (closing.getCount() == 0) {
            connection.terminate(); // closed meanwhile
        }
    }

    /// Ends connections that stall: no other thread notices that a write does not end.
    private void watch() {
        try {
            while (!closing.await(WATCH_MILLIS, TimeUnit.MILLISECONDS)) {
                connections.values().forEach(ClientConnection::closeIfStalled);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    ServerOptions options() {
        return options;
    }

    SqlDatabase database() {
        return database;
    }

    SessionPool pool() {
        return pool;
    }

    /// Lets a client in that is past its authentication.
    ///
    /// @return false if there are too many
    boolean admit() {
        if (admitted.incrementAndGet() <= options.maxConnections()) {
            return true;
        }
        admitted.decrementAndGet();
        return false;
    }

    /// Cancels what a connection runs, if the key is right.
    void cancel(int number, int key) {
        ClientConnection connection = connections.get(number);
        if (connection != null) {
            connection.cancel(key);
        }
    }

    void ended(ClientConnection connection, boolean wasAdmitted) {
        connections.remove(connection.number());
        if (wasAdmitted) {
            admitted.decrementAndGet();
        }
    }

    boolean isClosing() {
        return closing.getCount() == 0;
    }

    /// Ends all connections, what they run is rolled back, and stops listening.
    @Override
    public void close() {
        closing.countDown();
        try {
            listener.close();
        } catch (IOException e) {
            LOG.warn("the listener could not be closed: {}", e.toString());
        }
        connections.values().forEach(ClientConnection::terminate);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        try {
            while (!connections.isEmpty() && System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        connections.values().forEach(ClientConnection::closeSocket);
        pool.close();
    }
}

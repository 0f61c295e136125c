package org.namdb.fabric.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.shm.MappingProcess;
import org.namdb.fabric.shm.RegionFile;
import org.namdb.fabric.tls.TlsChannel;
import org.namdb.fabric.tls.TlsFiles;
import org.namdb.fabric.tls.TlsIdentity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stands in for the network card of the memory servers in its process: one thread that does the
/// verbs of all clients, those of a queue pair in their order, by loads and stores and the
/// processor's atomics. So they share one atomicity domain with processes that have mapped the
/// region.
final class Agent implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Agent.class);

    /// While verbs keep coming, it polls for them without going to sleep.
    private static final long SPIN_NANOS =
            Runtime.getRuntime().availableProcessors() > 1 ? 30_000 : 0;

    private static final long REST_MILLIS = 1_000;

    /// How long a client may take to identify itself.
    private static final long GREETING_NANOS = 10_000_000_000L;

    /// How long a client that has disconnected is kept, so that it finds its queue pairs again.
    private static final long MEMORY_NANOS = 120_000_000_000L;

    private static final int MAX_CONNECTIONS = 4_096;

    private final ServedMemory memory = new ServedMemory();
    private final AgentStatistics statistics = new AgentStatistics();
    private final long incarnation = Handshake.incarnation();
    private final byte[] secret;
    private final LongSupplier mappedVerbs;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final InetSocketAddress address;
    private final AgentCalls calls;
    private final @Nullable TlsIdentity identity;
    private final @Nullable TlsWorker worker;
    private final Thread thread;

    private final Map<UUID, ServedClient> clients = new HashMap<>();
    private final MappingClients mapping = new MappingClients();
    private final Set<Integer> fenced = new HashSet<>();
    private final AtomicInteger connected = new AtomicInteger();
    private boolean isBusy;
    private volatile boolean closed;

    /// @param mappedVerbs how many verbs were done by processes that have mapped a region
    Agent(TcpServerOptions options, LongSupplier mappedVerbs) {
        this.mappedVerbs = mappedVerbs;
        this.secret = options.token().getBytes(StandardCharsets.UTF_8);
        TlsFiles files = options.tls();
        this.identity = files == null ? null : TlsIdentity.server(files);
        try {
            selector = Selector.open();
            listener = ServerSocketChannel.open();
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listener.bind(options.address());
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            address = (InetSocketAddress) listener.getLocalAddress();
        } catch (IOException e) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "can't listen on %s: %s".formatted(options.address(), e.getMessage()),
                    e);
        }
        calls = new AgentCalls(this, "nam-requests-" + address.getPort(), options.workers());
        worker = identity == null ? null : new TlsWorker(this, "nam-tls-" + address.getPort());
        thread = Host.MACHINE.start("nam-agent-" + address.getPort(), this::run);
    }

    InetSocketAddress address() {
        return address;
    }

    ServedMemory memory() {
        return memory;
    }

    AgentStatistics statistics() {
        return statistics;
    }

    AgentCalls calls() {
        return calls;
    }

    byte[] secret() {
        return secret;
    }

    long incarnation() {
        return incarnation;
    }

    TcpStatistics statisticsNow() {
        return statistics.now(mappedVerbs.getAsLong(), connected.get());
    }

    /// Wakes the agent's thread for what others have queued.
    void wakeUp() {
        selector.wakeup();
    }

    @SuppressWarnings("CatchingUnchecked") // the memory must stay reachable
    private void run() {
        long lastVerbs = Host.MACHINE.nanoTime();
        long nextRound = lastVerbs;
        while (!closed) {
            try {
                isBusy = false;
                long now = Host.MACHINE.nanoTime();
                if (now - lastVerbs < SPIN_NANOS) {
                    selector.selectNow(this::handle);
                } else {
                    selector.select(this::handle, REST_MILLIS);
                }
                calls.sendAnswers();
                if (worker != null) {
                    worker.goOn();
                }
                now = Host.MACHINE.nanoTime();
                if (isBusy) {
                    lastVerbs = now;
                }
                if (now - nextRound >= 0) {
                    nextRound = now + REST_MILLIS * 1_000_000;
                    forget(now);
                }
            } catch (Throwable e) {
                failed("the agent", e);
            }
        }
        closeAll();
    }

    private void handle(SelectionKey key) {
        if (!(key.attachment() instanceof ServedConnection connection)) {
            accept();
            return;
        }
        try {
            isBusy |= connection.serve();
        } catch (MalformedFrameException e) {
            statistics.malformed();
            LOG.warn("a client is disconnected: it has sent {}", e.getMessage());
            end(key, connection);
        } catch (IOException | CancelledKeyException e) {
            LOG.debug("a connection has ended: {}", e.toString());
            end(key, connection);
        } catch (RuntimeException | Error e) { // the others' verbs must go on
            failed("a client, which is disconnected,", e);
            end(key, connection);
        }
    }

    private void accept() {
        try {
            SocketChannel channel = listener.accept();
            if (channel == null) {
                return;
            }
            if (selector.keys().size() > MAX_CONNECTIONS) {
                LOG.warn("a client is turned away: there are {} already", MAX_CONNECTIONS);
                statistics.refused();
                channel.close();
                return;
            }
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            serve(channel);
        } catch (IOException e) {
            LOG.warn("a client can't be taken: {}", e.toString());
        }
    }

    private void serve(SocketChannel channel) throws IOException {
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        TlsChannel tls = identity == null ? null : new TlsChannel(channel, identity.accept());
        TlsAcceptance acceptance =
                tls == null ? null : new TlsAcceptance(this, key, channel, tls, () -> goOn(key));
        key.attach(
                new ServedConnection(
                        this,
                        new SocketConnection(channel, tls),
                        acceptance,
                        key,
                        Host.MACHINE.nanoTime()));
    }

    /// Computes for a client's handshake, and goes on with the client.
    void compute(TlsChannel tls, Runnable goOn) {
        if (worker != null) {
            worker.compute(tls, goOn);
        }
    }

    private void goOn(SelectionKey key) {
        if (key.attachment() instanceof ServedConnection) {
            handle(key);
        }
    }

    private void end(SelectionKey key, ServedConnection connection) {
        if (connection.stopsServing() || key.attachment() == null) {
            return;
        }
        key.attach(null);
        ServedClient client = connection.client();
        if (client != null && client.connection() == connection) {
            client.disconnect(Host.MACHINE.nanoTime());
            connected.decrementAndGet();
        }
        connection.close();
    }

    /// Answers a call that was handled, over whatever connection its client has now.
    void answer(ServedCall call) {
        statistics.called();
        call.answered();
        ServedConnection connection = call.client().connection();
        if (connection != null) {
            connection.answer(call);
            flush(connection);
        }
    }

    /// Answers a control later than at once.
    void answer(ServedClient client, int queuePair, int number, int code, byte[] answer) {
        ServedConnection connection = client.connection();
        if (connection != null) {
            connection.answer(queuePair, number, code, answer);
            flush(connection);
        }
    }

    private void flush(ServedConnection connection) {
        try {
            connection.flush();
        } catch (IOException | CancelledKeyException e) {
            connections().stream()
                    .filter(key -> key.attachment() == connection)
                    .forEach(key -> end(key, connection));
        }
    }

    private List<SelectionKey> connections() {
        List<SelectionKey> keys = new ArrayList<>();
        for (SelectionKey key : selector.keys()) {
            if (key.attachment() instanceof ServedConnection) {
                keys.add(key);
            }
        }
        return keys;
    }

    /// Ends silent connections, and drops clients that don't come back.
    private void forget(long now) {
        for (SelectionKey key : connections()) {
            if (key.attachment() instanceof ServedConnection connection
                    && connection.isLate(GREETING_NANOS, now)) {
                statistics.refused();
                end(key, connection);
            }
        }
        clients.values().removeIf(client -> client.isGoneFor(MEMORY_NANOS, now));
    }

    boolean isFenced(int process) {
        return fenced.contains(process);
    }

    boolean isKnown(UUID client) {
        return clients.containsKey(client);
    }

    /// The client of this number, on a new connection. What it has sent over an earlier one, and
    /// was not done, is never done.
    ServedClient client(UUID id, ServedConnection now) {
        ServedClient client = clients.computeIfAbsent(id, ServedClient::new);
        ServedConnection before = client.connection();
        if (before != null) {
            disconnect(client);
        }
        client.connect(now);
        connected.incrementAndGet();
        return client;
    }

    private void disconnect(ServedClient client) {
        for (SelectionKey key : connections()) {
            if (key.attachment() instanceof ServedConnection connection
                    && connection == client.connection()) {
                end(key, connection);
            }
        }
    }

    /// Executes a CONTROL frame.
    ///
    /// @return the answer; null if it comes later, by [AgentCalls]
    byte @Nullable [] control(
            ServedClient client, int queuePair, int number, int what, ByteBuffer arguments)
            throws IOException {
        arguments.order(ByteOrder.nativeOrder());
        if (arguments.remaining() != AgentFrame.argumentBytes(what)) {
            throw new MalformedFrameException(
                    "a control of kind %d with %d bytes".formatted(what, arguments.remaining()));
        }
        switch (what) {
            case AgentFrame.ENROLL -> enroll(client, (int) arguments.getLong());
            case AgentFrame.FENCE -> {
                int process = (int) arguments.getLong();
                fence(process);
                calls.confirmFence(client, queuePair, number, process, mapping.of(process));
                return null;
            }
            case AgentFrame.MAP -> {
                int server = (int) arguments.getLong();
                RegionFile file = memory.file(server);
                long pid = arguments.getLong();
                long namespace = arguments.getLong();
                calls.findMapping(client, queuePair, number, pid, namespace, file);
                return null;
            }
            case AgentFrame.SETTLE -> {
                calls.settle(client, queuePair, number);
                return null;
            }
            case AgentFrame.LEAVE -> {
                mapping.remove(client.id());
                clients.remove(client.id());
            }
            case AgentFrame.REGIONS -> {
                return memory.describe();
            }
            case AgentFrame.STATISTICS -> {
                return AgentStatistics.bytes(statisticsNow());
            }
            default -> throw new MalformedFrameException("a control of kind " + what);
        }
        return new byte[0];
    }

    /// What this process of the cluster has mapped can't be changed by these any more.
    void ended(int process, Set<MappingProcess> processes) {
        mapping.remove(process, processes);
    }

    /// A client has mapped a region, or pretends to; it does not use the mapping before it has the
    /// answer.
    ///
    /// @param by the process that has it mapped; null if there is none
    void mapped(
            ServedClient client,
            int queuePair,
            int number,
            @Nullable MappingProcess by,
            @Nullable RegionFile file) {
        boolean isKnown = clients.get(client.id()) == client;
        if (by == null || file == null || !isKnown) { // a fenced one is not in the map, either
            answer(client, queuePair, number, 0, AgentCalls.word(0));
            return;
        }
        mapping.add(client, by, file);
        answer(client, queuePair, number, 0, AgentCalls.word(1));
    }

    /// One that is fenced already is refused when it connects again.
    private void enroll(ServedClient client, int process) throws IOException {
        client.enroll(process);
        mapping.enroll(client);
        if (isFenced(process)) {
            throw new IOException("process " + process + " is fenced");
        }
    }

    /// Nothing of this process is done any more. Its verbs are done by this very thread, so none is
    /// under way; its calls may be, so this is answered after all of them, and when the processes
    /// that have mapped a region are ended ([AgentCalls]).
    private void fence(int process) {
        if (!fenced.add(process)) {
            return;
        }
        LOG.info("process {} is fenced", process);
        for (SelectionKey key : connections()) {
            if (key.attachment() instanceof ServedConnection connection
                    && connection.isOf(process)) {
                end(key, connection);
            }
        }
        clients.values().removeIf(client -> client.process() == process);
    }

    void failed(String what, Throwable e) {
        LOG.error("{} has failed", what, e);
    }

    private void closeAll() {
        for (SelectionKey key : connections()) {
            if (key.attachment() instanceof ServedConnection connection) {
                end(key, connection);
            }
        }
        try {
            listener.close();
            selector.close();
        } catch (IOException e) {
            LOG.warn("can't stop listening: {}", e.toString());
        }
    }

    /// When this returns, nothing is done any more.
    @Override
    public void close() {
        closed = true;
        calls.close();
        if (worker != null) {
            worker.close();
        }
        wakeUp();
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

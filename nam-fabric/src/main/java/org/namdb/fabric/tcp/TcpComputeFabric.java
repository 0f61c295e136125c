package org.namdb.fabric.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.MappedRegion;
import org.namdb.fabric.tls.TlsFiles;
import org.namdb.fabric.tls.TlsIdentity;

/// A compute server's access to memory servers in other processes, of this machine and of others,
/// by TCP. Their addresses are configured; they report everything else.
///
/// A connection that breaks is opened again beneath the queue pairs, and every verb is done exactly
/// once; only when that takes longer than the [timeout][TcpClientOptions#timeout] do verbs fail.
public final class TcpComputeFabric implements ComputeFabric {
    private final TcpClientOptions options;
    private final UUID client = Handshake.random();
    private final byte[] secret;
    private final @Nullable TlsIdentity identity;
    private final Poller poller;
    private final List<InetSocketAddress> addresses;

    /// Changed under the monitor, which is held while one is opened; the poller does not wait.
    private final Map<InetSocketAddress, AgentLink> links = new ConcurrentHashMap<>();

    private final List<AgentLink> all = new ArrayList<>();

    /// Of those that could not be opened; changed under the monitor.
    private final Map<InetSocketAddress, FailedAttempt> failed = new ConcurrentHashMap<>();

    private final Mappings mappings = new Mappings();
    private volatile int process = ServedClient.NO_PROCESS;
    private volatile boolean closing;

    private TcpComputeFabric(List<InetSocketAddress> addresses, TcpClientOptions options) {
        this.options = options;
        this.addresses = List.copyOf(addresses);
        this.secret = options.token().getBytes(StandardCharsets.UTF_8);
        TlsFiles files = options.tls();
        this.identity = files == null ? null : TlsIdentity.client(files);
        this.poller = new Poller(this::openLinks, options.timeout().toNanos());
    }

    /// Connects to memory servers.
    ///
    /// @param addresses where they listen, by number: errors name a server by its place here
    /// @throws FabricException if one of them can't be reached (PEER_GONE), or refuses this compute
    ///     server
    public static TcpComputeFabric connect(
            List<InetSocketAddress> addresses, TcpClientOptions options) {
        TcpComputeFabric fabric = new TcpComputeFabric(addresses, options);
        boolean isConnected = false;
        try {
            for (InetSocketAddress address : fabric.addresses) {
                AgentLink _ = fabric.link(address);
            }
            isConnected = true;
            return fabric;
        } finally {
            if (!isConnected) {
                fabric.close();
            }
        }
    }

    private List<AgentLink> openLinks() {
        return List.copyOf(links.values());
    }

    private record FailedAttempt(long endNanos, FabricException why) {}

    /// The link to an agent, another one if the last is gone.
    private AgentLink link(InetSocketAddress address) {
        return link(address, Host.MACHINE.nanoTime());
    }

    /// Many threads may wait here until a silent agent times out: all that have come before that
    /// fail together, and don't time out one by one. A later caller retries.
    private synchronized AgentLink link(InetSocketAddress address, long sinceNanos) {
        AgentLink link = links.get(address);
        if (link == null || link.gone() != null) {
            FailedAttempt before = failed.get(address);
            if (before != null && sinceNanos - before.endNanos < 0) {
                FabricException why = before.why;
                throw new FabricException(why.kind(), String.valueOf(why.getMessage()), why);
            }
            try {
                link = new AgentLink(address, poller, this::recover, open(address), link);
            } catch (FabricException e) {
                if (!Thread.currentThread().isInterrupted()) { // that is its own failure
                    failed.put(address, new FailedAttempt(Host.MACHINE.nanoTime(), e));
                }
                throw e;
            }
            failed.remove(address);
            links.put(address, link);
            all.add(link);
        }
        return link;
    }

    private ClientHandshake.Opened open(InetSocketAddress address) {
        if (closing) {
            throw new FabricException(
                    FabricException.Kind.CONNECTION_LOST, "the connections have been closed");
        }
        if (address.isUnresolved()) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE, "there is no host " + address.getHostString());
        }
        try {
            return handshake(address).open(process, options.timeout().toNanos());
        } catch (IOException e) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE,
                    "memory server %d can't be reached at %s:%d: %s"
                            .formatted(
                                    addresses.indexOf(address),
                                    address.getHostString(),
                                    address.getPort(),
                                    e.getMessage()),
                    e);
        }
    }

    private ClientHandshake handshake(InetSocketAddress address) {
        return new ClientHandshake(address, secret, identity, client);
    }

    private void recover(AgentLink link, Exception why) {
        Thread _ =
                Host.MACHINE.start(
                        "nam-tcp-recovery-" + link.address().getPort(),
                        new LinkRecovery(
                                link,
                                handshake(link.address()),
                                () -> process,
                                options.timeout().toNanos(),
                                () -> closing,
                                why));
    }

    @Override
    public List<Region> regions() {
        return routes(true).values().stream()
                .map(way -> way.served().region())
                .sorted((a, b) -> Integer.compare(a.server(), b.server()))
                .toList();
    }

    /// How a memory server is reached.
    private record Way(ServedMemory.Served served, AgentLink link) {}

    private Map<Integer, Way> routes(boolean isFresh) {
        Map<Integer, Way> ways = new HashMap<>();
        for (InetSocketAddress address : addresses) {
            AgentLink link = reachable(address);
            if (link != null) {
                if (isFresh) {
                    link.refreshRegions();
                }
                link.regions()
                        .forEach(served ->
                                ways.put(served.region().server(), new Way(served, link)));
            }
        }
        return ways;
    }

    /// Whether there is a link to a memory server's agent.
    boolean hasWayTo(int server) {
        return links.values().stream()
                .filter(link -> link.gone() == null)
                .flatMap(link -> link.regions().stream())
                .anyMatch(served -> served.region().server() == server);
    }

    /// Why there is no link to the agent of a memory server, as the last attempt has found; null if
    /// there was none. Does not try again.
    @Nullable FabricException unreachable(int server) {
        for (Map.Entry<InetSocketAddress, AgentLink> each : links.entrySet()) {
            FailedAttempt attempt = failed.get(each.getKey());
            if (attempt != null
                    && each.getValue().regions().stream()
                            .anyMatch(served -> served.region().server() == server)) {
                return attempt.why;
            }
        }
        return null;
    }

    private @Nullable AgentLink reachable(InetSocketAddress address) {
        try {
            return link(address);
        } catch (FabricException e) {
            if (e.kind() == FabricException.Kind.PEER_GONE
                    || e.kind() == FabricException.Kind.CONNECTION_LOST) {
                return null; // verbs to its servers fail
            }
            throw e;
        }
    }

    @Override
    public QueuePair connect(List<Region> regions) {
        Map<Integer, Way> ways = routes(false);
        if (!regions.stream().allMatch(region -> ways.containsKey(region.server()))) {
            ways.putAll(routes(true));
        }
        Map<AgentLink, VerbStream> streams = new HashMap<>();
        List<TcpQueuePair.Route> routes = new ArrayList<>();
        for (Region region : regions) {
            Way way = ways.get(region.server());
            if (way != null) {
                MappedRegion mapped = mapping(way);
                VerbStream stream = streams.computeIfAbsent(way.link(), AgentLink::open);
                routes.add(new TcpQueuePair.Route(region, mapped, stream));
            }
        }
        return new TcpQueuePair(
                this, routes, List.copyOf(streams.values()), options.landingBytes());
    }

    private @Nullable MappedRegion mapping(Way way) {
        return options.mapsRegions() ? mappings.of(way.link(), way.served()) : null;
    }

    /// Whether verbs to a memory server go to its memory itself, as it is mapped in this process.
    ///
    /// @throws FabricException if the server can't be reached
    public boolean isMapped(int server) {
        Way way = routes(false).get(server);
        if (way == null) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE,
                    "memory server %d can't be reached".formatted(server));
        }
        return mapping(way) != null;
    }

    /// Returns when nothing of what a stream has posted takes effect any more: what was sent before
    /// is done by the agent before it answers this. What came over an earlier connection is not
    /// done any more when the agent has taken another one of this client, but for requests that its
    /// workers have: those are done before it answers this over the other one. So nothing must be
    /// sent again over that one:
    /// ```
    /// q  has posted a batch, and awaits it no more; this calls the agent; the connection breaks
    /// l  sends both again, this first: it is answered, and then the batch is done
    /// ```
    ///
    /// @throws FabricException if that can't be found out now
    void settle(VerbStream stream) {
        AgentLink link = stream.link();
        FabricException why = link.gone();
        if (why == null) {
            if (stream.isUnderWay()) {
                link.abandon(stream);
            }
            if (stream.isAbandoned()) {
                byte[] _ = link.request(AgentFrame.SETTLE, new byte[0]);
                stream.settled();
            }
        } else if (!link.isSettled()) {
            try {
                // Workers may still handle requests that came over the link that is gone.
                byte[] _ = link(link.address()).request(AgentFrame.SETTLE, new byte[0]);
            } catch (FabricException e) {
                throw new FabricException(why.kind(), String.valueOf(why.getMessage()), e);
            }
        }
    }

    @Override
    public void enroll(int number) {
        process = number;
        for (InetSocketAddress address : addresses) {
            byte[] _ = link(address).request(AgentFrame.ENROLL, word(number));
        }
    }

    @Override
    public void fence(int number) {
        for (InetSocketAddress address : addresses) {
            byte[] _ = link(address).request(AgentFrame.FENCE, word(number));
        }
    }

    private static byte[] word(long value) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(value)
                .array();
    }

    /// What the agent of a memory server has done since it was started.
    ///
    /// @throws FabricException if it can't be reached
    public TcpStatistics statistics(int server) {
        Way way =
                server >= 0 && server < RemoteAddress.MAX_SERVERS
                        ? routes(false).get(server)
                        : null;
        if (way == null) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE, "there is no memory server " + server);
        }
        return AgentStatistics.read(way.link().request(AgentFrame.STATISTICS, new byte[0]));
    }

    @Override
    public void close() {
        List<AgentLink> open;
        synchronized (this) {
            closing = true;
            open = List.copyOf(all);
        }
        FirstFailure ignored = new FirstFailure();
        mappings.close(ignored); // before the agents hear that nothing is mapped any more
        for (AgentLink link : open) {
            if (link.gone() == null) {
                ignored.attempt(() -> link.request(AgentFrame.LEAVE, new byte[0]));
            }
        }
        poller.close();
        open.forEach(AgentLink::free);
    }
}

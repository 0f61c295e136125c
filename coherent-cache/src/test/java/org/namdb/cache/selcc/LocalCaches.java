package org.namdb.cache.selcc;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.tcp.TcpPeerOptions;
import org.namdb.fabric.peer.tcp.TcpPeers;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.server.MemoryServer;

/// Two memory servers and some compute servers with caches, all in this process.
public final class LocalCaches implements AutoCloseable {
    private final ShmFabric fabric;
    private final List<Region> regions = new ArrayList<>();
    private final LocalPeers peers = new LocalPeers();
    private final boolean isTcp;
    private final Map<Integer, InetSocketAddress> addresses = new ConcurrentHashMap<>();
    private final List<LineCache> caches = new ArrayList<>();
    private final QueuePair observer;

    public LocalCaches(LineCacheOptions options, int count) {
        this(options, count, false);
    }

    /// With messages over sockets or in memory.
    ///
    /// @param isTcp whether the compute servers send each other messages over sockets
    public LocalCaches(LineCacheOptions options, int count, boolean isTcp) {
        this.isTcp = isTcp;
        fabric = new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
        for (int server = 0; server < 2; server++) {
            MemoryServer started = new MemoryServer(fabric, server, 8 << 20, 0);
            regions.add(started.region());
        }
        observer = fabric.connect(regions);
        for (int process = 0; process < count; process++) {
            caches.add(join(options, process));
        }
    }

    public LineCache join(LineCacheOptions options, int process) {
        return join(options, joinPeers(process), actual -> actual);
    }

    /// Another compute server's cache.
    ///
    /// @param access by which the cache reaches the memory servers
    public LineCache join(
            LineCacheOptions options, PeerFabric joined, UnaryOperator<Fabric> access) {
        return new LineCache(options, access.apply(fabric), regions, joined, Host.MACHINE);
    }

    public LineCache cache(int number) {
        return caches.get(number);
    }

    /// A process without a cache.
    public PeerFabric joinPeers(int process) {
        if (!isTcp) {
            return peers.join(process, Host.MACHINE);
        }
        TcpPeers joined = new TcpPeers(process, TcpPeerOptions.LOOPBACK, addresses::get);
        addresses.put(process, joined.address());
        return joined;
    }

    /// The word at an address of memory, by this test's own queue pair.
    long memory(long address) {
        return observer.readWord(address);
    }

    @Override
    public void close() {
        caches.forEach(LineCache::close);
        observer.close();
        fabric.close();
    }
}

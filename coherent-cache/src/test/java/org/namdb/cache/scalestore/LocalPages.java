package org.namdb.cache.scalestore;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.MachineDisk;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.tcp.TcpPeerOptions;
import org.namdb.fabric.peer.tcp.TcpPeers;

/// Nodes of a store of pages, all in this process.
public final class LocalPages implements AutoCloseable {
    private final LocalPeers peers = new LocalPeers();
    private final boolean isTcp;
    private final List<Integer> disks;
    private final Map<Integer, InetSocketAddress> addresses = new ConcurrentHashMap<>();
    private final List<PageStore> stores = new ArrayList<>();

    /// Nodes with disks below a directory, and some without.
    public LocalPages(
            PageStoreOptions options, Path directory, int withDisks, int others, boolean isTcp) {
        this.isTcp = isTcp;
        disks = IntStream.range(0, withDisks).boxed().toList();
        for (int node = 0; node < withDisks + others; node++) {
            Path file = node < withDisks ? directory.resolve("node-" + node) : null;
            stores.add(start(options, file, node));
        }
    }

    /// Another node, or one that comes again, which the caller closes.
    ///
    /// @param directory of its disk; null for none
    PageStore start(PageStoreOptions options, @Nullable Path directory, int node) {
        Disk disk = directory == null ? null : new MachineDisk(directory);
        return new PageStore(options, join(node), disk, disks, Host.MACHINE);
    }

    /// A process without a store.
    PeerFabric join(int node) {
        if (!isTcp) {
            return peers.join(node, Host.MACHINE);
        }
        TcpPeers joined = new TcpPeers(node, TcpPeerOptions.LOOPBACK, addresses::get);
        addresses.put(node, joined.address());
        return joined;
    }

    public PageStore store(int node) {
        return stores.get(node);
    }

    /// Nodes without disks leave first.
    @Override
    public void close() {
        stores.reversed().forEach(PageStore::close);
    }
}

package org.namdb.cache.scalestore;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.frame.FrameTable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.PeerQueue;

/// A node of a store of pages: its memory has pages of all nodes, its disk those that were
/// allocated here. Nodes without a disk have memory only.
///
/// Pages last as long as the nodes: what is on a disk is gone when its node is opened again. When a
/// node dies, or a disk fails, whatever needs it fails, here and elsewhere.
///
/// Thread-safe. Source: ScaleStore, sections 2 and 3.
public final class PageStore implements AutoCloseable {
    /// How many nodes there can be: owners are bits of a word.
    public static final int MAX_NODES = Long.SIZE;

    private final PageStoreOptions options;
    private final PeerFabric peers;
    private final Host host;
    private final List<Integer> disks;
    private final FrameTable table;
    private final PageOwner owner;
    private final @Nullable PageFile file;
    private final @Nullable PageDirectory directory;
    private final @Nullable ExecutorService ioThreads;
    private final PageProvider provider;
    private final AtomicBoolean hasLeft = new AtomicBoolean();
    private final AtomicInteger allocations = new AtomicInteger();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    /// Joins the store.
    ///
    /// @param peers the way to the other nodes, whose process numbers, below 64, are the nodes'; it
    ///     serves this node from now on, and is closed with it
    /// @param disk where this node's file is; null for none
    /// @param disks the numbers of all nodes that have disks
    /// @throws DiskException if another process uses the disk, or it fails
    public PageStore(
            PageStoreOptions options,
            PeerFabric peers,
            @Nullable Disk disk,
            List<Integer> disks,
            Host host) {
        int node = peers.process();
        if (node < 0 || node >= MAX_NODES) {
            throw new IllegalArgumentException(
                    "node %d of a store of pages: numbers are below %d".formatted(node, MAX_NODES));
        }
        if (disks.isEmpty() || disks.contains(node) != (disk != null)) {
            throw new IllegalArgumentException(
                    "nodes %s have disks, and node %d has %s"
                            .formatted(disks, node, disk == null ? "none" : "one"));
        }
        this.options = options;
        this.peers = peers;
        this.host = host;
        this.disks = List.copyOf(disks);
        this.table = new FrameTable(options.frames(), options.pageBytes());
        this.owner = new PageOwner(table, options.pageBytes());
        this.file = disk == null ? null : new PageFile(disk, options.pageBytes());
        this.directory = file == null ? null : new PageDirectory(file, node);
        this.ioThreads =
                options.ioThreads() == 0 || disk == null
                        ? null
                        : Executors.newFixedThreadPool(
                                options.ioThreads(),
                                Thread.ofPlatform().daemon().name("page-io-", 0).factory());
        this.provider = new PageProvider(this);
        peers.serve(new PageHandler(this));
        provider.start();
    }

    /// Opens a thread's session.
    public PageSession open() {
        requireUsable();
        return new PageSession(this);
    }

    /// This node's number.
    public int node() {
        return peers.process();
    }

    /// What this node may do with a page at this moment, for checks.
    public State state(long page) {
        Frame frame = table.locate(page);
        return frame == null ? State.INVALID : frame.state();
    }

    /// The nodes that have a page of this node's disk, as bits, for checks.
    public long owners(long page) {
        return directory().owners(page);
    }

    /// How many bytes pages have got on this node's disk.
    public long allocatedBytes() {
        return file == null ? 0 : file.bytes();
    }

    /// Leaves: pages of other nodes' disks go back to them. What lies on this node's disk can't be
    /// accessed any more. No session has a guard open.
    @Override
    public void close() {
        try {
            provider.stop();
            if (failure.get() == null) {
                provider.evictForeign();
            }
        } finally {
            failure.compareAndSet(
                    null, new FabricException(FabricException.Kind.SYSTEM, "the store is closed"));
            leave();
            if (ioThreads != null) {
                ioThreads.close();
            }
            if (file != null) {
                file.close();
            }
            table.close();
        }
    }

    /// From now on nothing is accessed here: where a page is, or what it has, is not known any
    /// more. For other nodes this one is gone, so that they don't wait for it.
    void fail(RuntimeException cause) {
        if (failure.compareAndSet(null, cause)) {
            host.logger(PageStore.class)
                    .error("node {} of the store of pages has failed", node(), cause);
            leave();
        }
    }

    private void leave() {
        if (hasLeft.compareAndSet(false, true)) {
            peers.close();
        }
    }

    /// @throws FabricException if the store has failed, or is closed
    void requireUsable() {
        RuntimeException cause = failure.get();
        if (cause != null) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "the store of pages has failed: " + cause.getMessage());
        }
    }

    boolean isUsable() {
        return failure.get() == null;
    }

    /// Runs what reads or writes the disk for others.
    Executor io() {
        return ioThreads == null ? Runnable::run : ioThreads;
    }

    /// @throws IllegalStateException if this node has no disk
    PageDirectory directory() {
        if (directory == null) {
            throw new IllegalStateException("node " + node() + " has no disk");
        }
        return directory;
    }

    /// The directory of a page, if that is this node's.
    @Nullable PageDirectory directory(long page) {
        return PageId.directory(page) == node() ? directory : null;
    }

    /// The node on whose disk the next page is allocated: this one, or all in turn.
    int nextDisk() {
        return directory != null
                ? node()
                : disks.get(Math.floorMod(allocations.getAndIncrement(), disks.size()));
    }

    boolean isDisk(int node) {
        return disks.contains(node);
    }

    FrameTable table() {
        return table;
    }

    PageOwner owner() {
        return owner;
    }

    PageProvider provider() {
        return provider;
    }

    Host host() {
        return host;
    }

    PeerQueue connect() {
        return peers.connect();
    }

    int pageBytes() {
        return options.pageBytes();
    }

    long waitNanos() {
        return options.waitLimit().toNanos();
    }

    /// Waits until all that a queue has posted is answered.
    ///
    /// @throws FabricException if the store fails meanwhile, or it takes too long
    void await(PeerQueue queue) {
        long step = Duration.ofMillis(100).toNanos();
        long left = waitNanos();
        while (!queue.await(Math.min(step, left))) {
            requireUsable();
            left -= step;
            if (left <= 0) {
                throw new FabricException(
                        FabricException.Kind.CONNECTION_LOST,
                        "another node has not answered for " + options.waitLimit());
            }
        }
    }
}

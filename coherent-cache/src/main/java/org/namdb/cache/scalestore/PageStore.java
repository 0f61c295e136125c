package org.namdb.cache.scalestore;

import java.util.List;
import java.util.concurrent.Executor;
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
/// node dies, or its disk fails, the pages that it has changed are lost, and those of its disk.
///
/// Thread-safe. Source: ScaleStore, sections 2 and 3.
public final class PageStore implements AutoCloseable {
    /// How many nodes there can be: owners are bits of a word.
    public static final int MAX_NODES = Long.SIZE;

    private static final long STEP_NANOS = 100_000_000;

    private final PageStoreOptions options;
    private final PeerFabric peers;
    private final Host host;
    private final List<Integer> disks;
    private final FrameTable table;
    private final PageOwner owner;
    private final @Nullable PageFile file;
    private final @Nullable PageDirectory directory;
    private final PageIo io;
    private final PageProvider provider;
    private volatile boolean isClosing;
    private final AtomicBoolean hasLeft = new AtomicBoolean();
    private final AtomicInteger allocations = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

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
        if (disks.isEmpty()
                || disks.stream().anyMatch(each -> each < 0 || each >= MAX_NODES)
                || disks.contains(node) != (disk != null)) {
            throw new IllegalArgumentException(
                    "nodes %s have disks, and node %d has %s"
                            .formatted(disks, node, disk == null ? "none" : "one"));
        }
        this.options = options;
        this.peers = peers;
        this.host = host;
        this.disks = List.copyOf(disks);
        this.table = new FrameTable(options.frames(), options.pageBytes());
        this.file = disk == null ? null : open(disk);
        this.directory = file == null ? null : new PageDirectory(file, node);
        this.owner = new PageOwner(table, options.pageBytes());
        this.io = new PageIo(host, options.ioThreads());
        this.provider = new PageProvider(this);
        peers.serve(new PageHandler(this));
        provider.start();
    }

    /// Frees the frames if the disk can't be had.
    private PageFile open(Disk disk) {
        int incarnation = (int) host.instant().toEpochMilli(); // its lowest 16 bits count
        boolean isOpen = false;
        try {
            PageFile opened = new PageFile(disk, options.pageBytes(), incarnation);
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen) {
                table.close();
            }
        }
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
        return requireDirectory().owners(page);
    }

    /// How many bytes are allocated for pages on this node's disk.
    public long allocatedBytes() {
        return file == null ? 0 : file.bytes();
    }

    /// Leaves: pages of other nodes' disks go back to them. What lies on this node's disk can't be
    /// accessed any more. No session has a guard open, and none gets another one.
    @Override
    public void close() {
        isClosing = true;
        try {
            provider.stop();
            if (isUsable()) {
                provider.evictForeign();
            }
            io.close(waitNanos()); // before it leaves: others wait for what is read for them
        } finally {
            failure.compareAndSet(
                    null, new FabricException(FabricException.Kind.SYSTEM, "it is closed"));
            leave();
            io.close();
            if (file != null) {
                file.close();
            }
            table.close();
        }
    }

    /// From now on nothing is accessed here: where a page is, or what it has, is not known any
    /// more. For other nodes this one is gone, so that they don't wait for it.
    void fail(Throwable cause) {
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
        Throwable cause = failure.get();
        if (cause != null || isClosing) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "the store of pages has failed: "
                            + (cause == null ? "it is closed" : cause.getMessage()));
        }
    }

    /// Whether it has not failed, and is not closed.
    boolean isUsable() {
        return failure.get() == null;
    }

    /// Runs what reads or writes the disk for others.
    Executor io() {
        return io;
    }

    /// Who has the pages of this node's disk; null without a disk.
    @Nullable PageDirectory directory() {
        return directory;
    }

    /// @throws IllegalArgumentException if this node has no disk
    PageDirectory requireDirectory() {
        if (directory == null) {
            throw new IllegalArgumentException("node " + node() + " has no disk");
        }
        return directory;
    }

    /// The directory of a page, if that is this node's.
    @Nullable PageDirectory directory(long page) {
        return PageId.directory(page) == node() ? directory : null;
    }

    /// The node on whose disk the next page is allocated: all in turn.
    int nextDisk() {
        return disks.get(Math.floorMod(allocations.getAndIncrement(), disks.size()));
    }

    /// How many nodes have disks.
    int disks() {
        return disks.size();
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
    /// @throws FabricException if the store fails meanwhile
    void await(PeerQueue queue) {
        while (!queue.await(STEP_NANOS)) {
            requireRunning();
        }
    }

    /// The same, for at most so long.
    ///
    /// @return whether it is
    /// @throws FabricException if the store fails meanwhile
    boolean await(PeerQueue queue, long nanos) {
        long begin = host.nanoTime();
        long left = nanos;
        while (!queue.await(Math.clamp(left, 1, STEP_NANOS))) {
            requireRunning();
            left = nanos - (host.nanoTime() - begin);
            if (left <= 0) {
                return false;
            }
        }
        return true;
    }

    /// While it is being closed, waits go on.
    ///
    /// @throws FabricException if the store has failed
    void requireRunning() {
        if (!isUsable()) {
            requireUsable();
        }
    }
}

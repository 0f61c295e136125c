package org.namdb.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.scalestore.PageSession;
import org.namdb.cache.scalestore.PageStore;
import org.namdb.cache.scalestore.PageStoreOptions;
import org.namdb.cache.tree.LineTree;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.MachineDisk;
import org.namdb.workload.testbed.CabledPeers;

/// Nodes of a store of pages, behind cables. Their files are in a directory of their own, which is
/// deleted in the end.
final class PageNodes implements AutoCloseable {
    private static final String PREFIX = "namdb-pages-";

    private final Path directory;
    private final CabledPeers peers;
    private final List<Integer> disks;
    private final List<PageStore> stores = new ArrayList<>();

    /// Starts nodes with disks.
    ///
    /// @param below where the directory is made; null for where the system has temporary files
    /// @param cable the time from one end of a cable to the other
    /// @throws IOException if the directory can't be made
    PageNodes(int count, int frames, @Nullable Path below, Duration cable) throws IOException {
        directory =
                below == null
                        ? Files.createTempDirectory(PREFIX)
                        : Files.createTempDirectory(below, PREFIX);
        peers = new CabledPeers(cable);
        disks = IntStream.range(0, count).boxed().toList();
        boolean isWhole = false;
        try {
            for (int node = 0; node < count; node++) {
                join(frames, new MachineDisk(directory.resolve("node-" + node)));
            }
            isWhole = true;
        } finally {
            if (!isWhole) {
                close();
            }
        }
    }

    private void join(int frames, @Nullable Disk disk) {
        stores.add(
                new PageStore(
                        PageStoreOptions.DEFAULT.withFrames(frames),
                        peers.join(stores.size()),
                        disk,
                        disks,
                        Host.MACHINE));
    }

    /// A node without a disk joins, with the next number.
    void join(int frames) {
        join(frames, null);
    }

    /// The node that has joined last leaves.
    void leave() {
        stores.removeLast().close();
    }

    /// A thread's access to pages.
    PageSession open(int node) {
        return stores.get(node).open();
    }

    /// Allocates pages on the disks of all nodes in turn.
    List<Long> allocate(int count) {
        List<Long> pages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            try (PageSession session = open(i % stores.size())) {
                pages.add(session.allocate());
            }
        }
        return pages;
    }

    /// Makes a tree with the keys below `keys`, of which each node inserts its part.
    ///
    /// @return its root
    long load(int keys) {
        long root;
        try (PageSession session = open(0)) {
            root = LineTree.create(session);
        }
        for (int node = 0; node < stores.size(); node++) {
            try (PageSession session = open(node)) {
                LineTree tree = new LineTree(session, root);
                int end = firstKey(node + 1, keys);
                for (long key = firstKey(node, keys); key < end; key++) {
                    boolean _ = tree.insert(key, key);
                }
            }
        }
        return root;
    }

    /// The first key of a node's part of a tree; for the number behind the last node, all keys.
    int firstKey(int node, int keys) {
        return (int) ((long) keys * node / stores.size());
    }

    /// Ends the nodes, those without disks first.
    @Override
    public void close() {
        FirstFailure failures = new FirstFailure();
        for (PageStore store : stores.reversed()) {
            failures.attempt(store::close);
        }
        failures.attempt(peers::close);
        failures.attempt(() -> {
            try {
                LocalCluster.delete(directory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        failures.rethrow();
    }
}

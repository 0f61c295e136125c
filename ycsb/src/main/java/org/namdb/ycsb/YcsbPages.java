package org.namdb.ycsb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.scalestore.PageSession;
import org.namdb.cache.scalestore.PageStore;
import org.namdb.cache.scalestore.PageStoreOptions;
import org.namdb.cache.tree.LineTree;
import org.namdb.compute.Session;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.DiskException;
import org.namdb.fabric.disk.MachineDisk;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.workload.driver.Pacing;
import org.namdb.workload.driver.Work;
import org.namdb.workload.load.UnusableDatabaseException;

/// The records in pages of a store of one node, in its memory and on its disk, found by a tree of
/// pages.
final class YcsbPages implements YcsbStore, AutoCloseable {
    private static final int NODE = 0;

    private final PageStore store;
    private final long root;
    private final int fields;
    private final int fieldBytes;

    /// The directory that is removed in the end; null for none.
    private final @Nullable Path temporary;

    private YcsbPages(PageStore store, long root, YcsbOptions options, @Nullable Path temporary) {
        this.store = store;
        this.root = root;
        this.fields = options.fields();
        this.fieldBytes = options.fieldBytes();
        this.temporary = temporary;
    }

    /// Makes an empty tree.
    ///
    /// @throws UnusableDatabaseException if pages are too short for a record, or the disk fails
    static YcsbPages create(YcsbOptions options) {
        Path directory = options.pageDirectory();
        Path temporary = null;
        try {
            if (directory == null) {
                directory = Files.createTempDirectory("nam-ycsb-pages-");
                temporary = directory;
            }
            PageStore store = open(options, directory);
            try (PageSession session = store.open()) {
                YcsbPages pages =
                        new YcsbPages(store, LineTree.create(session), options, temporary);
                pages.records().close();
                return pages;
            } catch (IllegalArgumentException e) {
                store.close();
                throw e;
            }
        } catch (IllegalArgumentException | DiskException | IOException e) {
            throw new UnusableDatabaseException(String.valueOf(e.getMessage()));
        }
    }

    private static PageStore open(YcsbOptions options, Path directory) {
        PageStoreOptions defaults = PageStoreOptions.DEFAULT;
        long frames = Math.max(2, options.pageMemoryBytes() / defaults.pageBytes());
        return new PageStore(
                defaults.withFrames(Math.toIntExact(Math.min(frames, Integer.MAX_VALUE))),
                new LocalPeers().join(NODE, Host.MACHINE),
                new MachineDisk(directory),
                List.of(NODE),
                Host.MACHINE);
    }

    /// A thread's access to them, which it closes.
    LineRecords records() {
        return new LineRecords(store.open(), root, fields, fieldBytes);
    }

    /// Each run has pages of its own.
    @Override
    public long nextRun(Session session) {
        return 1;
    }

    @Override
    public Work work(
            Session session,
            YcsbOptions options,
            OperationDraw draw,
            Pacing pacing,
            ReadChecks checks) {
        return new LineWork(records(), options, draw, pacing, checks);
    }

    @Override
    public void close() {
        store.close();
        if (temporary != null) {
            try {
                try (var files = Files.list(temporary)) {
                    for (Path file : files.toList()) {
                        Files.delete(file);
                    }
                }
                Files.delete(temporary);
            } catch (IOException e) {
                throw new UnusableDatabaseException(
                        "can't remove " + temporary + ": " + e.getMessage());
            }
        }
    }
}

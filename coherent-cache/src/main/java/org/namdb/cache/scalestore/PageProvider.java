package org.namdb.cache.scalestore;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.frame.FrameTable;
import org.namdb.cache.scalestore.PageDirectory.Eviction;
import org.namdb.cache.scalestore.PageDirectory.Verdict;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.PeerQueue;
import org.namdb.fabric.peer.PeerReply;

/// The thread that keeps frames free (ScaleStore, section 4.2): it evicts the coldest pages of a
/// sample, up to 100 at a time, by a message to each directory.
final class PageProvider {
    private static final int MAX_BATCH = 100;

    /// One of so many frames is kept free.
    private static final int FREE_SHARE = 100;

    private static final long IDLE_NANOS = 100_000;

    /// How often it looks whether the disk has what it shall write.
    private static final long WRITE_NANOS = 20_000;

    private final PageStore store;
    private final FrameTable table;
    private final PageHandler handler;
    private final PeerQueue queue;
    private final int keptFree;
    private final Frame[] victims = new Frame[MAX_BATCH];
    private volatile @Nullable Thread thread;
    private volatile boolean isStopped;
    private volatile boolean hasEnded;

    /// A page that is being evicted, with its frame, latched exclusively.
    private record Leaving(Frame frame, Eviction eviction) {}

    /// A message to a directory, and what it says.
    private record Posted(PeerReply reply, List<Leaving> pages) {}

    PageProvider(PageStore store) {
        this.store = store;
        this.table = store.table();
        this.handler = new PageHandler(store);
        this.queue = store.connect();
        this.keptFree = Math.max(1, table.size() / FREE_SHARE);
    }

    void start() {
        thread = store.host().start("pages of node " + store.node(), this::run);
    }

    /// A thread needs a frame.
    void wake() {
        LockSupport.unpark(thread);
    }

    /// Ends the thread. When this returns, it evicts nothing any more.
    void stop() {
        isStopped = true;
        wake();
        while (!hasEnded) {
            store.host().sleep(IDLE_NANOS);
        }
    }

    private void run() {
        try {
            while (!isStopped && store.isUsable()) {
                int evicted = table.freeCount() < keptFree ? evict(table.victims(victims)) : 0;
                if (evicted == 0) {
                    store.host().sleep(IDLE_NANOS);
                }
            }
        } catch (RuntimeException | Error e) {
            store.fail(e);
        } finally {
            hasEnded = true;
        }
    }

    /// Evicts all pages of other nodes' disks, when the thread has ended. One that a dead node was
    /// to get is kept by its directory for that, so this ends after the store's limit.
    void evictForeign() {
        long begin = store.host().nanoTime();
        boolean isLeft = true;
        while (isLeft && store.host().nanoTime() - begin < store.waitNanos()) {
            isLeft = false;
            int latched = 0;
            for (int i = 0; i < table.size() && latched < victims.length; i++) {
                Frame frame = table.frame(i);
                if (isForeign(frame)) {
                    isLeft = true;
                    if (frame.tryExclusive()) {
                        victims[latched++] = frame;
                    }
                }
            }
            if (evict(latched) < latched || latched == 0 && isLeft) {
                store.host().sleep(IDLE_NANOS); // another node is about to get them
            }
        }
        if (isLeft) {
            store.host()
                    .logger(PageProvider.class)
                    .warn("node {} leaves with pages that were in use", store.node());
        }
    }

    private boolean isForeign(Frame frame) {
        long page = frame.line();
        return page != 0 && store.directory(page) == null;
    }

    /// Evicts the first `count` victims.
    ///
    /// @return how many have left
    private int evict(int count) {
        Map<Integer, List<Leaving>> byDirectory = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            Frame frame = victims[i];
            long page = frame.line();
            byte[] content = null;
            if (frame.isDirty() && !PlantedFault.PAGE_UNSAVED_DROPPED.isPlanted()) {
                content = new byte[store.pageBytes()];
                LocalMemory.copyTo(frame.data(), content, 0, content.length);
            }
            byDirectory
                    .computeIfAbsent(PageId.directory(page), _ -> new ArrayList<>())
                    .add(new Leaving(frame, new Eviction(page, frame.grant(), content)));
        }
        List<Leaving> own = byDirectory.remove(store.node());
        List<Posted> requests = post(byDirectory);
        int evicted = own == null ? 0 : evictOwn(own);
        store.await(queue);
        for (Posted request : requests) {
            List<Leaving> pages = request.pages;
            byte[] accepted = accepted(request.reply, pages.size());
            for (int i = 0; i < accepted.length; i++) {
                leave(pages.get(i).frame, accepted[i] != 0);
                evicted += accepted[i];
            }
        }
        return evicted;
    }

    /// Which pages their directory has taken back. If it has left, nobody can get them any more, so
    /// they need not be kept.
    private static byte[] accepted(PeerReply reply, int count) {
        try {
            return reply.bytes();
        } catch (FabricException e) {
            if (e.kind() != FabricException.Kind.PEER_GONE) {
                throw e;
            }
            byte[] all = new byte[count];
            Arrays.fill(all, (byte) 1);
            return all;
        }
    }

    private List<Posted> post(Map<Integer, List<Leaving>> byDirectory) {
        List<Posted> requests = new ArrayList<>();
        byDirectory.forEach((directory, leaving) -> {
            int from = 0;
            while (from < leaving.size()) {
                int to = end(leaving, from);
                List<Leaving> part = leaving.subList(from, to);
                byte[] message =
                        PageMessage.of(
                                part.stream().map(Leaving::eviction).toList(), store.pageBytes());
                requests.add(new Posted(queue.post(directory, message), part));
                from = to;
            }
        });
        return requests;
    }

    /// How far a message reaches.
    private int end(List<Leaving> leaving, int from) {
        int bytes = 1;
        int to = from;
        while (to < leaving.size()) {
            bytes +=
                    PageMessage.EVICTION_BYTES
                            + (leaving.get(to).eviction.content() == null ? 0 : store.pageBytes());
            if (bytes > PeerFabric.MAX_BYTES) {
                break;
            }
            to++;
        }
        return to;
    }

    /// Pages of this node's disk: waits until that has them, so that no more are evicted than it
    /// can take.
    private int evictOwn(List<Leaving> own) {
        AtomicInteger unwritten = new AtomicInteger();
        int evicted = 0;
        for (Leaving each : own) {
            unwritten.incrementAndGet();
            Verdict verdict =
                    handler.evict(store.node(), each.eviction, unwritten::decrementAndGet);
            leave(each.frame, verdict != Verdict.DECLINED);
            evicted += verdict == Verdict.DECLINED ? 0 : 1;
            if (verdict == Verdict.DECLINED || verdict == Verdict.ACCEPTED) {
                unwritten.decrementAndGet();
            }
        }
        while (unwritten.get() > 0) {
            store.requireRunning();
            store.host().sleep(WRITE_NANOS);
        }
        return evicted;
    }

    private void leave(Frame frame, boolean isAccepted) {
        long page = frame.line();
        if (isAccepted) {
            frame.state(State.INVALID);
            frame.clean();
            table.remove(frame);
        } else {
            frame.releaseExclusive();
        }
        VarHandle.fullFence();
        store.owner().serve(page);
    }
}

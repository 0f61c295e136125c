package org.namdb.cache.scalestore;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.frame.FrameTable;
import org.namdb.cache.frame.GuardSession;
import org.namdb.cache.scalestore.PageMessage.Kind;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.VerbCounters;
import org.namdb.fabric.peer.PeerQueue;
import org.namdb.fabric.peer.PeerReply;

/// A thread's access to pages. A page is read and changed under a guard, which holds its latch
/// against all other threads, of this node and of others. Accesses to one page are linearizable,
/// and so are those to all pages.
/// ```java
/// try (PageGuard guard = session.exclusive(page)) {
///     guard.putLong(0, guard.longAt(0) + 1);
/// }
/// ```
/// Several guards can be open at a time. Threads that latch the same pages in different orders may
/// wait for each other until the store's limit has passed: latch by identifier, ascending. A thread
/// that latches a page twice waits for itself, unless both guards are shared.
///
/// Belongs to one thread at a time. Source: ScaleStore, section 5.1.
public final class PageSession implements GuardSession {
    private static final VerbCounters NO_VERBS = new VerbCounters();
    private static final long MIN_PAUSE_NANOS = 1_000;
    private static final String IN_USE =
            "others are using it; close guards promptly, and latch pages in ascending order";
    private static final String NO_FRAME =
            "no frame is free; close guards, or have more frames (PageStoreOptions.frames)";
    private static final long MAX_PAUSE_NANOS = 64_000;

    private final PageStore store;
    private final FrameTable table;
    private final PageOwner owner;
    private final Host host;
    private PeerQueue queue;
    private long messagesBefore;
    private long roundTripsBefore;
    private PageGuard[] guards = new PageGuard[0];
    private int openGuards;
    private int waits;
    private long waitsSince;
    private long diskReads;

    PageSession(PageStore store) {
        this.store = store;
        this.table = store.table();
        this.owner = store.owner();
        this.host = store.host();
        this.queue = store.connect();
    }

    @Override
    public int lineBytes() {
        return store.pageBytes();
    }

    /// Allocates a page of zeroes, on this node's disk, or where it has none on each node's in
    /// turn.
    @Override
    public long allocate() {
        store.requireUsable();
        waits = 0;
        PageDirectory own = store.directory();
        long[] allocated = own == null ? allocateElsewhere() : own.allocate(store.node());
        long page = allocated[1];
        Frame frame = insert(page);
        while (frame == null) {
            pause(page);
            frame = insert(page);
        }
        frame.fill(new byte[store.pageBytes()], 0, store.pageBytes());
        frame.dirty(0, store.pageBytes());
        frame.grant(allocated[0]);
        frame.state(State.MODIFIED);
        release(frame, true);
        return page;
    }

    /// Allocates a page on another node's disk: on each one's in turn, but for those that have
    /// left.
    ///
    /// @return its grant, and its identifier as the second number
    private long[] allocateElsewhere() {
        for (int tried = 1; ; tried++) {
            PeerReply reply =
                    queue.post(store.nextDisk(), PageMessage.of(Kind.ALLOCATE, store.pageBytes()));
            if (!store.await(queue, store.waitNanos())) {
                queue.abandon(reply);
                boolean _ = store.await(queue, store.waitNanos());
            }
            try {
                ByteBuffer allocated = ByteBuffer.wrap(reply.bytes());
                return new long[] {allocated.getLong(), allocated.getLong()};
            } catch (FabricException e) {
                if (e.kind() != FabricException.Kind.PEER_GONE || tried == store.disks()) {
                    throw e;
                }
            }
        }
    }

    /// Latches a page to read it.
    ///
    /// @return a guard that this thread closes
    /// @throws PageTimeoutException if it is not free in time
    /// @throws IllegalArgumentException if no page has the identifier
    /// @throws org.namdb.fabric.FabricException if the store has failed
    @Override
    public PageGuard shared(long page) {
        store.requireUsable(); // a node that has failed may have copies of what others change
        waits = 0;
        while (true) {
            Frame frame = table.find(page);
            if (frame == null) {
                frame = insert(page);
                if (frame != null) {
                    acquire(frame, page, false);
                    frame.downgrade();
                    return guard(frame, false);
                }
            } else if (isWanted(frame, page)) {
                pause(page);
            } else if (frame.tryShared()) {
                if (frame.line() == page && frame.state() != State.INVALID) {
                    table.used(frame);
                    return guard(frame, false);
                }
                release(frame, false);
                pause(page);
            } else {
                pause(page);
            }
        }
    }

    /// Latches a page to change it.
    ///
    /// @return a guard that this thread closes
    /// @throws PageTimeoutException if it is not free in time
    /// @throws IllegalArgumentException if no page has the identifier
    /// @throws org.namdb.fabric.FabricException if the store has failed
    @Override
    public PageGuard exclusive(long page) {
        store.requireUsable();
        waits = 0;
        while (true) {
            Frame frame = table.find(page);
            if (frame == null) {
                frame = insert(page);
                if (frame != null) {
                    acquire(frame, page, true);
                    return guard(frame, true);
                }
            } else if (isWanted(frame, page)) {
                pause(page);
            } else if (frame.tryExclusive()) {
                if (frame.line() == page) {
                    table.used(frame);
                    if (frame.state() != State.MODIFIED) {
                        acquire(frame, page, true);
                    }
                    return guard(frame, true);
                }
                release(frame, true);
                pause(page);
            } else {
                pause(page);
            }
        }
    }

    /// Whether this thread must leave a page to another node that waits for it. Not if it has a
    /// guard of it: then that one would wait for this thread.
    private boolean isWanted(Frame frame, long page) {
        if (frame.waiting() == 0) {
            return false;
        }
        for (int i = 0; i < openGuards; i++) {
            if (guards[i].line() == page) {
                return false;
            }
        }
        owner.serve(page, frame);
        return frame.waiting() != 0;
    }

    /// A frame for a page that has none; null if it has one now, or there is no free one yet.
    private @Nullable Frame insert(long page) {
        if (!store.isDisk(PageId.directory(page))
                || page % store.pageBytes() != 0
                || PageId.offset(page) == 0) {
            throw noPage(page);
        }
        store.requireUsable();
        Frame frame = table.insert(page);
        if (frame == null && !table.hasFree()) {
            store.provider().wake();
            pause(page, NO_FRAME);
        }
        return frame;
    }

    static IllegalArgumentException noPage(long page) {
        return new IllegalArgumentException(
                PageId.describe(page) + " is no page: use an identifier that was allocated");
    }

    /// Gets the page of a frame.
    ///
    /// @param frame latched exclusively; if this throws, it is this thread's no more
    private void acquire(Frame frame, long page, boolean isExclusive) {
        long begin = waits == 0 ? host.nanoTime() : waitsSince;
        Acquisition acquisition = new Acquisition(store, queue, frame, page, isExclusive);
        while (!acquisition.advance()) {
            if (!store.await(queue, store.waitNanos() - (host.nanoTime() - begin))) {
                messagesBefore += queue.messages();
                roundTripsBefore += queue.roundTrips();
                queue = store.connect();
                Thread _ = host.start("page " + PageId.describe(page), acquisition::finish);
                throw timeout(page, IN_USE, host.nanoTime() - begin);
            }
        }
        diskReads += acquisition.diskReads();
    }

    @Override
    public long messages() {
        return messagesBefore + queue.messages();
    }

    /// None: nodes send each other messages.
    @Override
    public VerbCounters counters() {
        return NO_VERBS;
    }

    /// How often it has waited for answers of other nodes.
    public long roundTrips() {
        return roundTripsBefore + queue.roundTrips();
    }

    /// How many pages it has read from this node's disk.
    public long diskReads() {
        return diskReads;
    }

    private void pause(long page) {
        pause(page, IN_USE);
    }

    /// @param why it waits, in the words of the error
    private void pause(long page, String why) {
        store.requireUsable();
        long now = host.nanoTime();
        if (waits == 0) {
            waitsSince = now;
        } else if (now - waitsSince > store.waitNanos()) {
            throw timeout(page, why, now - waitsSince);
        }
        host.sleep(Math.min(MIN_PAUSE_NANOS << Math.min(waits, 6), MAX_PAUSE_NANOS));
        waits++;
    }

    private static PageTimeoutException timeout(long page, String why, long nanos) {
        return new PageTimeoutException(
                "page %s was waited for %,d ms: %s"
                        .formatted(PageId.describe(page), nanos / 1_000_000, why));
    }

    private PageGuard guard(Frame frame, boolean isExclusive) {
        if (openGuards == guards.length) {
            guards = Arrays.copyOf(guards, openGuards + 1);
            guards[openGuards] = new PageGuard(this, frame, store.pageBytes());
        }
        PageGuard guard = guards[openGuards++];
        guard.latched(frame, isExclusive);
        return guard;
    }

    void closed(PageGuard guard, Frame frame, boolean isExclusive) {
        int index = openGuards - 1;
        while (guards[index] != guard) {
            index--;
        }
        openGuards--;
        guards[index] = guards[openGuards];
        guards[openGuards] = guard;
        release(frame, isExclusive);
    }

    private void release(Frame frame, boolean isExclusive) {
        if (isExclusive) {
            owner.release(frame);
        } else {
            owner.releaseShared(frame);
        }
    }

    /// Its guards are closed.
    @Override
    public void close() {
        assert openGuards == 0 : "a session is closed before its guards";
    }
}

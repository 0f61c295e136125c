package org.namdb.cache.scalestore;

import java.io.Serial;
import java.lang.invoke.VarHandle;
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
    private static final long MAX_PAUSE_NANOS = 64_000;

    private final PageStore store;
    private final FrameTable table;
    private final PageOwner owner;
    private final Host host;
    private final PeerQueue queue;
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
        int directory = store.nextDisk();
        long number;
        long page;
        if (directory == store.node()) {
            long[] allocated = store.directory().allocate(directory);
            number = allocated[0];
            page = allocated[1];
        } else {
            PeerReply reply = queue.post(directory, PageMessage.of(Kind.ALLOCATE));
            store.await(queue);
            ByteBuffer allocated = ByteBuffer.wrap(reply.bytes());
            number = allocated.getLong();
            page = allocated.getLong();
        }
        Frame frame = insert(page);
        while (frame == null) {
            frame = insert(page);
        }
        frame.fill(new byte[store.pageBytes()], 0, store.pageBytes());
        frame.dirty(0, store.pageBytes());
        frame.grant(number);
        frame.state(State.MODIFIED);
        release(frame, true);
        return page;
    }

    /// Latches a page to read it.
    ///
    /// @return a guard that this thread closes
    /// @throws PageTimeoutException if it is not free in time
    /// @throws IllegalArgumentException if no page has the identifier
    /// @throws org.namdb.fabric.FabricException if the store has failed
    @Override
    public PageGuard shared(long page) {
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
            pause(page);
        }
        return frame;
    }

    /// A page can't be got, as there is none, or its directory has left. The store is as usable as
    /// before.
    private static final class NoPageException extends RuntimeException {
        @Serial private static final long serialVersionUID = 1L;

        private final RuntimeException cause;

        NoPageException(RuntimeException cause) {
            super(cause);
            this.cause = cause;
        }
    }

    private static IllegalArgumentException noPage(long page) {
        return new IllegalArgumentException(
                PageId.describe(page) + " is no page: use an identifier that was allocated");
    }

    /// Gets the page of a frame.
    ///
    /// @param frame latched exclusively
    private void acquire(Frame frame, long page, boolean isExclusive) {
        try {
            while (!tryAcquire(frame, page, isExclusive)) {
                store.requireUsable();
            }
        } catch (NoPageException e) {
            owner.granted(page, Long.MAX_VALUE); // it has no page by any grant, but had perhaps
            owner.acquired(page);
            frame.state(State.INVALID);
            frame.clean();
            table.remove(frame);
            owner.serve(page);
            throw e.cause;
        } catch (RuntimeException e) {
            store.fail(e); // who has the page is not known any more; the frame stays latched
            throw e;
        }
        owner.acquired(page);
    }

    /// @return false if the grant has ended before the page was here
    private boolean tryAcquire(Frame frame, long page, boolean isExclusive) {
        owner.acquiring(page, frame);
        Grant grant;
        try {
            grant = request(isExclusive ? Kind.EXCLUSIVE : Kind.SHARED, page, 0);
        } catch (FabricException e) {
            throw e.kind() == FabricException.Kind.PEER_GONE ? new NoPageException(e) : e;
        }
        if (grant.source() == Grant.NO_PAGE) {
            throw new NoPageException(noPage(page));
        }
        owner.granted(page, grant.number());
        boolean isHere = isExclusive ? take(frame, page, grant) : copy(frame, page, grant);
        if (isHere) {
            frame.grant(grant.number());
            frame.state(isExclusive ? State.MODIFIED : State.SHARED);
        }
        return isHere;
    }

    /// Requests something of a page's directory, which may be this node's.
    ///
    /// @param number of the grant, to get it again
    private Grant request(Kind kind, long page, long number) {
        PageDirectory own = store.directory(page);
        if (own == null) {
            PeerReply reply =
                    queue.post(
                            PageId.directory(page),
                            kind == Kind.AGAIN
                                    ? PageMessage.of(kind, page, number)
                                    : PageMessage.of(kind, page));
            store.await(queue);
            return PageMessage.grant(reply.bytes());
        }
        Grant grant =
                kind == Kind.AGAIN
                        ? own.again(store.node(), page, number)
                        : own.request(store.node(), page, kind == Kind.EXCLUSIVE);
        boolean isOnDisk = grant.source() == Grant.DISK && grant.content() == null;
        if (!isOnDisk) {
            return grant;
        }
        diskReads++;
        return new Grant(grant.number(), grant.source(), grant.others(), own.read(page));
    }

    /// Fills the frame of a page that others may read as well.
    private boolean copy(Frame frame, long page, Grant grant) {
        if (grant.source() >= 0) {
            PeerReply reply =
                    queue.post(grant.source(), PageMessage.of(Kind.COPY, page, grant.number()));
            store.await(queue);
            byte[] answer = reply.bytes();
            if (answer[0] != PageMessage.GONE) {
                fill(frame, answer);
                return true;
            }
        }
        Grant onDisk =
                grant.source() == Grant.DISK ? grant : request(Kind.AGAIN, page, grant.number());
        byte[] content = onDisk.content();
        if (content == null) {
            return false;
        }
        frame.fill(content, 0, content.length);
        return true;
    }

    /// Fills the frame of a page that this node alone has from now on.
    private boolean take(Frame frame, long page, Grant grant) {
        PeerReply transfer =
                grant.source() < 0
                        ? null
                        : queue.post(
                                grant.source(),
                                PageMessage.of(Kind.TRANSFER, page, grant.number()));
        for (long left = grant.others(); left != 0; left &= left - 1) {
            PeerReply _ =
                    queue.post(
                            Long.numberOfTrailingZeros(left),
                            PageMessage.of(Kind.INVALIDATE, page, grant.number()));
        }
        store.await(queue);
        byte[] content = grant.content();
        if (transfer != null) {
            fill(frame, transfer.bytes());
        } else if (content != null) {
            frame.fill(content, 0, content.length);
        }
        return true;
    }

    private void fill(Frame frame, byte[] answer) {
        frame.fill(answer, 1, store.pageBytes());
        if (answer[0] == PageMessage.UNSAVED) {
            frame.dirty(0, store.pageBytes());
        }
    }

    @Override
    public long messages() {
        return queue.messages();
    }

    /// None: nodes send each other messages.
    @Override
    public VerbCounters counters() {
        return NO_VERBS;
    }

    /// How often it has waited for answers of other nodes.
    public long roundTrips() {
        return queue.roundTrips();
    }

    /// How many pages it has read from this node's disk.
    public long diskReads() {
        return diskReads;
    }

    private void pause(long page) {
        store.requireUsable();
        long now = host.nanoTime();
        if (waits == 0) {
            waitsSince = now;
        } else if (now - waitsSince > store.waitNanos()) {
            throw new PageTimeoutException(
                    "page %s was in use for %,d ms: close guards promptly, and latch pages in ascending order"
                            .formatted(PageId.describe(page), (now - waitsSince) / 1_000_000));
        }
        host.sleep(Math.min(MIN_PAUSE_NANOS << Math.min(waits, 6), MAX_PAUSE_NANOS));
        waits++;
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

    /// Unlatches a frame, and hands its page over if another node waits for it: that is the one
    /// which it has now, not the one that it had when this thread found it.
    private void release(Frame frame, boolean isExclusive) {
        long page = frame.line();
        if (isExclusive) {
            frame.releaseExclusive();
        } else {
            frame.releaseShared();
        }
        VarHandle.fullFence();
        if (frame.waiting() != 0) {
            owner.serve(page);
        }
    }

    /// Its guards are closed.
    @Override
    public void close() {
        assert openGuards == 0 : "a session is closed before its guards";
    }
}

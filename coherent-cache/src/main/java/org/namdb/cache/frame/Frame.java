package org.namdb.cache.frame;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;

/// A copy of a line, what this compute server may do with it, and a latch between its threads. All
/// but the latch and the line's address is read under the latch, and changed under the exclusive
/// one. While the copy moves (it is acquired, upgraded, flushed or released) the thread that moves
/// it holds the latch exclusively, so no access finds it in between. A frame without a line stays
/// latched exclusively, without a holder.
public final class Frame {
    /// What this compute server may do with the line.
    public enum State {
        /// Nothing: it has no copy.
        INVALID,
        /// Nothing yet: this compute server is announced as a reader, and waits for the writer.
        ANNOUNCED,
        /// Read it.
        SHARED,
        /// Change it.
        MODIFIED
    }

    /// How many accesses may go before a request that waits: the paper's gamma (SELCC, section
    /// 5.3.1).
    private static final int MAX_ACCESSES = 256;

    /// How long accesses may go before a request that waits.
    private static final long MAX_ACCESS_NANOS = 1_000_000;

    /// A request that did not come again for so long is not waiting any more: longer than a pause
    /// and some round trips.
    private static final long REQUEST_NANOS = 10_000_000;

    /// The latch: `version | exclusive 1 | how many have it in common 16`. Each exclusive latch is
    /// another version.
    private static final long EXCLUSIVE = 1 << 16;

    private static final long SHARERS = EXCLUSIVE - 1;
    private static final long VERSION = EXCLUSIVE << 1;
    private static final VarHandle LATCH;

    static {
        try {
            LATCH = MethodHandles.lookup().findVarHandle(Frame.class, "latch", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /// The native address of the copy.
    private final long data;

    @SuppressWarnings("unused") // by LATCH
    private volatile long latch = EXCLUSIVE;

    private volatile long line = RemoteAddress.NULL;
    private State state = State.INVALID;

    /// What of the copy differs from memory at the most: offsets, of words.
    private int dirtyFrom;

    private int dirtyTo;

    /// The priority of the best request of another compute server that waits for the line, above
    /// 0; 0 for none.
    private volatile int waiting;

    /// When such a request came for the first time, and for the last time.
    private long waitingSince;

    private volatile long requestedAt;

    /// How often the line was accessed since then, about.
    private int accesses;

    /// The [epoch][FrameTable#used] of its last use; no more than a hint.
    private int epoch;

    /// Of pages alone.
    private long grant;

    /// The next frame of the same bucket of the table.
    volatile int next;

    Frame(long data) {
        this.data = data;
    }

    /// Tries to latch it together with other readers.
    public boolean tryShared() {
        long found = (long) LATCH.getAcquire(this);
        while ((found & EXCLUSIVE) == 0) {
            assert (found & SHARERS) != SHARERS : "too many readers";
            long witness = (long) LATCH.compareAndExchangeAcquire(this, found, found + 1);
            if (witness == found) {
                return true;
            }
            found = witness;
        }
        return false;
    }

    /// Tries to latch it alone.
    public boolean tryExclusive() {
        long found = (long) LATCH.getVolatile(this);
        return (found & (EXCLUSIVE | SHARERS)) == 0
                && LATCH.compareAndSet(this, found, found + VERSION | EXCLUSIVE);
    }

    /// Tries to have the shared latch become an exclusive one: not if there are other readers.
    public boolean tryUpgrade() {
        long found = (long) LATCH.getVolatile(this);
        return (found & (EXCLUSIVE | SHARERS)) == 1
                && LATCH.compareAndSet(this, found, found - 1 + VERSION | EXCLUSIVE);
    }

    public void releaseShared() {
        long before = (long) LATCH.getAndAddRelease(this, -1L);
        assert (before & SHARERS) > 0 : "released without a shared latch";
    }

    public void releaseExclusive() {
        long held = (long) LATCH.get(this);
        assert (held & EXCLUSIVE) != 0 : "released without an exclusive latch";
        LATCH.setRelease(this, held & ~EXCLUSIVE);
    }

    /// The exclusive latch becomes a shared one.
    public void downgrade() {
        long held = (long) LATCH.get(this);
        assert (held & EXCLUSIVE) != 0 : "downgraded without an exclusive latch";
        LATCH.setRelease(this, (held & ~EXCLUSIVE) + 1);
    }

    /// The number of the grant by which this node has the page (ScaleStore, section 3.4.3: its
    /// conflict epoch).
    public long grant() {
        return grant;
    }

    /// This node has the page by another grant from now on.
    public void grant(long number) {
        grant = number;
    }

    /// How often it was latched exclusively, but for the lowest bits; read with a shared latch.
    long version() {
        return (long) LATCH.get(this) & -VERSION;
    }

    /// Whether no thread has latched it exclusively since it had this version: so its line, and
    /// what may be done with that, are the same.
    boolean isAt(long version) {
        return ((long) LATCH.getVolatile(this) & ~SHARERS) == version;
    }

    /// The line's address; null for none.
    public long line() {
        return line;
    }

    void line(long address) {
        line = address;
    }

    /// The native address of the copy.
    public long data() {
        return data;
    }

    public State state() {
        return state;
    }

    /// What may be done with it from now on.
    public void state(State newState) {
        state = newState;
    }

    /// Takes over the line as it is in memory.
    public void fill(long view, int bytes) {
        LocalMemory.copy(view, data, bytes);
        clean();
    }

    /// Takes over the line as another compute server has sent it, behind `offset` bytes.
    public void fill(byte[] message, int offset, int bytes) {
        LocalMemory.copyFrom(message, offset, data, bytes);
        clean();
    }

    /// Memory holds the same.
    public void clean() {
        dirtyFrom = 0;
        dirtyTo = 0;
    }

    /// Words from `from` to `to`, offsets in bytes, are changed.
    public void dirty(int from, int to) {
        int first = from & -Long.BYTES;
        int end = to + Long.BYTES - 1 & -Long.BYTES;
        if (dirtyTo == 0) {
            dirtyFrom = first;
            dirtyTo = end;
        } else {
            dirtyFrom = Math.min(dirtyFrom, first);
            dirtyTo = Math.max(dirtyTo, end);
        }
    }

    /// Whether memory may hold something else.
    public boolean isDirty() {
        return dirtyTo != 0;
    }

    /// The offset of the first word that is changed.
    public int dirtyFrom() {
        return dirtyFrom;
    }

    /// The offset behind the last word that is changed.
    public int dirtyTo() {
        return dirtyTo;
    }

    /// Another compute server waits for the line, as it is in use here. Called by one thread.
    ///
    /// @param priority of its request, above 0
    public void remember(int priority, long nowNanos) {
        if (waiting == 0) {
            waitingSince = nowNanos;
            accesses = 0;
        }
        requestedAt = nowNanos;
        if (priority > waiting) {
            waiting = priority;
        }
    }

    /// Requests of other nodes wait for the page until it is unlatched.
    public void markWaiting() {
        waiting = 1;
    }

    /// No request waits for the line any more.
    public void forgetWaiting() {
        waiting = 0;
    }

    /// The priority of the best request that waits for the line; 0 for none.
    public int waiting() {
        return waiting;
    }

    /// Whether this compute server's threads must leave the line to another one that waits for it:
    /// it has waited for [#MAX_ACCESSES] or [#MAX_ACCESS_NANOS], and still requests it.
    public boolean isOverdue(long nowNanos) {
        if (waiting == 0) {
            return false;
        }
        if (nowNanos - requestedAt > REQUEST_NANOS) {
            waiting = 0; // it has given up
            return false;
        }
        return ++accesses > MAX_ACCESSES || nowNanos - waitingSince > MAX_ACCESS_NANOS;
    }

    /// It is used in an epoch.
    void used(int inEpoch) {
        if (epoch != inEpoch) { // else its cache line would move between processors at every use
            epoch = inEpoch;
        }
    }

    /// The epoch of its last use.
    int epoch() {
        return epoch;
    }

    /// Whether a thread has it latched at this moment, which is no more than a hint. So is one
    /// without a line.
    boolean isLatched() {
        return ((long) LATCH.getOpaque(this) & (EXCLUSIVE | SHARERS)) != 0;
    }
}

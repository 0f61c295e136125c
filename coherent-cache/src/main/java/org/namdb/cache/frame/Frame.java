package org.namdb.cache.frame;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;

/// A copy of a line, what this compute server may do with it, and a latch between its threads. All
/// but the latch and the line's address is read under the latch, and changed under the exclusive
/// one. While the copy moves (it is acquired, upgraded, flushed or released) the thread that moves
/// it holds the latch exclusively, so no access finds it in between. A frame without a line is
/// latched exclusively by nobody.
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

    private static final int EXCLUSIVE = -1;
    private static final VarHandle LATCH;

    static {
        try {
            LATCH = MethodHandles.lookup().findVarHandle(Frame.class, "latch", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /// The native address of the copy.
    private final long data;

    /// How many threads have the latch in common, or [#EXCLUSIVE].
    @SuppressWarnings("unused") // by LATCH
    private volatile int latch = EXCLUSIVE;

    private volatile long line = RemoteAddress.NULL;
    private State state = State.INVALID;

    /// What of the copy differs from memory at the most: offsets, of words.
    private int dirtyFrom;

    private int dirtyTo;

    /// Whether it was used since the eviction looked at it; no more than a hint.
    private boolean isUsed;

    /// The next frame of the same bucket of the table.
    volatile int next;

    Frame(long data) {
        this.data = data;
    }

    /// Tries to latch it together with other readers.
    public boolean tryShared() {
        int found = (int) LATCH.getAcquire(this);
        while (found >= 0) {
            int witness = (int) LATCH.compareAndExchangeAcquire(this, found, found + 1);
            if (witness == found) {
                return true;
            }
            found = witness;
        }
        return false;
    }

    /// Tries to latch it alone.
    public boolean tryExclusive() {
        return LATCH.compareAndSet(this, 0, EXCLUSIVE);
    }

    public void releaseShared() {
        int before = (int) LATCH.getAndAddRelease(this, -1);
        assert before > 0 : "released without a shared latch";
    }

    public void releaseExclusive() {
        assert (int) LATCH.get(this) == EXCLUSIVE : "released without an exclusive latch";
        LATCH.setRelease(this, 0);
    }

    /// The exclusive latch becomes a shared one.
    public void downgrade() {
        assert (int) LATCH.get(this) == EXCLUSIVE : "downgraded without an exclusive latch";
        LATCH.setRelease(this, 1);
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

    /// It was used: it is not evicted at the next occasion.
    public void used() {
        if (!isUsed) {
            isUsed = true;
        }
    }

    boolean takeUsed() {
        boolean was = isUsed;
        isUsed = false;
        return was;
    }
}

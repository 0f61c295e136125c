package org.namdb.cache.frame;

import org.namdb.fabric.LocalMemory;

/// A line or page that a thread has latched: no other thread changes it until the guard is closed,
/// and if it is exclusive no other one reads it. Offsets are in bytes from the line's begin.
///
/// A guard belongs to its session's thread, which uses it again for another line once it is closed:
/// keep none. With assertions on, a closed one refuses to be used.
public abstract class Guard implements AutoCloseable {
    private final int lineBytes;
    private Frame frame;
    private boolean isExclusive;
    private boolean isOpen;

    protected Guard(Frame frame, int lineBytes) {
        this.frame = frame;
        this.lineBytes = lineBytes;
    }

    /// It is of a frame that this thread has latched.
    protected final void open(Frame latched, boolean exclusively) {
        assert !isOpen : "a guard is in use";
        frame = latched;
        isExclusive = exclusively;
        isOpen = true;
    }

    /// The frame that is latched, or was.
    protected final Frame frame() {
        return frame;
    }

    /// It may change the line from now on.
    protected final void upgraded() {
        isExclusive = true;
    }

    /// Its line is not latched any more.
    ///
    /// @return whether it was until now
    protected final boolean end() {
        boolean wasOpen = isOpen;
        isOpen = false;
        return wasOpen;
    }

    /// The line's address, or the page's identifier.
    public final long line() {
        return frame.line();
    }

    /// Whether this guard may change the line.
    public final boolean isExclusive() {
        return isExclusive;
    }

    /// The word at `offset`, a multiple of 8.
    public final long longAt(int offset) {
        check(offset, Long.BYTES);
        return LocalMemory.longAt(frame.data() + offset);
    }

    /// Copies bytes out of the line.
    public final void get(int offset, byte[] target, int index, int bytes) {
        check(offset, bytes);
        LocalMemory.copyTo(frame.data() + offset, target, index, bytes);
    }

    /// Sets the word at `offset`, a multiple of 8.
    public final void putLong(int offset, long value) {
        checkChange(offset, Long.BYTES);
        LocalMemory.putLong(frame.data() + offset, value);
        frame.dirty(offset, offset + Long.BYTES);
    }

    /// Copies bytes into the line.
    public final void put(int offset, byte[] source, int index, int bytes) {
        checkChange(offset, bytes);
        LocalMemory.copyFrom(source, index, frame.data() + offset, bytes);
        frame.dirty(offset, offset + bytes);
    }

    /// Sets all of the line to zero.
    public final void clear() {
        checkChange(0, lineBytes);
        LocalMemory.zero(frame.data(), lineBytes);
        frame.dirty(0, lineBytes);
    }

    /// Releases the latch. What was changed can be read by all from now on; the line stays in the
    /// cache until another compute server needs it.
    @Override
    public abstract void close();

    private void check(int offset, int bytes) {
        assert isOpen : "a guard is used after it was closed";
        if (offset < 0 || bytes < 0 || offset > lineBytes - bytes) {
            throw new IndexOutOfBoundsException(
                    "%d bytes at %d of a line of %d".formatted(bytes, offset, lineBytes));
        }
    }

    private void checkChange(int offset, int bytes) {
        check(offset, bytes);
        if (!isExclusive) {
            throw new IllegalStateException("a line is changed under a shared guard");
        }
    }
}

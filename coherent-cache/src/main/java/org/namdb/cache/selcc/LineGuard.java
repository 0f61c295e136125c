package org.namdb.cache.selcc;

import org.namdb.cache.frame.Frame;
import org.namdb.fabric.LocalMemory;

/// A line that a thread has latched: no other thread changes it until the guard is closed, and if
/// it is exclusive no other one reads it. Offsets are in bytes from the line's begin.
///
/// A guard belongs to its session's thread, which uses it again for another line once it is closed:
/// keep none. With assertions on, a closed one refuses to be used.
public final class LineGuard implements AutoCloseable {
    private final LineSession session;
    private final int lineBytes;
    private Frame frame;
    private boolean isExclusive;
    private boolean isOpen;

    LineGuard(LineSession session, Frame frame, int lineBytes) {
        this.session = session;
        this.frame = frame;
        this.lineBytes = lineBytes;
    }

    void open(Frame latched, boolean exclusively) {
        assert !isOpen : "a guard is in use";
        frame = latched;
        isExclusive = exclusively;
        isOpen = true;
    }

    Frame frame() {
        return frame;
    }

    /// It may change the line from now on.
    void upgraded() {
        isExclusive = true;
    }

    /// Its line is not latched any more.
    void lose() {
        isOpen = false;
        session.remove(this);
    }

    /// The line's address.
    public long line() {
        return frame.line();
    }

    /// Whether this guard may change the line.
    public boolean isExclusive() {
        return isExclusive;
    }

    /// The word at `offset`, a multiple of 8.
    public long longAt(int offset) {
        check(offset, Long.BYTES);
        return LocalMemory.longAt(frame.data() + offset);
    }

    /// Copies bytes out of the line.
    public void get(int offset, byte[] target, int index, int bytes) {
        check(offset, bytes);
        LocalMemory.copyTo(frame.data() + offset, target, index, bytes);
    }

    /// Sets the word at `offset`, a multiple of 8.
    public void putLong(int offset, long value) {
        checkChange(offset, Long.BYTES);
        LocalMemory.putLong(frame.data() + offset, value);
        frame.dirty(offset, offset + Long.BYTES);
    }

    /// Copies bytes into the line.
    public void put(int offset, byte[] source, int index, int bytes) {
        checkChange(offset, bytes);
        LocalMemory.copyFrom(source, index, frame.data() + offset, bytes);
        frame.dirty(offset, offset + bytes);
    }

    /// Sets all of the line to zero.
    public void clear() {
        checkChange(0, lineBytes);
        LocalMemory.zero(frame.data(), lineBytes);
        frame.dirty(0, lineBytes);
    }

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

    /// Releases the latch. What was changed can be read by all from now on; the line stays in the
    /// cache until another compute server needs it.
    @Override
    public void close() {
        if (isOpen) {
            isOpen = false;
            session.closed(this, frame);
        }
    }
}

package org.namdb.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// Bytes outside of the heap, appended at the end and taken from the start; grows as needed. Used
/// by one thread at a time.
final class NativeBuffer implements AutoCloseable {
    private Arena arena = Arena.ofShared();
    private MemorySegment memory;
    private ByteBuffer bytes;
    private long base;
    private int start;
    private int end;

    NativeBuffer(int capacity) {
        memory = arena.allocate(capacity, Long.BYTES);
        bytes = memory.asByteBuffer();
        base = memory.address();
    }

    /// The native address of the first byte that is not taken.
    long address() {
        return base + start;
    }

    /// The native address behind the last byte.
    long end() {
        return base + end;
    }

    /// How many bytes there are.
    int size() {
        return end - start;
    }

    int capacity() {
        return (int) memory.byteSize();
    }

    /// Reserves `more` bytes at the end; addresses change.
    void reserve(int more) {
        if (capacity() - end >= more) {
            return;
        }
        int size = size();
        long needed = (long) size + more;
        if (needed > Integer.MAX_VALUE - 64) {
            throw new OutOfMemoryError("a message of " + needed + " bytes");
        }
        if (start < needed / 2 || needed > capacity()) {
            grow((int) Math.min(Integer.MAX_VALUE - 64, Math.max(needed, 2L * capacity())));
        } else {
            MemorySegment.copy(memory, start, memory, 0, size);
        }
        start = 0;
        end = size;
    }

    private void grow(int capacity) {
        Arena larger = Arena.ofShared();
        MemorySegment to;
        try {
            to = larger.allocate(capacity, Long.BYTES);
        } catch (OutOfMemoryError e) {
            larger.close();
            throw e;
        }
        MemorySegment.copy(memory, start, to, 0, size());
        arena.close();
        arena = larger;
        memory = to;
        bytes = to.asByteBuffer();
        base = to.address();
    }

    /// Appends what has been put behind the [#end()], in reserved space.
    void append(int count) {
        end += count;
        assert end <= capacity() : "no space was reserved";
    }

    /// Takes bytes from the start.
    void take(int count) {
        start += count;
        assert start <= end : "more is taken than there is";
        if (start == end) {
            start = 0;
            end = 0;
        }
    }

    /// Takes bytes from the end.
    void cut(int count) {
        end -= count;
        assert start <= end : "more is taken than there is";
    }

    /// Takes everything.
    void clear() {
        start = 0;
        end = 0;
    }

    /// What there is, to be written; then [taken][#taken].
    ByteBuffer content() {
        return bytes.limit(end).position(start);
    }

    /// What of the [#content] was written is taken.
    void taken() {
        take(bytes.position() - start);
    }

    /// The space behind the end, to be read into; then [appended][#appended].
    ByteBuffer space() {
        return bytes.limit(capacity()).position(end);
    }

    /// Appends what was put into the [#space].
    void appended() {
        end = bytes.position();
    }

    /// Frees memory beyond `most`, if there is nothing in it.
    void shrink(int most) {
        if (size() == 0 && capacity() > most) {
            start = 0;
            end = 0;
            grow(most);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}

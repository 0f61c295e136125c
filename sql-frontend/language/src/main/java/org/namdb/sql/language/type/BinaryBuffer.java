package org.namdb.sql.language.type;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Bytes that grow at their end: big-endian numbers, and texts in UTF-8.
///
/// @param <B> the class itself, which the methods return
public abstract class BinaryBuffer<B extends BinaryBuffer<B>> {
    /// How long it is at first.
    protected static final int BUFFER_BYTES = 4096;

    /// The bytes, and space for more.
    protected byte[] buffer = new byte[BUFFER_BYTES];

    /// How many bytes there are.
    protected int size;

    /// This, as its own class.
    protected abstract B self();

    public final B int8(int value) {
        reserve(1);
        buffer[size++] = (byte) value;
        return self();
    }

    public final B int16(int value) {
        reserve(2);
        buffer[size++] = (byte) (value >> 8);
        buffer[size++] = (byte) value;
        return self();
    }

    public final B int32(int value) {
        reserve(4);
        set32(size, value);
        size += 4;
        return self();
    }

    public final B int64(long value) {
        B _ = int32((int) (value >> 32));
        return int32((int) value);
    }

    public final B bytes(byte[] value, int from, int length) {
        reserve(length);
        System.arraycopy(value, from, buffer, size, length);
        size += length;
        return self();
    }

    public final B bytes(byte... value) {
        return bytes(value, 0, value.length);
    }

    /// A text without an end.
    public final B text(String value) {
        int length = value.length();
        reserve(length);
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c >= 0x80) {
                return bytes(value.substring(i).getBytes(StandardCharsets.UTF_8));
            }
            buffer[size++] = (byte) c;
        }
        return self();
    }

    /// Begins a value with its length before it.
    ///
    /// @return what [#endValue] takes
    public final int beginValue() {
        int start = size;
        B _ = int32(0);
        return start;
    }

    public final void endValue(int start) {
        set32(start, size - start - 4);
    }

    /// Writes a number in place of four bytes.
    protected final void set32(int at, int value) {
        buffer[at] = (byte) (value >> 24);
        buffer[at + 1] = (byte) (value >> 16);
        buffer[at + 2] = (byte) (value >> 8);
        buffer[at + 3] = (byte) value;
    }

    /// Makes space for so many more bytes.
    protected final void reserve(int bytes) {
        if (buffer.length - size < bytes) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, Math.addExact(size, bytes)));
        }
    }
}

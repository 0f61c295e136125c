package org.namdb.sql.language.type;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// Bytes that don't change: a value of BYTEA. Ordered as unsigned numbers.
public final class ByteString implements Comparable<ByteString> {
    public static final ByteString EMPTY = new ByteString(new byte[0]);

    private final byte[] bytes;

    private ByteString(byte[] bytes) {
        this.bytes = bytes;
    }

    /// A copy of these bytes.
    public static ByteString of(byte... bytes) {
        return new ByteString(bytes.clone());
    }

    /// A copy of a part of these bytes.
    public static ByteString of(byte[] bytes, int from, int to) {
        return new ByteString(Arrays.copyOfRange(bytes, from, to));
    }

    /// The UTF-8 bytes of a text.
    public static ByteString utf8(String text) {
        return new ByteString(text.getBytes(StandardCharsets.UTF_8));
    }

    /// How many bytes.
    public int length() {
        return bytes.length;
    }

    /// The byte at an index, from -128 to 127.
    public byte byteAt(int index) {
        return bytes[index];
    }

    /// A copy of the bytes.
    public byte[] toByteArray() {
        return bytes.clone();
    }

    /// The bytes from one index to before another.
    public ByteString slice(int from, int to) {
        return new ByteString(Arrays.copyOfRange(bytes, from, to));
    }

    /// These bytes and then others.
    public ByteString concat(ByteString other) {
        byte[] both = Arrays.copyOf(bytes, bytes.length + other.bytes.length);
        System.arraycopy(other.bytes, 0, both, bytes.length, other.bytes.length);
        return new ByteString(both);
    }

    /// Two hexadecimal digits for each byte.
    public String toHex() {
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public int compareTo(ByteString other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ByteString that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /// As PostgreSQL writes it: `\x` and hexadecimal digits.
    @Override
    public String toString() {
        return "\\x" + toHex();
    }
}

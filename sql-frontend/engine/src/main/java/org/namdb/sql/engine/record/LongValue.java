package org.namdb.sql.engine.record;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.StoredTypes;

/// A text or byte string that is longer than its column, as the record has it: the beginning, and
/// behind it a reference to the chunks with the rest.
/// ```
/// | the first 1,008 bytes | number 8 | length in bytes 4 | CRC-32C of all before 4 |
/// ```
/// Numbers are big-endian.
public final class LongValue {
    /// The most bytes of a value that is kept in the record alone.
    public static final int INLINE_BYTES = StoredTypes.TEXT_BYTES - 16;

    /// The bytes of a chunk; the last one has fewer.
    public static final int CHUNK_BYTES = 2000;

    /// The most bytes of a value.
    public static final int MAX_BYTES = 1 << 20;

    private static final int SHOWN_BYTES = 64;

    private final byte[] stored;

    private LongValue(byte[] stored) {
        this.stored = stored;
    }

    /// The reference to a value.
    ///
    /// @param number which no other value has
    /// @param bytes all of the value
    static LongValue of(long number, byte[] bytes) {
        byte[] stored = Arrays.copyOf(bytes, StoredTypes.TEXT_BYTES);
        ByteBuffer buffer = ByteBuffer.wrap(stored);
        buffer.putLong(INLINE_BYTES, number).putInt(INLINE_BYTES + Long.BYTES, bytes.length);
        buffer.putInt(StoredTypes.TEXT_BYTES - Integer.BYTES, checksum(stored));
        return new LongValue(stored);
    }

    /// What a record has; null if that is a whole value.
    ///
    /// @param bytes not changed any more
    static @Nullable LongValue read(byte[] bytes, int length) {
        if (length != StoredTypes.TEXT_BYTES) {
            return null;
        }
        int known = ByteBuffer.wrap(bytes).getInt(StoredTypes.TEXT_BYTES - Integer.BYTES);
        return known == checksum(bytes)
                ? new LongValue(Arrays.copyOf(bytes, StoredTypes.TEXT_BYTES))
                : null;
    }

    private static int checksum(byte[] stored) {
        CRC32C crc = new CRC32C();
        crc.update(stored, 0, StoredTypes.TEXT_BYTES - Integer.BYTES);
        return (int) crc.getValue();
    }

    /// What the record has.
    byte[] stored() {
        return stored;
    }

    /// Its number, in the key of its chunks.
    long number() {
        return ByteBuffer.wrap(stored).getLong(INLINE_BYTES);
    }

    /// Its length in bytes.
    public int length() {
        return ByteBuffer.wrap(stored).getInt(INLINE_BYTES + Long.BYTES);
    }

    /// How many chunks it has.
    int chunks() {
        return Math.ceilDiv(length() - INLINE_BYTES, CHUNK_BYTES);
    }

    /// Its beginning, for messages.
    @Override
    public String toString() {
        return new String(stored, 0, SHOWN_BYTES, StandardCharsets.UTF_8) + "...";
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LongValue that && Arrays.equals(stored, that.stored);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number());
    }
}

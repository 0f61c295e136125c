package org.namdb.mvcc.schema;

import org.namdb.fabric.LocalMemory;

/// Reads and writes the values of a payload, by the native address of its image.
public final class Payload {
    private static final int LENGTH_BYTES = 2;

    private Payload() {}

    /// The value of a column that is a number; of a floating-point number its bits.
    public static long integral(Column column, long payload) {
        long at = payload + column.offset();
        return switch (column.type().kind()) {
            case INT8, BOOLEAN -> LocalMemory.byteAt(at);
            case INT16 -> LocalMemory.shortAt(at);
            case INT32, DATE, FLOAT32 -> LocalMemory.intAt(at);
            case INT64, DECIMAL, TIMESTAMP, TIME, FLOAT64 -> LocalMemory.longUnaligned(at);
            case CHAR, VARCHAR, BYTES, UUID ->
                    throw new IllegalArgumentException(column.name() + " is not a number");
        };
    }

    /// Writes a number; of a floating-point number its bits.
    ///
    /// @throws IllegalArgumentException if it is outside of the column's type
    public static void putIntegral(Column column, long payload, long value) {
        long at = payload + column.offset();
        switch (column.type().kind()) {
            case INT8, BOOLEAN -> LocalMemory.putByte(at, (byte) checked(column, value));
            case INT16 -> LocalMemory.putShort(at, (short) checked(column, value));
            case INT32, DATE -> LocalMemory.putInt(at, (int) checked(column, value));
            case DECIMAL, TIME -> LocalMemory.putLongUnaligned(at, checked(column, value));
            case FLOAT32 -> LocalMemory.putInt(at, (int) value);
            case INT64, TIMESTAMP, FLOAT64 -> LocalMemory.putLongUnaligned(at, value);
            case CHAR, VARCHAR, BYTES, UUID ->
                    throw new IllegalArgumentException(column.name() + " is not a number");
        }
    }

    /// The value of a FLOAT64 or FLOAT32 column.
    public static double float64(Column column, long payload) {
        long bits = integral(column, payload);
        return switch (column.type().kind()) {
            case FLOAT64 -> Double.longBitsToDouble(bits);
            case FLOAT32 -> Float.intBitsToFloat((int) bits);
            case INT8,
                    INT16,
                    INT32,
                    INT64,
                    DECIMAL,
                    TIMESTAMP,
                    DATE,
                    TIME,
                    BOOLEAN,
                    UUID,
                    CHAR,
                    VARCHAR,
                    BYTES ->
                    throw new IllegalArgumentException(
                            column.name() + " is not a floating-point number");
        };
    }

    /// Writes the value of a FLOAT64 or FLOAT32 column; the latter is rounded.
    public static void putFloat64(Column column, long payload, double value) {
        if (!column.type().isFloating()) {
            throw new IllegalArgumentException(column.name() + " is not a floating-point number");
        }
        boolean isLong = column.type().kind() == ColumnType.Kind.FLOAT64;
        putIntegral(
                column,
                payload,
                isLong
                        ? Double.doubleToRawLongBits(value)
                        : Float.floatToRawIntBits((float) value));
    }

    /// The high 64 bits of a UUID column.
    public static long uuidHigh(Column column, long payload) {
        return LocalMemory.longUnaligned(payload + uuidOffset(column));
    }

    /// The low 64 bits of a UUID column.
    public static long uuidLow(Column column, long payload) {
        return LocalMemory.longUnaligned(payload + uuidOffset(column) + Long.BYTES);
    }

    /// Writes a UUID.
    public static void putUuid(Column column, long payload, long high, long low) {
        long at = payload + uuidOffset(column);
        LocalMemory.putLongUnaligned(at, high);
        LocalMemory.putLongUnaligned(at + Long.BYTES, low);
    }

    private static int uuidOffset(Column column) {
        if (column.type().kind() != ColumnType.Kind.UUID) {
            throw new IllegalArgumentException(column.name() + " is not a UUID");
        }
        return column.offset();
    }

    /// How many bytes the text or byte string of a column has.
    public static int length(Column column, long payload) {
        long at = payload + column.offset();
        if (column.type().hasLength()) {
            return Math.min(LocalMemory.shortAt(at) & 0xffff, column.type().length());
        }
        if (!column.type().isSized()) {
            throw new IllegalArgumentException(column.name() + " is neither text nor bytes");
        }
        int length = column.type().length();
        while (length > 0 && LocalMemory.byteAt(at + length - 1) == 0) {
            length--;
        }
        return length;
    }

    /// Copies the text or byte string of a column.
    ///
    /// @return how many bytes it has
    public static int copyBytes(Column column, long payload, byte[] target, int index) {
        int length = length(column, payload);
        long at = payload + column.offset() + (column.type().hasLength() ? LENGTH_BYTES : 0);
        LocalMemory.copyTo(at, target, index, length);
        return length;
    }

    /// Writes text or a byte string.
    ///
    /// @throws IllegalArgumentException if it is too long
    public static void putBytes(Column column, long payload, byte[] source, int index, int length) {
        int most = column.type().length();
        if (!column.type().isSized() || length > most) {
            throw new IllegalArgumentException(
                    column.name() + ": " + length + " bytes don't fit in " + column.type());
        }
        long at = payload + column.offset();
        if (column.type().hasLength()) {
            LocalMemory.putShort(at, (short) length);
            at += LENGTH_BYTES;
        }
        LocalMemory.copyFrom(source, index, at, length);
        LocalMemory.zero(at + length, most - length);
    }

    /// Whether a column is NULL.
    public static boolean isNull(Column column, long payload) {
        int bit = column.nullBit();
        return bit >= 0 && (LocalMemory.longAt(payload + nullWord(bit)) >>> bit & 1) != 0;
    }

    /// Makes a column NULL, or not.
    public static void putNull(Column column, long payload, boolean isNull) {
        int bit = column.nullBit();
        if (bit < 0) {
            if (isNull) {
                throw new IllegalArgumentException(column.name() + " can't be NULL");
            }
            return;
        }
        long at = payload + nullWord(bit);
        long word = LocalMemory.longAt(at);
        LocalMemory.putLong(at, isNull ? word | 1L << bit : word & ~(1L << bit));
    }

    /// Copies a column's value, or that it is NULL, from one payload to another.
    ///
    /// @param buffer for the value's bytes
    public static void copyColumn(Column column, long source, long target, byte[] buffer) {
        int bytes = column.type().payloadBytes();
        LocalMemory.copyTo(source + column.offset(), buffer, 0, bytes);
        LocalMemory.copyFrom(buffer, 0, target + column.offset(), bytes);
        putNull(column, target, isNull(column, source));
    }

    private static long nullWord(int bit) {
        return (long) (bit >>> 6) << 3;
    }

    private static long checked(Column column, long value) {
        if (!column.type().holds(value)) {
            throw new IllegalArgumentException(
                    column.name() + ": " + value + " is outside of " + column.type());
        }
        return value;
    }
}

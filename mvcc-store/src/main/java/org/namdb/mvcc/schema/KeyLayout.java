package org.namdb.mvcc.schema;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;

/// How the columns of a key lie in its words: one after the other, most significant byte first, the
/// last word filled up with zero bytes. So keys compare as their columns do, word by word,
/// unsigned.
/// ```
/// word 0                                  word 1
/// | INT16 | INT8 |    INT32     | ..CHAR  | (5).. | 0 0 0 0 |
///  63                          0 63                        0
/// ```
/// - integers have their sign bit flipped; UUIDs are as they are;
/// - floating-point numbers have their sign bit flipped, negative ones all bits; the two zeros are
///   one, and there is one NaN, the greatest;
/// - text is filled up with zero bytes; byte strings too, and have two bytes of length behind that,
///   as zero bytes may be part of them;
/// - a column that may be NULL has a byte before it: 0 with a value, 1 with none, which then is
///   all zero.
public final class KeyLayout {
    /// The most words a key may have.
    public static final int MAX_WORDS = 32;

    private static final int LENGTH_BYTES = 2;
    private static final int NULL_MARKER = 1;

    private final ColumnType[] types;
    private final String[] names;
    private final boolean[] nullable;

    /// Where each column starts, the marker included; and the end.
    private final int[] offsets;

    private final int bytes;

    /// The layout of a key of these columns, none of which may be NULL.
    ///
    /// @throws IllegalArgumentException if the key would be longer than 256 bytes
    public KeyLayout(List<String> names, List<ColumnType> types) {
        this(names, types, Collections.nCopies(types.size(), false));
    }

    /// The layout of a key of these columns.
    ///
    /// @param nullable whether each column may be NULL
    /// @throws IllegalArgumentException if the key would be longer than 256 bytes
    public KeyLayout(List<String> names, List<ColumnType> types, List<Boolean> nullable) {
        this.names = names.toArray(new String[0]);
        this.types = types.toArray(new ColumnType[0]);
        this.nullable = new boolean[this.types.length];
        this.offsets = new int[this.types.length + 1];
        for (int i = 0; i < this.types.length; i++) {
            this.nullable[i] = nullable.get(i);
            offsets[i + 1] = offsets[i] + (this.nullable[i] ? 1 : 0) + this.types[i].keyBytes();
        }
        this.bytes = offsets[this.types.length];
        if (bytes > MAX_WORDS * Long.BYTES || bytes == 0) {
            throw new IllegalArgumentException(
                    "the key "
                            + names
                            + " takes "
                            + bytes
                            + " bytes; 1 to "
                            + MAX_WORDS * Long.BYTES
                            + " are allowed");
        }
    }

    /// How many columns the key has.
    public int columns() {
        return types.length;
    }

    /// The name of column `column`.
    public String name(int column) {
        return names[column];
    }

    /// The type of column `column`.
    public ColumnType type(int column) {
        return types[column];
    }

    /// Whether column `column` may be NULL.
    public boolean nullable(int column) {
        return nullable[column];
    }

    /// The bytes of the first `columns` columns.
    public int prefixBytes(int columns) {
        return offsets[columns];
    }

    /// How many words the key takes.
    public int words() {
        return (bytes + 7) >>> 3;
    }

    /// Writes an integral value to the words; to a floating-point column, the nearest value.
    ///
    /// @throws IllegalArgumentException if the value is outside of the column's type
    public void encode(long[] words, int column, long value) {
        if (types[column].isFloating()) {
            encode(words, column, (double) value);
            return;
        }
        require(types[column].isIntegral(), column, "a number");
        int width = types[column].keyBytes();
        if (!types[column].holds(value)) {
            throw new IllegalArgumentException(
                    "key column "
                            + names[column]
                            + ": "
                            + value
                            + " is outside of "
                            + types[column]);
        }
        place(words, valueOffset(column), width, flipSign(value, width));
    }

    /// Writes a floating-point value to the words; to a FLOAT32 column, the nearest value.
    public void encode(long[] words, int column, double value) {
        require(types[column].isFloating(), column, "a floating-point number");
        int width = types[column].keyBytes();
        long bits =
                width == Double.BYTES
                        ? Double.doubleToLongBits(value + 0.0)
                        : Float.floatToIntBits((float) value + 0.0f);
        place(
                words,
                valueOffset(column),
                width,
                flipSign(bits < 0 ? flipRest(bits, width) : bits, width));
    }

    /// Writes a UUID to the words.
    public void encodeUuid(long[] words, int column, long high, long low) {
        require(types[column].kind() == ColumnType.Kind.UUID, column, "a UUID");
        place(words, valueOffset(column), Long.BYTES, high);
        place(words, valueOffset(column) + Long.BYTES, Long.BYTES, low);
    }

    /// Writes that the column is NULL.
    public void encodeNull(long[] words, int column) {
        if (!nullable[column]) {
            throw new IllegalArgumentException("key column " + names[column] + " can't be NULL");
        }
        place(words, offsets[column], 1, NULL_MARKER);
    }

    /// Writes text or bytes to the words.
    ///
    /// @throws KeyTooLongException if there are too many bytes
    public void encode(long[] words, int column, byte[] value, int index, int length) {
        ColumnType type = types[column];
        require(type.isSized(), column, "text");
        if (length > type.length()) {
            throw new KeyTooLongException(null, names[column], length, type.length());
        }
        int at = valueOffset(column);
        for (int done = 0; done < length; done += Long.BYTES) {
            int width = Math.min(Long.BYTES, length - done);
            long some = 0;
            for (int i = 0; i < width; i++) {
                some = some << 8 | value[index + done + i] & 0xff;
            }
            place(words, at + done, width, some);
        }
        if (type.kind() == ColumnType.Kind.BYTES) {
            place(words, at + type.length(), LENGTH_BYTES, length);
        }
    }

    /// Copies a column of another key of the same type, and not NULL there.
    public void copy(long[] words, int column, KeyLayout other, long[] from, int fromColumn) {
        assert types[column].equals(other.types[fromColumn]) : "two types";
        int bytesLeft = types[column].keyBytes();
        int source = other.valueOffset(fromColumn);
        int target = valueOffset(column);
        while (bytesLeft > 0) {
            int width = Math.min(Long.BYTES, bytesLeft);
            place(words, target, width, extract(from, source, width));
            source += width;
            target += width;
            bytesLeft -= width;
        }
    }

    /// Whether the column is NULL.
    public boolean isNull(long[] words, int column) {
        return nullable[column] && extract(words, offsets[column], 1) == NULL_MARKER;
    }

    /// Reads an integral value from the words.
    public long decode(long[] words, int column) {
        require(types[column].isIntegral(), column, "a number");
        int width = types[column].keyBytes();
        int unused = 64 - (width << 3);
        return flipSign(extract(words, valueOffset(column), width), width) << unused >> unused;
    }

    /// Reads a floating-point value from the words.
    public double decodeFloat64(long[] words, int column) {
        require(types[column].isFloating(), column, "a floating-point number");
        int width = types[column].keyBytes();
        int unused = 64 - (width << 3);
        long found =
                flipSign(extract(words, valueOffset(column), width), width) << unused >> unused;
        long bits = found < 0 ? flipRest(found, width) : found;
        return width == Double.BYTES
                ? Double.longBitsToDouble(bits)
                : Float.intBitsToFloat((int) bits);
    }

    /// Reads the high 64 bits of a UUID.
    public long decodeUuidHigh(long[] words, int column) {
        require(types[column].kind() == ColumnType.Kind.UUID, column, "a UUID");
        return extract(words, valueOffset(column), Long.BYTES);
    }

    /// Reads the low 64 bits of a UUID.
    public long decodeUuidLow(long[] words, int column) {
        require(types[column].kind() == ColumnType.Kind.UUID, column, "a UUID");
        return extract(words, valueOffset(column) + Long.BYTES, Long.BYTES);
    }

    /// Reads text or bytes from the words, with its filling.
    ///
    /// @return how many bytes the value has without its filling
    public int decode(long[] words, int column, byte[] value) {
        ColumnType type = types[column];
        require(type.isSized(), column, "text");
        int at = valueOffset(column);
        int length = 0;
        for (int i = 0; i < type.length(); i++) {
            value[i] = (byte) extract(words, at + i, 1);
            if (value[i] != 0) {
                length = i + 1;
            }
        }
        return type.kind() == ColumnType.Kind.BYTES
                ? (int) extract(words, at + type.length(), LENGTH_BYTES)
                : length;
    }

    /// The key in words that a person can read, as in `(3, 7, 2101)`.
    public String describe(long[] words) {
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < types.length; i++) {
            text.append(i == 0 ? "" : ", ").append(describe(words, i));
        }
        return text.append(')').toString();
    }

    private String describe(long[] words, int column) {
        if (isNull(words, column)) {
            return "NULL";
        }
        ColumnType type = types[column];
        if (type.isSized()) {
            byte[] value = new byte[type.length()];
            int length = decode(words, column, value);
            return '\'' + new String(value, 0, length, StandardCharsets.UTF_8) + '\'';
        }
        if (type.isFloating()) {
            return String.valueOf(decodeFloat64(words, column));
        }
        return type.isIntegral()
                ? String.valueOf(decode(words, column))
                : new java.util.UUID(decodeUuidHigh(words, column), decodeUuidLow(words, column))
                        .toString();
    }

    private int valueOffset(int column) {
        return offsets[column] + (nullable[column] ? 1 : 0);
    }

    private void require(boolean fits, int column, String offered) {
        if (!fits) {
            throw new IllegalArgumentException(
                    "key column " + names[column] + " is " + types[column] + ", not " + offered);
        }
    }

    private static long flipSign(long value, int width) {
        return (value ^ 1L << (width << 3) - 1) & -1L >>> 64 - (width << 3);
    }

    /// Of a negative floating-point number the bits but the sign: the further from zero, the less.
    private static long flipRest(long bits, int width) {
        return bits ^ -1L >>> 65 - (width << 3);
    }

    private static void place(long[] words, int offset, int width, long value) {
        int word = offset >>> 3;
        int end = (offset & 7) + width;
        if (end <= 8) {
            words[word] |= value << (8 - end << 3);
        } else {
            words[word] |= value >>> (end - 8 << 3);
            words[word + 1] |= value << (16 - end << 3);
        }
    }

    private static long extract(long[] words, int offset, int width) {
        int word = offset >>> 3;
        int end = (offset & 7) + width;
        long mask = -1L >>> 64 - (width << 3);
        if (end <= 8) {
            return words[word] >>> (8 - end << 3) & mask;
        }
        return (words[word] << (end - 8 << 3) | words[word + 1] >>> (16 - end << 3)) & mask;
    }
}

package org.namdb.mvcc.schema;

import java.util.List;

/// How the columns of a key lie in its words: one after the other, most significant byte first, integers with their sign bit
/// flipped, text filled up with zero bytes, the last word filled up with zero bytes. So keys compare as their columns do, word by word,
/// unsigned.
/// ```
/// word 0                                  word 1
/// | INT16 | INT8 |    INT32     | ..CHAR  | (5).. | 0 0 0 0 |
///  63                          0 63                        0
/// ```
public final class KeyLayout {
    /// The most words a key may have.
    public static final int MAX_WORDS = 8;

    private final ColumnType[] types;
    private final String[] names;
    private final int[] offsets;
    private final int bytes;

    /// The layout of a key of these columns.
    ///
    /// @throws IllegalArgumentException if the key would be longer than 64 bytes
    public KeyLayout(List<String> names, List<ColumnType> types) {
        this.names = names.toArray(new String[0]);
        this.types = types.toArray(new ColumnType[0]);
        this.offsets = new int[this.types.length + 1];
        for (int i = 0; i < this.types.length; i++) {
            offsets[i + 1] = offsets[i] + this.types[i].keyBytes();
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

    /// The bytes of the first `columns` columns.
    public int prefixBytes(int columns) {
        return offsets[columns];
    }

    /// How many words the key takes.
    public int words() {
        return (bytes + 7) >>> 3;
    }

    /// Writes an integral value to the words.
    ///
    /// @throws IllegalArgumentException if the value is outside of the column's type
    public void encode(long[] words, int column, long value) {
        int width = types[column].keyBytes();
        if (types[column].isSized()) {
            throw new IllegalArgumentException(
                    "key column " + names[column] + " takes text, not a number");
        }
        int unused = 64 - (width << 3);
        if (value << unused >> unused != value) {
            throw new IllegalArgumentException(
                    "key column "
                            + names[column]
                            + ": "
                            + value
                            + " is outside of "
                            + types[column]);
        }
        long ordered = (value ^ 1L << (width << 3) - 1) & -1L >>> unused;
        place(words, offsets[column], width, ordered);
    }

    /// Writes text or bytes to the words.
    ///
    /// @throws IllegalArgumentException if there are too many bytes
    public void encode(long[] words, int column, byte[] value, int index, int length) {
        if (length > types[column].keyBytes() || !types[column].isSized()) {
            throw new IllegalArgumentException(
                    "key column "
                            + names[column]
                            + ": "
                            + length
                            + " bytes don't fit in "
                            + types[column]);
        }
        for (int i = 0; i < length; i++) {
            place(words, offsets[column] + i, 1, value[index + i] & 0xff);
        }
    }

    /// Reads an integral value from the words.
    public long decode(long[] words, int column) {
        int width = types[column].keyBytes();
        int unused = 64 - (width << 3);
        long ordered = extract(words, offsets[column], width);
        return (ordered ^ 1L << (width << 3) - 1) << unused >> unused;
    }

    /// Reads text or bytes from the words, with its filling.
    ///
    /// @return how many bytes the value has without its filling
    public int decode(long[] words, int column, byte[] value) {
        int length = 0;
        for (int i = 0; i < types[column].keyBytes(); i++) {
            value[i] = (byte) extract(words, offsets[column] + i, 1);
            if (value[i] != 0) {
                length = i + 1;
            }
        }
        return length;
    }

    /// The key in words that a person can read, as in `(3, 7, 2101)`.
    public String describe(long[] words) {
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < types.length; i++) {
            text.append(i == 0 ? "" : ", ");
            if (types[i].isSized()) {
                byte[] value = new byte[types[i].keyBytes()];
                text.append('\'')
                        .append(
                                new String(
                                        value,
                                        0,
                                        decode(words, i, value),
                                        java.nio.charset.StandardCharsets.UTF_8))
                        .append('\'');
            } else {
                text.append(decode(words, i));
            }
        }
        return text.append(')').toString();
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

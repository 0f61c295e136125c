package org.namdb.ycsb;

import java.util.SplittableRandom;

/// The bytes of fields: the record's key in hexadecimal digits, so that a reader can check that a
/// field is of the record that it has read, and random letters. Belongs to one thread.
final class FieldText {
    /// The fewest bytes of a field.
    static final int MIN_BYTES = Long.BYTES * 2;

    private static final int DIGIT_BITS = 4;
    private static final int LETTER_BITS = 5;
    private static final int LETTERS_PER_DRAW = 12;

    private final SplittableRandom random;
    private final byte[] bytes;

    FieldText(int fieldBytes, SplittableRandom random) {
        this.random = random;
        this.bytes = new byte[fieldBytes];
    }

    /// Draws the next field of a record. Valid until the next call.
    byte[] next(long key) {
        for (int digit = 0; digit < MIN_BYTES; digit++) {
            bytes[digit] = digit(key, digit);
        }
        int at = MIN_BYTES;
        while (at < bytes.length) {
            long bits = random.nextLong();
            int end = Math.min(bytes.length, at + LETTERS_PER_DRAW);
            for (; at < end; at++) {
                bytes[at] = (byte) ('A' + (bits & (1 << LETTER_BITS) - 1) % 26);
                bits >>>= LETTER_BITS;
            }
        }
        return bytes;
    }

    /// Whether a field that begins at `offset` of some bytes is of the record with this key.
    static boolean isOf(long key, byte[] bytes, int offset) {
        for (int i = 0; i < MIN_BYTES; i++) {
            if (bytes[offset + i] != digit(key, i)) {
                return false;
            }
        }
        return true;
    }

    /// Digit `index` of those that a field of a record begins with.
    static byte digit(long key, int index) {
        int value = (int) (key >>> DIGIT_BITS * index) & (1 << DIGIT_BITS) - 1;
        return (byte) (value < 10 ? '0' + value : 'a' + value - 10);
    }
}

package org.namdb.mvcc.schema;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A key of a table or an index, filled column by column. Reusable; belongs to one thread. A key of
/// which only the first columns are filled is a prefix.
public final class Key {
    private final KeyLayout layout;
    private final long[] words;
    private int columns;

    /// The key ends in the next column's marker for not NULL.
    private boolean endsNotNull;

    public Key(KeyLayout layout) {
        this.layout = layout;
        this.words = new long[layout.words()];
    }

    /// Empties the key.
    public Key clear() {
        Arrays.fill(words, 0);
        columns = 0;
        endsNotNull = false;
        return this;
    }

    /// Fills the next column with a number; of a floating-point column, with the nearest one.
    ///
    /// @throws IllegalArgumentException if it is outside of the column's type, or all columns
    ///     are filled
    public Key add(long value) {
        layout.encode(words, next(), value);
        columns++;
        return this;
    }

    /// Fills the next column with a floating-point number. The two zeros are the same, and NaN is
    /// greater than all others.
    ///
    /// @throws IllegalArgumentException if the column is of another type, or all columns are filled
    public Key add(double value) {
        layout.encode(words, next(), value);
        columns++;
        return this;
    }

    /// Fills the next column with a UUID.
    ///
    /// @throws IllegalArgumentException if the column is of another type, or all columns are filled
    public Key addUuid(long high, long low) {
        layout.encodeUuid(words, next(), high, low);
        columns++;
        return this;
    }

    /// Makes the next column NULL, which sorts behind all values.
    ///
    /// @throws IllegalArgumentException if the column can't be NULL, or all columns are filled
    public Key addNull() {
        layout.encodeNull(words, next());
        columns++;
        return this;
    }

    /// Ends a prefix with this: the next column is not NULL. So the range of this prefix holds all
    /// values of the column, and not those where there is none. Nothing can be added after it.
    ///
    /// @throws IllegalArgumentException if all columns are filled
    public Key endNotNull() {
        next();
        endsNotNull = layout.nullable(columns);
        return this;
    }

    /// Fills the next column with text.
    ///
    /// @throws KeyTooLongException if it is too long
    /// @throws IllegalArgumentException if all columns are filled
    public Key add(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return add(bytes, 0, bytes.length);
    }

    /// Fills the next column with bytes; zero bytes at the end of text are filling.
    ///
    /// @throws KeyTooLongException if there are too many
    /// @throws IllegalArgumentException if all columns are filled
    public Key add(byte[] value, int index, int length) {
        layout.encode(words, next(), value, index, length);
        columns++;
        return this;
    }

    /// A whole key, as its words are.
    ///
    /// @param whole as many as the layout has
    public Key setWords(long[] whole) {
        System.arraycopy(whole, 0, words, 0, words.length);
        columns = layout.columns();
        endsNotNull = false;
        return this;
    }

    /// A key of one number.
    public Key set(long a) {
        return clear().add(a);
    }

    /// A key of two numbers.
    public Key set(long a, long b) {
        return clear().add(a).add(b);
    }

    /// A key of three numbers.
    public Key set(long a, long b, long c) {
        return clear().add(a).add(b).add(c);
    }

    /// A key of four numbers.
    public Key set(long a, long b, long c, long d) {
        return clear().add(a).add(b).add(c).add(d);
    }

    /// Makes this key the same as another of the same layout.
    public Key set(Key other) {
        System.arraycopy(other.words, 0, words, 0, words.length);
        columns = other.columns;
        endsNotNull = other.endsNotNull;
        return this;
    }

    /// How many columns are filled.
    public int columns() {
        return columns;
    }

    /// Whether every column is filled.
    public boolean isWhole() {
        return columns == layout.columns();
    }

    /// The key's words; the caller does not change them.
    public long[] words() {
        return words;
    }

    /// Copies the smallest key that starts with this prefix.
    public void lowest(long[] target) {
        System.arraycopy(words, 0, target, 0, words.length);
    }

    /// Copies the largest key that starts with this prefix.
    public void highest(long[] target) {
        int bytes = layout.prefixBytes(columns) + (endsNotNull ? 1 : 0);
        for (int word = 0; word < words.length; word++) {
            int filled = Math.clamp(bytes - (word << 3), 0, 8);
            target[word] = filled == 8 ? words[word] : words[word] | -1L >>> (filled << 3);
        }
    }

    public KeyLayout layout() {
        return layout;
    }

    private int next() {
        if (columns == layout.columns()) {
            throw new IllegalArgumentException("the key has only " + columns + " columns");
        }
        if (endsNotNull) {
            throw new IllegalArgumentException("the key has ended");
        }
        return columns;
    }

    @Override
    public String toString() {
        return layout.describe(words);
    }
}

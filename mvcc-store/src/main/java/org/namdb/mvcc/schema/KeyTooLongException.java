package org.namdb.mvcc.schema;

import org.jspecify.annotations.Nullable;

/// A value has more bytes than a key or an index entry has for it (see [KeyShares]).
public final class KeyTooLongException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final @Nullable String index;
    private final int bytes;
    private final int mostBytes;

    /// @param index the index whose entry it would be in; null for a primary key
    /// @param column the column's name
    /// @param bytes how many bytes the value has
    /// @param mostBytes how many it may have
    public KeyTooLongException(@Nullable String index, String column, int bytes, int mostBytes) {
        super(
                (index == null ? "key column " : "index " + index + ", column ")
                        + column
                        + ": "
                        + bytes
                        + " bytes don't fit in "
                        + mostBytes);
        this.index = index;
        this.bytes = bytes;
        this.mostBytes = mostBytes;
    }

    /// The index whose entry it would be in; null for a primary key.
    public @Nullable String index() {
        return index;
    }

    /// How many bytes the value has.
    public int bytes() {
        return bytes;
    }

    /// How many bytes it may have.
    public int mostBytes() {
        return mostBytes;
    }
}

package org.namdb.checker.history;

/// A read or a write of one key.
///
/// @param isWrite false for a read
/// @param key any number
/// @param value what was written, or what the read returned; 0 is "absent", which can be read but
///     not written
public record Operation(boolean isWrite, long key, long value) {
    /// A read that returned this value, 0 if the key was absent.
    public static Operation read(long key, long value) {
        return new Operation(false, key, value);
    }

    /// A write. No other write of the history gives this key the same value.
    public static Operation write(long key, long value) {
        return new Operation(true, key, value);
    }
}

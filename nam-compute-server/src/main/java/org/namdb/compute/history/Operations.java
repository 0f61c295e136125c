package org.namdb.compute.history;

import java.util.Arrays;

/// Reads and writes of one transaction, in program order; reused by one thread.
public final class Operations {
    private long[] keys = new long[64];
    private long[] values = new long[64];
    private boolean[] writes = new boolean[64];
    private int size;

    /// Adds a read.
    ///
    /// @param value what was read; 0 if there was none
    public Operations read(long key, long value) {
        return add(key, value, false);
    }

    /// Adds a write.
    ///
    /// @param value not 0, and another one for each write of the key
    public Operations write(long key, long value) {
        assert value != 0 : "0 says that there is none";
        return add(key, value, true);
    }

    /// Removes all operations.
    public void clear() {
        size = 0;
    }

    public int size() {
        return size;
    }

    /// Whether operation `index`, from 0, is a write.
    public boolean isWrite(int index) {
        return writes[index];
    }

    /// The key of operation `index`.
    public long key(int index) {
        return keys[index];
    }

    /// The value of operation `index`.
    public long value(int index) {
        return values[index];
    }

    private Operations add(long key, long value, boolean isWrite) {
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
            writes = Arrays.copyOf(writes, 2 * size);
        }
        keys[size] = key;
        values[size] = value;
        writes[size] = isWrite;
        size++;
        return this;
    }
}

package org.namdb.checker.history;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Finds the write that has given a value to a key. A hash table of its own, because each read of a
/// history is looked up here: with a HashMap, a check takes an eighth more time and a quarter more
/// memory.
public final class WriteTable {
    private @Nullable Write[] places = new @Nullable Write[1 << 10];
    private Write[] inOrder = new Write[1 << 9];
    private int count;

    WriteTable() {}

    /// Adds a write, unless there is one with the same key and value.
    ///
    /// @return that one, or null
    @Nullable Write add(Transaction writer, Operation operation, boolean isFinal) {
        if (count == inOrder.length) {
            grow();
        }
        int place = place(operation.key(), operation.value());
        Write known = places[place];
        if (known == null) {
            Write write = new Write(count, writer, operation.key(), operation.value(), isFinal);
            places[place] = write;
            inOrder[count++] = write;
        }
        return known;
    }

    /// The write that has given this value to this key, or null.
    public @Nullable Write find(long key, long value) {
        return places[place(key, value)];
    }

    /// How many there are.
    public int count() {
        return count;
    }

    /// The write with this number.
    public Write write(int number) {
        return inOrder[number];
    }

    /// Where the write is, or would be.
    private int place(long key, long value) {
        int mask = places.length - 1;
        long hash = (key * 0x9E3779B97F4A7C15L ^ value) * 0xD6E8FEB86659FD93L;
        int place = (int) (hash ^ hash >>> 32) & mask;
        while (true) {
            Write write = places[place];
            if (write == null || write.key() == key && write.value() == value) {
                return place;
            }
            place = place + 1 & mask;
        }
    }

    /// Places stay at most half full.
    private void grow() {
        inOrder = Arrays.copyOf(inOrder, 2 * count);
        places = new @Nullable Write[4 * count];
        for (int number = 0; number < count; number++) {
            Write write = inOrder[number];
            places[place(write.key(), write.value())] = write;
        }
    }
}

package org.namdb.compute.schema;

import java.util.Arrays;
import org.namdb.mvcc.RemoteAllocator;

/// The pieces of a table that is dropped: none is freed before all are known, or so many that the
/// heap should not hold more. Belongs to one thread.
final class DisposedPieces implements RemoteAllocator {
    private static final int FIRST = 64;

    /// 3 MiB of heap, and some hundred thousand records.
    static final int MAX = 1 << 18;

    private final RemoteAllocator allocator;
    private final Runnable before;
    private long[] addresses = new long[FIRST];
    private int[] bytes = new int[FIRST];
    private int count;

    /// @param allocator gets them
    /// @param before runs before some are freed
    DisposedPieces(RemoteAllocator allocator, Runnable before) {
        this.allocator = allocator;
        this.before = before;
    }

    @Override
    public long allocate(int server, int size) {
        throw new UnsupportedOperationException("nothing is allocated for what goes");
    }

    @Override
    public void reserve(int server, int size) {
        throw new UnsupportedOperationException("nothing is allocated for what goes");
    }

    @Override
    public void free(long address, int size) {
        if (count == MAX) {
            freeAll();
        }
        if (count == addresses.length) {
            addresses = Arrays.copyOf(addresses, 2 * count);
            bytes = Arrays.copyOf(bytes, 2 * count);
        }
        addresses[count] = address;
        bytes[count] = size;
        count++;
    }

    /// Drops all: they are not freed.
    void clear() {
        count = 0;
        addresses = new long[FIRST];
        bytes = new int[FIRST];
    }

    /// Frees all that are known.
    void freeAll() {
        before.run();
        for (int piece = 0; piece < count; piece++) {
            allocator.free(addresses[piece], bytes[piece]);
        }
        count = 0;
    }
}

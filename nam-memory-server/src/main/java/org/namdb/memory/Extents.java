package org.namdb.memory;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/// Which parts of a region are in use: everything below a rising bound, but for what was given back. Sizes and addresses are multiples of 64.
/// Used by one thread at a time.
final class Extents {
    private final long limit;
    private final Map<Long, ArrayDeque<Long>> freed = new HashMap<>();
    private long bound;
    private long freedBytes;

    /// The extents between `start` and `limit`, offsets in the region.
    Extents(long start, long limit) {
        this.bound = aligned(start);
        this.limit = limit;
    }

    /// Takes an extent.
    ///
    /// @return its offset, or -1 if there is no room
    long allocate(long bytes) {
        long needed = aligned(bytes);
        ArrayDeque<Long> same = freed.get(needed);
        if (same != null && !same.isEmpty()) {
            freedBytes -= needed;
            return same.pop();
        }
        return allocateZeroed(bytes);
    }

    /// Takes an extent that was never handed out before, so that it is zero.
    ///
    /// @return its offset, or -1 if there is no room
    long allocateZeroed(long bytes) {
        long needed = aligned(bytes);
        if (needed > limit - bound) {
            return -1;
        }
        long offset = bound;
        bound += needed;
        return offset;
    }

    /// Gives a piece back, whole or in parts.
    void free(long offset, long bytes) {
        if (offset < 0 || bytes <= 0 || offset + bytes > bound) {
            throw new IllegalArgumentException(
                    "no extent of " + bytes + " bytes was handed out at " + offset);
        }
        long size = aligned(bytes);
        freed.computeIfAbsent(size, _ -> new ArrayDeque<>()).push(offset);
        freedBytes += size;
    }

    /// The bytes that are handed out.
    long usedBytes() {
        return bound - freedBytes;
    }

    /// The bytes that could still be handed out as one extent.
    long largestFreeBytes() {
        return limit - bound;
    }

    private static long aligned(long bytes) {
        return bytes + 63 & -64;
    }
}

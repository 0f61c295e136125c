package org.namdb.memory.server;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// Which parts of a region are in use: everything below a rising bound, except for what was given
/// back. What is given back grows together with its free neighbours, so that it can be handed out
/// in other sizes. Sizes and addresses are multiples of 64. Used by one thread at a time.
final class FreeExtents {
    private final long start;
    private final long limit;

    /// The bytes of each free piece below the bound, by offset; no two of them touch.
    private final TreeMap<Long, Long> free = new TreeMap<>();

    /// The offsets of the free pieces of each size.
    private final TreeMap<Long, TreeSet<Long>> bySize = new TreeMap<>();

    private long bound;
    private long freeBytes;

    /// The extents between `start` and `limit`, offsets in the region.
    FreeExtents(long start, long limit) {
        this.start = aligned(start);
        this.bound = this.start;
        this.limit = limit;
    }

    /// Takes an extent: the smallest free piece that is large enough, or else new memory.
    ///
    /// @return its offset, or -1 if there is no room
    long allocate(long bytes) {
        if (bytes > limit) {
            return -1;
        }
        long needed = aligned(bytes);
        Map.Entry<Long, TreeSet<Long>> fits = bySize.ceilingEntry(needed);
        if (fits != null) {
            long offset = fits.getValue().first();
            long size = fits.getKey();
            remove(offset, size);
            if (size > needed) {
                add(offset + needed, size - needed);
            }
            return offset;
        }
        if (needed > limit - bound) {
            return -1;
        }
        long offset = bound;
        bound += needed;
        return offset;
    }

    /// What was handed out before ends at `newBound`; the free pieces below it follow, by [#free].
    void restore(long newBound) {
        bound = newBound;
    }

    /// Gives a piece back, whole or in parts.
    void free(long offset, long bytes) {
        requireHandedOut(offset, bytes);
        long size = aligned(bytes);
        Map.Entry<Long, Long> before = free.floorEntry(offset);
        Map.Entry<Long, Long> after = free.ceilingEntry(offset);
        long from = offset;
        long to = offset + size;
        if (before != null && before.getKey() + before.getValue() == from) {
            from = before.getKey();
            remove(from, before.getValue());
        }
        if (after != null && after.getKey() == to) {
            to += after.getValue();
            remove(after.getKey(), after.getValue());
        }
        if (to == bound) {
            bound = from;
        } else {
            add(from, to - from);
        }
    }

    /// @throws IllegalArgumentException if an extent, or a part of it, is not handed out
    void requireHandedOut(long offset, long bytes) {
        long size = aligned(bytes);
        Map.Entry<Long, Long> before = free.floorEntry(offset);
        Map.Entry<Long, Long> after = free.ceilingEntry(offset);
        boolean isHandedOut =
                bytes > 0
                        && bytes <= limit
                        && offset >= start
                        && (offset & 63) == 0
                        && size <= bound - offset
                        && (before == null || before.getKey() + before.getValue() <= offset)
                        && (after == null || offset + size <= after.getKey());
        if (!isHandedOut) {
            throw new IllegalArgumentException(
                    "no extent of " + bytes + " bytes was handed out at " + offset);
        }
    }

    /// The bytes that are handed out.
    long usedBytes() {
        return bound - start - freeBytes;
    }

    /// The bytes that could still be handed out as one extent.
    long largestFreeBytes() {
        return Math.max(limit - bound, bySize.isEmpty() ? 0 : bySize.lastKey());
    }

    private void add(long offset, long bytes) {
        free.put(offset, bytes);
        bySize.computeIfAbsent(bytes, _ -> new TreeSet<>()).add(offset);
        freeBytes += bytes;
    }

    private void remove(long offset, long bytes) {
        free.remove(offset);
        TreeSet<Long> same = java.util.Objects.requireNonNull(bySize.get(bytes));
        same.remove(offset);
        if (same.isEmpty()) {
            bySize.remove(bytes);
        }
        freeBytes -= bytes;
    }

    static long aligned(long bytes) {
        return bytes + 63 & -64;
    }
}

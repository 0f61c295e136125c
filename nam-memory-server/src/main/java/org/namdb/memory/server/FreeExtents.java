package org.namdb.memory.server;

/// Finds what is free in a region, by its [map][ExtentMap]. The map has a bit for each 64 bytes,
/// whether they are allocated, and is complete; this is an index of it. For each chunk of the
/// region, and each pair of chunks, each pair of pairs and so on, it has three lengths:
/// ```
/// |ffff..fff.ff..fffffff.......fffff|      f: free, .: allocated
///  head        longest         tail
/// ```
/// So free neighbours are one piece as soon as they are free, and however many pieces there are,
/// the index takes 24 bytes for each 32 KiB of the region. Sizes and addresses are multiples of
/// 64. Used by one thread at a time.
final class FreeExtents {
    private static final int CHUNK_SHIFT = 16;
    private static final long CHUNK_BYTES = 1L << CHUNK_SHIFT;
    private static final int UNIT_SHIFT = ExtentMap.UNIT_SHIFT;

    /// The smallest piece that [#findAligned] finds.
    static final long MIN_ALIGNED_BYTES = CHUNK_BYTES;

    private static final long CHUNK_UNITS = CHUNK_BYTES >>> UNIT_SHIFT;

    private final ExtentMap map;
    private final long start;
    private final long limit;

    /// The leaves of a complete binary tree, one for each chunk: node `n` has the children `2 n`
    /// and `2 n + 1`, and the leaf of chunk `c` is `leaves + c`.
    private final int leaves;

    private final long[] head;
    private final long[] longest;
    private final long[] tail;
    private long touched;
    private long usedBytes;

    /// The extents between `start` and `limit`, offsets in the region that `map` is of.
    ///
    /// @param touched from where on nothing was ever handed out: the map is not read there, so that
    ///     it takes no memory
    FreeExtents(ExtentMap map, long start, long limit, long touched) {
        this.map = map;
        this.start = aligned(start);
        this.limit = limit & -64;
        this.touched = touched;
        int chunks = Math.toIntExact((limit + CHUNK_BYTES - 1) >>> CHUNK_SHIFT);
        this.leaves = chunks <= 1 ? 1 : Integer.highestOneBit(chunks - 1) << 1;
        this.head = new long[2 * leaves];
        this.longest = new long[2 * leaves];
        this.tail = new long[2 * leaves];
        this.usedBytes = this.limit - this.start;
        for (int chunk = 0; chunk < chunks; chunk++) {
            usedBytes -= computeLengths(chunk);
        }
        for (int node = leaves - 1; node > 0; node--) {
            join(node);
        }
    }

    /// Finds the free piece of the lowest address that is large enough, and takes it: it is free
    /// in the map until the caller has [marked][#changed] it.
    ///
    /// @return its offset, or -1 if there is none
    long find(long bytes) {
        if (bytes > limit || longest[1] < aligned(bytes)) {
            return -1;
        }
        long needed = aligned(bytes);
        int node = 1;
        while (node < leaves) {
            int left = 2 * node;
            if (longest[left] >= needed) {
                node = left;
            } else if (tail[left] + head[left + 1] >= needed) {
                return begin(left + 1) - tail[left];
            } else {
                node = left + 1;
            }
        }
        return findInChunk(node - leaves, needed);
    }

    /// Finds the free piece of the lowest address that lies at a multiple of its size, and takes it
    /// as [#find] does.
    ///
    /// @param bytes a power of two, from [#MIN_ALIGNED_BYTES] on
    /// @return its offset, or -1 if there is none
    long findAligned(long bytes) {
        if (bytes > CHUNK_BYTES * leaves) {
            return -1;
        }
        int first = (int) (leaves / (bytes >>> CHUNK_SHIFT));
        for (int node = first; node < 2 * first; node++) {
            if (longest[node] == bytes) {
                return begin(node);
            }
        }
        return -1;
    }

    private long findInChunk(int chunk, long needed) {
        long to = Math.min((long) chunk + 1 << CHUNK_SHIFT, limit);
        long at = Math.max((long) chunk << CHUNK_SHIFT, start);
        while (at < to) {
            long end = map.endOfRun(at, to);
            if (end - at >= needed && !map.isUsed(at)) {
                return at;
            }
            at = end;
        }
        throw new IllegalStateException("no " + needed + " free bytes in chunk " + chunk);
    }

    /// The map of an extent has changed: all of it was free and is allocated, or the other way
    /// round.
    void changed(long offset, long bytes) {
        touched = Math.max(touched, offset + bytes);
        int first = (int) (offset >>> CHUNK_SHIFT);
        int last = (int) (offset + bytes - 1 >>> CHUNK_SHIFT);
        for (int chunk = first; chunk <= last; chunk++) {
            computeLengths(chunk);
        }
        usedBytes += map.isUsed(offset) ? bytes : -bytes;
        int from = leaves + first;
        int to = leaves + last;
        while (from > 1) {
            from >>>= 1;
            to >>>= 1;
            for (int node = from; node <= to; node++) {
                join(node);
            }
        }
    }

    /// @throws IllegalArgumentException if an extent, or a part of it, is not handed out
    void requireHandedOut(long offset, long bytes) {
        long size = aligned(bytes);
        boolean isHandedOut =
                bytes > 0
                        && bytes <= limit
                        && offset >= start
                        && (offset & 63) == 0
                        && size <= limit - offset
                        && map.isUsed(offset)
                        && map.endOfRun(offset, offset + size) == offset + size;
        if (!isHandedOut) {
            throw new IllegalArgumentException(
                    "no extent of " + bytes + " bytes was handed out at " + offset);
        }
    }

    /// The bytes that are handed out.
    long usedBytes() {
        return usedBytes;
    }

    /// The bytes that could still be handed out as one extent.
    long largestFreeBytes() {
        return longest[1];
    }

    /// Computes the lengths of a chunk from the map.
    ///
    /// @return how much of it is free
    private long computeLengths(int chunk) {
        long unit = (long) chunk << CHUNK_SHIFT - UNIT_SHIFT;
        long end = unit + CHUNK_UNITS;
        long first = -1;
        long most = 0;
        long run = 0;
        long all = 0;
        for (; unit < end; unit += Long.SIZE) {
            long free = freeUnits(unit);
            all += Long.bitCount(free);
            if (free == -1) {
                run += Long.SIZE;
                continue;
            }
            run += Long.numberOfTrailingZeros(~free);
            first = first < 0 ? run : first;
            most = Math.max(most, Math.max(run, longestRun(free)));
            run = Long.numberOfLeadingZeros(~free);
        }
        int leaf = leaves + chunk;
        head[leaf] = (first < 0 ? run : first) << UNIT_SHIFT;
        longest[leaf] = Math.max(most, run) << UNIT_SHIFT;
        tail[leaf] = run << UNIT_SHIFT;
        return all << UNIT_SHIFT;
    }

    private static int longestRun(long bits) {
        int length = 0;
        for (long runs = bits; runs != 0; runs &= runs << 1) {
            length++;
        }
        return length;
    }

    /// A bit for each of the 64 units from `unit` on: whether it is free, and between the bounds.
    private long freeUnits(long unit) {
        long before = (start >>> UNIT_SHIFT) - unit;
        long after = unit + Long.SIZE - (limit >>> UNIT_SHIFT);
        if (before >= Long.SIZE || after >= Long.SIZE) {
            return 0;
        }
        long free = unit << UNIT_SHIFT < touched ? ~map.usedUnits(unit) : -1L;
        if (before > 0) {
            free &= -1L << before;
        }
        if (after > 0) {
            free &= -1L >>> after;
        }
        return free;
    }

    private void join(int node) {
        int left = 2 * node;
        int right = left + 1;
        long half = bytes(left);
        head[node] = head[left] == half ? half + head[right] : head[left];
        tail[node] = tail[right] == half ? half + tail[left] : tail[right];
        longest[node] = Math.max(tail[left] + head[right], Math.max(longest[left], longest[right]));
    }

    /// The bytes that a node stands for.
    private long bytes(int node) {
        int level = Integer.numberOfLeadingZeros(node) - Integer.numberOfLeadingZeros(leaves);
        return CHUNK_BYTES << level;
    }

    /// Where a node's bytes begin.
    private long begin(int node) {
        int level = Integer.numberOfLeadingZeros(node) - Integer.numberOfLeadingZeros(leaves);
        return ((long) node << level) - leaves << CHUNK_SHIFT;
    }

    static long aligned(long bytes) {
        return bytes + 63 & -64;
    }
}

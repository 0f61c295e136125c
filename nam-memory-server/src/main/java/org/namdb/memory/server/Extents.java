package org.namdb.memory.server;

import java.util.Set;

/// The extents of a region. Which of them are handed out is told by an [ExtentMap] in the region,
/// so that whoever takes the region up later goes on from there; what is free is found by an index
/// in this process, which is made from the map. Used by one thread at a time.
///
/// An extent is handed out, and given back, between the two writes of an [intent][ExtentIntents]:
/// should the server die on the way, the map is put right when the region is taken up.
final class Extents {
    /// What is kept for the catalog's entries, so that a change of the schema never stops halfway
    /// in a full memory.
    private static final long CATALOG_BYTES = 64 << 10;

    private final RegionWords words;
    private final ExtentIntents intents;
    private final ExtentMap map;
    private final FreeExtents free;
    private final long bytes;
    private long touched;

    private Extents(RegionWords words, long start, long limit) {
        this.words = words;
        this.intents = new ExtentIntents(words);
        this.map = new ExtentMap(words, start);
        long first = start + ExtentMap.bytes(limit);
        this.free = new FreeExtents(first, limit);
        this.bytes = limit - first;
    }

    /// The extents of a region of zeroes: a map at `start`, an aligned offset that is written down,
    /// and everything behind it.
    static Extents format(RegionWords words, long start, long limit) {
        Extents extents = new Extents(words, start, limit);
        extents.touched = start + ExtentMap.bytes(limit);
        words.put(RegionLayout.TOUCHED_OFFSET, extents.touched);
        words.put(RegionLayout.MAP_OFFSET, start);
        return extents;
    }

    /// The extents of a region that was formatted before, after what its last server has left
    /// unfinished was decided.
    ///
    /// @param reachable the offsets of the extents that the catalog has
    static Extents open(RegionWords words, long limit, Set<Long> reachable) {
        long start = words.word(RegionLayout.MAP_OFFSET);
        Extents extents = new Extents(words, start, limit);
        extents.touched = words.word(RegionLayout.TOUCHED_OFFSET);
        for (int intent = 0; intent < ExtentIntents.COUNT; intent++) {
            long bytes = extents.intents.bytes(intent);
            if (bytes != 0) {
                long offset = extents.intents.offset(intent);
                extents.map.mark(offset, bytes, reachable.contains(offset));
                extents.intents.end(intent);
            }
        }
        extents.index(start + ExtentMap.bytes(limit));
        return extents;
    }

    /// Finds what is free by the map.
    private void index(long start) {
        long bound = start;
        long at = start;
        while (at < touched) {
            long end = map.endOfRun(at, touched);
            if (map.isUsed(at)) {
                bound = end;
            }
            at = end;
        }
        free.restore(bound);
        for (at = start; at < bound; at = map.endOfRun(at, bound)) {
            if (!map.isUsed(at)) {
                free.free(at, map.endOfRun(at, bound) - at);
            }
        }
    }

    /// Hands an extent out.
    ///
    /// @return its offset, or -1 if there is no room
    long allocate(long wanted) {
        if (wanted > free()) {
            return -1;
        }
        long offset = begin(wanted);
        if (offset >= 0) {
            end();
        }
        return offset;
    }

    private long free() {
        return bytes - free.usedBytes() - CATALOG_BYTES;
    }

    /// Hands an extent out for the catalog: one that is free again after a crash, unless the
    /// catalog has it then; [#end] follows.
    ///
    /// @return its offset, or -1 if there is no room, and then nothing has begun
    long begin(long wanted) {
        long offset = free.allocate(wanted);
        if (offset < 0) {
            return -1;
        }
        long size = FreeExtents.aligned(wanted);
        intents.begin(ExtentIntents.FIRST, offset, size);
        if (offset + size > touched) {
            touched = offset + size;
            words.put(RegionLayout.TOUCHED_OFFSET, touched);
        }
        map.mark(offset, size, true);
        return offset;
    }

    void end() {
        intents.end(ExtentIntents.FIRST);
    }

    /// From where on memory was never handed out, so that it is zero.
    long touched() {
        return touched;
    }

    /// Gives a piece back, whole or in parts.
    ///
    /// @throws IllegalArgumentException if it is not handed out
    void free(long offset, long given) {
        free.requireHandedOut(offset, given);
        free(offset, given, () -> {});
    }

    /// Gives an extent of the catalog back.
    ///
    /// @param unlink takes it out of the catalog: by the change of one word
    void free(long offset, long given, Runnable unlink) {
        long size = FreeExtents.aligned(given);
        intents.begin(ExtentIntents.SECOND, offset, size);
        unlink.run();
        map.mark(offset, size, false);
        intents.end(ExtentIntents.SECOND);
        free.free(offset, size);
    }

    /// The bytes that are handed out.
    long usedBytes() {
        return free.usedBytes();
    }

    /// The bytes that could still be handed out as one extent.
    long largestFreeBytes() {
        return Math.clamp(free(), 0, free.largestFreeBytes());
    }
}

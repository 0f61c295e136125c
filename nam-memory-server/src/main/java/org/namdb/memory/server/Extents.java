package org.namdb.memory.server;

import java.util.Set;

/// The extents of a region. An [ExtentMap] in the region has those that are allocated, for the next
/// process that opens the region; what is free is found by lengths that this process reads from the
/// map. Used by one thread at a time.
///
/// An extent is allocated, and freed, between the two writes of an [intent][ExtentIntents]: should
/// the server die in between, the map is repaired when the region is opened.
final class Extents {
    /// What is kept for the catalog's entries, so that a change of the schema never stops halfway
    /// in a full memory.
    private static final long CATALOG_BYTES = 64 << 10;

    private final RegionWords words;
    private final ExtentIntents intents;
    private final ExtentMap map;
    private final FreeExtents free;
    private final long bytes;
    private final long reserve;
    private long touched;

    private Extents(
            RegionWords words, ExtentIntents intents, ExtentMap map, long first, long limit) {
        this.words = words;
        this.intents = intents;
        this.map = map;
        this.touched = words.word(RegionLayout.TOUCHED_OFFSET);
        this.free = new FreeExtents(map, first, limit, touched);
        this.bytes = limit - first;
        this.reserve = RegionLayout.reserveBytes(limit);
    }

    /// The extents of a region of zeroes: a map at `start`, an aligned offset that is written down,
    /// and everything behind it.
    static Extents format(RegionWords words, long start, long limit) {
        long first = start + ExtentMap.bytes(limit);
        words.put(RegionLayout.TOUCHED_OFFSET, first);
        words.put(RegionLayout.MAP_OFFSET, start);
        return new Extents(
                words, new ExtentIntents(words), new ExtentMap(words, start), first, limit);
    }

    /// The extents of a region that was formatted before, after what its last server has left
    /// unfinished was decided.
    ///
    /// @param reachable the offsets of the extents that the catalog has
    static Extents open(RegionWords words, long limit, Set<Long> reachable) {
        long start = words.word(RegionLayout.MAP_OFFSET);
        ExtentIntents intents = new ExtentIntents(words);
        ExtentMap map = new ExtentMap(words, start);
        for (int intent = 0; intent < ExtentIntents.COUNT; intent++) {
            long bytes = intents.bytes(intent);
            if (bytes != 0) {
                long offset = intents.offset(intent);
                map.mark(offset, bytes, reachable.contains(offset));
                intents.end(intent);
            }
        }
        return new Extents(words, intents, map, start + ExtentMap.bytes(limit), limit);
    }

    /// Hands an extent out.
    ///
    /// @return its offset, or -1 if there is none
    long allocate(long wanted) {
        return allocate(wanted, false);
    }

    /// Hands an extent out.
    ///
    /// @param fromReserve whether what is kept for deletes may be used
    /// @return its offset, or -1 if there is none
    long allocate(long wanted, boolean fromReserve) {
        if (wanted > free(fromReserve)) {
            return -1;
        }
        long offset = begin(wanted);
        if (offset >= 0) {
            end();
        }
        return offset;
    }

    /// Hands out an extent that lies at a multiple of its size.
    ///
    /// @param bytes a power of two, from [FreeExtents#MIN_ALIGNED_BYTES] on
    /// @param fromReserve whether what is kept for deletes may be used
    /// @return its offset, or -1 if there is none
    long allocateAligned(long bytes, boolean fromReserve) {
        long offset = bytes > free(fromReserve) ? -1 : free.findAligned(bytes);
        if (offset >= 0) {
            begin(offset, bytes);
            end();
        }
        return offset;
    }

    private long free(boolean withReserve) {
        return bytes - free.usedBytes() - CATALOG_BYTES - (withReserve ? 0 : reserve);
    }

    /// Hands an extent out for the catalog: one that is free again after a crash, unless the
    /// catalog has it then; [#end] follows.
    ///
    /// @return its offset, or -1 if there is none, and then nothing has begun
    long begin(long wanted) {
        long offset = free.find(wanted);
        if (offset < 0) {
            return -1;
        }
        begin(offset, FreeExtents.aligned(wanted));
        return offset;
    }

    private void begin(long offset, long size) {
        intents.begin(ExtentIntents.FIRST, offset, size);
        if (offset + size > touched) {
            touched = offset + size;
            words.put(RegionLayout.TOUCHED_OFFSET, touched);
        }
        map.mark(offset, size, true);
        free.changed(offset, size);
    }

    void end() {
        intents.end(ExtentIntents.FIRST);
    }

    /// From where on memory was never handed out, so that it is zero.
    long touched() {
        return touched;
    }

    /// Frees a piece, whole or in parts.
    ///
    /// @throws IllegalArgumentException if it is not handed out
    void free(long offset, long given) {
        free(offset, given, () -> {});
    }

    /// Frees an extent of the catalog.
    ///
    /// @param unlink takes it out of the catalog: by the change of one word
    /// @throws IllegalArgumentException if it is not handed out
    void free(long offset, long given, Runnable unlink) {
        free.requireHandedOut(offset, given);
        long size = FreeExtents.aligned(given);
        intents.begin(ExtentIntents.SECOND, offset, size);
        unlink.run();
        map.mark(offset, size, false);
        intents.end(ExtentIntents.SECOND);
        free.changed(offset, size);
    }

    /// The bytes that are handed out.
    long usedBytes() {
        return free.usedBytes();
    }

    /// The bytes that could still be handed out as one extent.
    long largestFreeBytes() {
        return Math.clamp(free(false), 0, free.largestFreeBytes());
    }
}

package org.namdb.memory.server;

/// Which 64 bytes of a region are handed out: a bit for each of them, from the region's start on.
/// ```
/// word w of the map, bit b:   bytes 64 (64 w + b) to 64 (64 w + b) + 63 of the region
/// ```
/// The map takes one 512th of the region, and memory where bits are set.
final class ExtentMap {
    static final int UNIT_SHIFT = 6;
    private static final int WORD_SHIFT = 6;
    private static final long ALL = -1L;

    private final RegionWords words;
    private final long map;

    /// @param map where it is
    ExtentMap(RegionWords words, long map) {
        this.words = words;
        this.map = map;
    }

    /// The bytes of a map for a region.
    static long bytes(long regionBytes) {
        return (regionBytes >>> UNIT_SHIFT + WORD_SHIFT) * Long.BYTES + Long.BYTES + 63 & -64;
    }

    /// Marks an extent as allocated, or as free.
    void mark(long offset, long bytes, boolean isUsed) {
        long unit = offset >>> UNIT_SHIFT;
        long end = unit + (bytes >>> UNIT_SHIFT);
        while (unit < end) {
            long word = unit >>> WORD_SHIFT;
            long last = Math.min(end, word + 1 << WORD_SHIFT);
            long mask = ALL >>> 64 - (last - unit) << (unit & 63);
            long before = words.word(at(word));
            words.put(at(word), isUsed ? before | mask : before & ~mask);
            unit = last;
        }
    }

    /// Where the run of bits ends that begins at `offset`: all handed out, or none; at `limit` at
    /// the latest.
    long endOfRun(long offset, long limit) {
        long unit = offset >>> UNIT_SHIFT;
        long end = limit >>> UNIT_SHIFT;
        boolean isUsed = isUsed(offset);
        while (unit < end) {
            long bits = words.word(at(unit >>> WORD_SHIFT));
            long same = (isUsed ? ~bits : bits) >>> (unit & 63);
            int run = Long.numberOfTrailingZeros(same);
            long inWord = 64 - (unit & 63);
            if (run < inWord) {
                return Math.min(limit, unit + run << UNIT_SHIFT);
            }
            unit += inWord;
        }
        return limit;
    }

    /// A bit for each of the 64 units of 64 bytes from `unit` on, a multiple of 64.
    long usedUnits(long unit) {
        return words.word(at(unit >>> WORD_SHIFT));
    }

    boolean isUsed(long offset) {
        long unit = offset >>> UNIT_SHIFT;
        return (words.word(at(unit >>> WORD_SHIFT)) >>> (unit & 63) & 1) == 1;
    }

    private long at(long word) {
        return map + word * Long.BYTES;
    }
}

package org.namdb.ycsb;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Draws which record is read. Belongs to one thread.
final class RecordChooser {
    private static final long FNV_OFFSET = 0xCBF29CE484222325L;
    private static final long FNV_PRIME = 0x100000001B3L;

    private final Requests.Kind kind;
    private final @Nullable Zipfian zipfian;
    private final SplittableRandom random;

    /// A chooser from the records that there are at first, or more.
    ///
    /// @param zipfian its own, of so many ranks; null where requests are uniform
    RecordChooser(Requests requests, @Nullable Zipfian zipfian, SplittableRandom random) {
        this.kind = requests.kind();
        this.zipfian = zipfian;
        this.random = random;
    }

    /// The next record's number.
    ///
    /// @param records how many there are, in the order of insertion
    long next(long records) {
        Zipfian ranks = zipfian;
        if (ranks == null) {
            return random.nextLong(records);
        }
        if (kind == Requests.Kind.LATEST) {
            ranks.grow(records);
            return records - 1 - ranks.next(random);
        }
        // Scrambled: popular records are spread over the keys. Records that were inserted since
        // the start change which one is popular where the ranks' number is not the records'.
        return Long.remainderUnsigned(hash(ranks.next(random)), records);
    }

    /// FNV-1a, as YCSB has it.
    static long hash(long value) {
        long hash = FNV_OFFSET;
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            hash = (hash ^ (value >>> shift & 0xFF)) * FNV_PRIME;
        }
        return hash;
    }
}

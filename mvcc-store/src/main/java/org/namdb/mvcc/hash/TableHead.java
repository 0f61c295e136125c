package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;

/// What a table, or a hashed index, begins with on each of its memory servers: its *head*, and
/// behind it the first buckets, in one extent. It leads to the buckets that splits have made.
/// ```
/// 0       8       16       64        72        384                512
/// | 0     | depth | splits | level 0 | level 1 | ... | level 39 | 0 | bucket | bucket | ...
/// ```
/// - depth: how many levels there are. No bucket is deeper. It may be one less than there are for a
///   moment: a level is added by the CAS of its address.
/// - splits: how many buckets were made by splits, except by sessions that died meanwhile.
/// - level k: the remote address of an array of words, null from the depth on.
///
/// The first buckets are as many as the table was made for, and chosen by the upper bits of a hash.
/// Each that is split becomes the root of parts that have a depth d and a number i, and hold its
/// hashes with `hash mod 2^d = i`; the root itself is number 0. Level k has the addresses of all
/// parts with numbers from `2^k` to `2^(k+1) - 1`: `2^k` for each root, those of one number behind
/// each other in the order of the roots; null where there is none. So a level is written once, and
/// nothing is copied when the table grows.
public final class TableHead {
    static final int DEPTH_OFFSET = 8;
    static final int SPLITS_OFFSET = 16;
    static final int LEVELS_OFFSET = 64;
    static final int MAX_DEPTH = BucketLayout.MAX_DEPTH;

    /// The bytes of a head.
    public static final int BYTES = 512;

    private TableHead() {}

    /// The bytes of a head and its first buckets. All are 0 in a table that is empty.
    public static long extentBytes(BucketLayout layout, long buckets) {
        return BYTES + buckets * layout.bucketBytes();
    }

    /// The remote address of the first buckets behind a head.
    static long buckets(long head) {
        return head + BYTES;
    }

    /// Where a head has the address of level `level`.
    static int levelOffset(int level) {
        assert level >= 0 && level < MAX_DEPTH : "level " + level;
        return LEVELS_OFFSET + Long.BYTES * level;
    }

    /// Takes the levels' addresses from a head that was read.
    ///
    /// @param view its native address
    /// @param levels are set
    /// @return how many there are
    static int levels(long view, long[] levels) {
        int depth = (int) LocalMemory.longAcquire(view + DEPTH_OFFSET);
        for (int level = 0; level < depth; level++) {
            levels[level] = LocalMemory.longAcquire(view + levelOffset(level));
            if (RemoteAddress.isNull(levels[level])) {
                return level; // the words of one READ may be fetched in any order
            }
        }
        return depth;
    }

    /// The level that has the address of part `number`, which is no root.
    static int level(long number) {
        return Long.SIZE - 1 - Long.numberOfLeadingZeros(number);
    }

    /// The words of a level.
    ///
    /// @param roots how many first buckets there are
    static long words(int level, long roots) {
        return roots << level;
    }

    /// Which word of its level has the address of part `number` of a root.
    static long word(long number, long root, long roots) {
        return (number - Long.highestOneBit(number)) * roots + root;
    }
}

package org.namdb.mvcc.tree;

/// The first word of a node. It guards the node: a writer latches it by compare-and-swap and
/// unlatches it with another version, so a reader that finds the same unlatched header before and
/// after has read one state of the node. The number of entries is in the guard, so that it never is
/// torn, and an insert need not write it elsewhere.
/// ```
///  63               30 29             16 15       6 5     2   1   0
/// |      version      |     run end     |  count   | level | D | L |      unlatched
/// |      version      |     holder      |  count   | level | D | 1 |      latched
/// ```
/// - version counts changes, through all lives of the node, and wraps;
/// - holder is the timestamp slot of the session that holds the latch, in the place of the run end,
///   which it does not need; if it dies and the node is repaired, the run is lost;
/// - run end is the index behind the entry that was inserted last: an insert at this very index
///   continues an ascending run, and a split there leaves the run's nodes full;
/// - count is the number of entries, deleted ones too; level is 0 for a leaf;
/// - D: the node is dead; L: it is latched.
final class NodeHeader {
    /// The most entries that a node can have.
    static final int MAX_COUNT = (1 << 10) - 1;

    /// The highest level of a node.
    static final int MAX_LEVEL = (1 << 4) - 1;

    private static final long LATCHED = 1L;
    private static final long DEAD = 2L;
    private static final int LEVEL_SHIFT = 2;
    private static final int COUNT_SHIFT = 6;
    private static final int RUN_END_SHIFT = 16;
    private static final int HOLDER_SHIFT = 16;
    private static final int VERSION_SHIFT = 30;
    private static final long HOLDER_MASK = (1L << VERSION_SHIFT - HOLDER_SHIFT) - 1;

    private NodeHeader() {}

    static boolean isLatched(long header) {
        return (header & LATCHED) != 0;
    }

    static boolean isDead(long header) {
        return (header & DEAD) != 0;
    }

    /// Whether the node is of this level, and neither latched nor dead.
    static boolean isOpenAt(long header, int level) {
        return (header & ((1L << COUNT_SHIFT) - 1)) == (long) level << LEVEL_SHIFT;
    }

    static int level(long header) {
        return (int) (header >>> LEVEL_SHIFT) & MAX_LEVEL;
    }

    static int count(long header) {
        return (int) (header >>> COUNT_SHIFT) & MAX_COUNT;
    }

    static int runEnd(long header) {
        assert !isLatched(header) : "a latched header has no run end";
        return (int) (header >>> RUN_END_SHIFT) & MAX_COUNT;
    }

    static long version(long header) {
        return header >>> VERSION_SHIFT;
    }

    /// The slot that holds the latch of a latched node.
    static int holder(long header) {
        assert isLatched(header) : "not latched";
        return (int) (header >>> HOLDER_SHIFT & HOLDER_MASK);
    }

    /// The header of a node while slot `holder` holds its latch.
    static long latch(long header, int holder) {
        return latch(header, count(header), holder);
    }

    /// The same with another count: for a node whose further entries were written, and are to be
    /// found if the holder dies before it unlatches.
    static long latch(long header, int count, int holder) {
        assert !isLatched(header) && !isDead(header) : "latched or dead";
        return withoutHolder(header, count) | (long) holder << HOLDER_SHIFT | LATCHED;
    }

    /// The header with which slot `holder` takes a latch over from a dead one.
    static long takenOver(long header, int holder) {
        assert isLatched(header) : "not latched";
        return withoutHolder(header, count(header)) | (long) holder << HOLDER_SHIFT | LATCHED;
    }

    private static long withoutHolder(long header, int count) {
        return version(header) << VERSION_SHIFT
                | (long) count << COUNT_SHIFT
                | (long) level(header) << LEVEL_SHIFT;
    }

    /// The header that unlatches a changed node of `header`'s level.
    static long changed(long header, int count, int runEnd) {
        return renewed(header, level(header), count, runEnd);
    }

    /// The header of the next life of a dead or unused node: its version goes on, so that a reader
    /// of an earlier life can't mistake this one for it.
    static long renewed(long header, int level, int count, int runEnd) {
        assert level >= 0 && level <= MAX_LEVEL : "level " + level;
        assert count >= 0 && count <= MAX_COUNT : "count " + count;
        assert runEnd >= 0 && runEnd <= MAX_COUNT : "run end " + runEnd;
        return version(header) + 1 << VERSION_SHIFT
                | (long) runEnd << RUN_END_SHIFT
                | (long) count << COUNT_SHIFT
                | (long) level << LEVEL_SHIFT;
    }

    /// The header that a node dies with. The count stays, as the entries do: should its killer die
    /// with it, the node may have to live on ([TreeRepair]).
    static long dead(long header) {
        return renewed(header, level(header), count(header), 0) | DEAD;
    }
}

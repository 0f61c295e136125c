package org.namdb.fabric;

import java.lang.foreign.SegmentAllocator;

/// The landing buffer of a queue pair: allocates the views of READs and of atomics, as a ring.
///
/// A view that begins anywhere in one turn stays whole until `landingBytes` further bytes have been
/// landed, and so does every view of one batch; bytes that were [given up][#giveUp] don't count. A
/// turn is twice that long, because the view that is to survive takes space itself; and the last
/// view of a turn may reach beyond its end, so that none is split and none skips the rest of a
/// turn.
/// ```
/// 0                    landingBytes             2 landingBytes            3 landingBytes
/// |                       a turn                      | the end of its last view |
/// ```
public final class LandingRing {
    private static final int ALIGNMENT = 64;

    /// What a released view reads as where the ring poisons: no address, as the null bit is set,
    /// and no valid header, as it is locked.
    static final long POISON = 0x5bad_5bad_5bad_5badL;

    private final long base;
    private final int landingBytes;
    private final long turnBytes;
    private long next;
    private int batchBytes;
    private final boolean poisons;

    /// How much was landed, and not given up.
    private long landed;

    /// What that was when the current turn began.
    private long landedAtTurn;

    /// A ring in memory of `allocator`, whose contents don't matter.
    public LandingRing(SegmentAllocator allocator, int landingBytes) {
        this(allocator, landingBytes, false);
    }

    /// A ring for fabrics that look for faults: it overwrites released views at once, so that a
    /// read of one is found.
    public static LandingRing poisoning(SegmentAllocator allocator, int landingBytes) {
        return new LandingRing(allocator, landingBytes, true);
    }

    private LandingRing(SegmentAllocator allocator, int landingBytes, boolean poisons) {
        this.poisons = poisons;
        this.base = allocator.allocate(3L * landingBytes, ALIGNMENT).address();
        this.landingBytes = landingBytes;
        this.turnBytes = 2L * landingBytes;
    }

    /// A place for a view of `bytes` bytes, a multiple of 8.
    ///
    /// @throws FabricException if the batch lands more than [#landingBytes()]
    public long land(int bytes) {
        if (bytes > landingBytes - batchBytes) {
            throw new FabricException(
                    FabricException.Kind.TOO_LARGE,
                    "a batch that reads "
                            + ((long) batchBytes + bytes)
                            + " bytes does not fit in a landing buffer of "
                            + landingBytes);
        }
        batchBytes += bytes;
        if (next >= turnBytes) {
            next = 0;
            landedAtTurn = landed;
        }
        long view = base + next;
        next += bytes;
        landed += bytes;
        return view;
    }

    /// A mark for [#giveUp]: how many bytes were landed so far, less those given up.
    public long landed() {
        return landed;
    }

    /// Gives up the views that were landed since [#landed()] was `mark`: others will take their
    /// places, and those before stay valid longer. Between batches only. What was landed in an
    /// earlier turn stays; that is once in a turn, however often a mark from there is used.
    public void giveUp(long mark) {
        assert mark <= landed : "a mark of the future";
        long from = Math.max(mark, landedAtTurn);
        long end = next;
        next -= landed - from;
        landed = from;
        for (long at = poisons ? next : end; at < end; at += Long.BYTES) {
            LocalMemory.putLong(base + at, POISON);
        }
    }

    /// The batch is over: the next one may land [#landingBytes()] again.
    public void endBatch() {
        batchBytes = 0;
    }

    /// The most that one batch may land, and how much may land before a view is overwritten.
    public int landingBytes() {
        return landingBytes;
    }
}

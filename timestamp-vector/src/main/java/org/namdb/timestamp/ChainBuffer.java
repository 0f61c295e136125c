package org.namdb.timestamp;

/// A buffer for one member of the snapshot chain.
/// ```
///   0  guard        63                              15 14        0
///                  |         sequence number          |  length   |
///   8  vector      length timestamps of 8 bytes
/// ```
/// The guard has the vector's sequence number and length; all ones while it is being written.
/// Zeroed memory reads as member 0, of length 0.
///
/// **Why a reader has read the member that it wanted.** A writer writes guard := all ones, the
/// vector, guard := k, and only then changes the chain's head to k by CAS. A reader reads head = k,
/// the vector, the guard. That the head was k proves that vector k was complete by then, so the
/// guard need not be read in front of the vector too. That the guard is still k afterwards proves
/// that no word of the vector was of a later member, since the writing of that would have begun
/// with the guard. Slots whose CAS to k failed have a guard k too, with other vectors; but no head
/// ever pointed to those.
/// ```
///   R  reads head: 7, in buffer 1 of slot 3
///   A  has slot 3, refreshes twice: 8 goes to buffer 0,
///      and for 9: guard[1] := all ones, V[0] := 9's
///   R  reads V[0] (9's), V[1] (7's)                        of no member at all
///   A  V[1] := 9's, guard[1] := 9, CAS of the head
///   R  reads guard[1]: not 7. It drops what it has, and reads the head again
/// ```
public final class ChainBuffer {
    public static final int GUARD_OFFSET = 0;
    public static final int VECTOR_OFFSET = 8;

    /// The guard of a buffer that is being written.
    public static final long UNDER_WRITE = -1;

    private static final int SEQUENCE_SHIFT = ChainHead.SEQUENCE_SHIFT;
    private static final int LENGTH_MASK = (1 << SEQUENCE_SHIFT) - 1;

    private ChainBuffer() {}

    /// The guard of member `sequence`, whose vector has `length` timestamps.
    public static long guard(long sequence, int length) {
        assert sequence >= 0 && sequence < ChainHead.MAX_SEQUENCE : "sequence number " + sequence;
        assert length >= 0 && length <= CommitTimestamp.MAX_SLOTS : "length " + length;
        return sequence << SEQUENCE_SHIFT | length;
    }

    /// The member in a guard.
    public static long sequence(long guard) {
        return guard >>> SEQUENCE_SHIFT;
    }

    /// The number of timestamps in a guard.
    public static int length(long guard) {
        return (int) guard & LENGTH_MASK;
    }

    /// The bytes of guard and vector.
    public static int bytes(int length) {
        return VECTOR_OFFSET + 8 * length;
    }
}

package org.namdb.timestamp;

/// The head of the snapshot chain, a word: the newest member, and its buffer.
/// ```
///  63                                 15 14        1  0
/// |           sequence number           |   slot    | B |
/// ```
/// The buffer is number B, 0 or 1, of the two that belong to `slot`. The sequence number counts the
/// members of the chain; 49 bits last 17 years at a million new members a second. Zeroed memory
/// reads as member 0, which sees no commit.
public final class ChainHead {
    static final int SEQUENCE_SHIFT = 15;
    static final long MAX_SEQUENCE = (1L << 64 - SEQUENCE_SHIFT) - 1;

    private ChainHead() {}

    /// The head for member `sequence`, in buffer `buffer` of slot `slot`.
    public static long of(long sequence, int slot, int buffer) {
        assert sequence >= 0 && sequence <= MAX_SEQUENCE : "sequence number " + sequence;
        assert slot >= 0 && slot < CommitTimestamp.MAX_SLOTS : "slot " + slot;
        assert buffer >> 1 == 0 : "buffer " + buffer;
        return sequence << SEQUENCE_SHIFT | (long) slot << 1 | buffer;
    }

    /// Which member it is.
    public static long sequence(long head) {
        return head >>> SEQUENCE_SHIFT;
    }

    /// Whose buffer it is in.
    public static int slot(long head) {
        return (int) (head >>> 1) & CommitTimestamp.MAX_SLOTS - 1;
    }

    /// Which of the two.
    public static int buffer(long head) {
        return (int) head & 1;
    }
}

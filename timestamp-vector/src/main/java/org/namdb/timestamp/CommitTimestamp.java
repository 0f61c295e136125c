package org.namdb.timestamp;

/// The commit timestamp `<slot, t>` of a transaction, as one word: the upper bits of the header of
/// every version that the transaction writes.
/// ```
///  63      50 49                                3  2   0
/// |   slot   |            timestamp t            |  0  |
/// ```
/// The slot is that of the transaction execution thread, t its counter. The low three bits belong
/// to the record header: they are 0 in a commit timestamp, and ignored when one is read. t starts
/// at 1; `<slot, 0>` is before every commit.
///
/// The upper half of the 47 bits' values is no timestamp: record headers mark entries under claim
/// with it. What is left lasts 2.2 years at a million commits a second in one slot. Source: NAM-DB,
/// section 4.1; the widths are this project's.
public final class CommitTimestamp {
    /// How many slots a commit timestamp can distinguish.
    public static final int MAX_SLOTS = 1 << 14;

    /// The last timestamp of a slot.
    public static final long MAX_TIMESTAMP = (1L << 46) - 1;

    private static final int SLOT_SHIFT = 50;
    private static final int SLOT_BITS = 64 - SLOT_SHIFT;
    private static final int TIMESTAMP_SHIFT = 3;

    private CommitTimestamp() {}

    /// The word of the commit timestamp `<slot, timestamp>`.
    public static long of(int slot, long timestamp) {
        assert slot >= 0 && slot < MAX_SLOTS : "slot " + slot;
        assert timestamp >= 0 && timestamp <= MAX_TIMESTAMP : "timestamp " + timestamp;
        return (long) slot << SLOT_SHIFT | timestamp << TIMESTAMP_SHIFT;
    }

    /// The slot, whatever the low three bits are.
    public static int slot(long word) {
        return (int) (word >>> SLOT_SHIFT);
    }

    /// The timestamp, whatever the low three bits are.
    public static long timestamp(long word) {
        return word << SLOT_BITS >>> SLOT_BITS + TIMESTAMP_SHIFT;
    }

    /// The commit timestamp in words that a person can read, as in `3@57`.
    public static String describe(long word) {
        return slot(word) + "@" + timestamp(word);
    }
}

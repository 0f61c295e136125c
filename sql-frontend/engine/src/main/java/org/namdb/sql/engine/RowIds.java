package org.namdb.sql.engine;

/// Makes the hidden row ids of a session: its slot in the timestamp vector, and behind it a count
/// that starts at the microsecond at which the session was opened. No other session has the slot at
/// that time, and the next one that gets it starts later than this one has counted, as a row takes
/// longer than a microsecond.
/// ```
///  63  62      49 48                                         0
/// | 0 |   slot   |   microseconds since 2024, and a count     |
/// ```
final class RowIds {
    private static final int COUNT_BITS = 49;
    private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

    /// 2024-01-01 in seconds.
    private static final long START_SECONDS = 1_704_067_200;

    private static final long MICROS_PER_SECOND = 1_000_000;

    private final long slot;
    private long count;

    /// @param slot the session's slot
    /// @param epochMicros now, in microseconds since 1970
    RowIds(int slot, long epochMicros) {
        this.slot = (long) slot << COUNT_BITS;
        this.count = epochMicros - START_SECONDS * MICROS_PER_SECOND;
    }

    long next() {
        return slot | count++ & COUNT_MASK;
    }
}

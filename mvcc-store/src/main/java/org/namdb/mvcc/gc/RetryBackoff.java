package org.namdb.mvcc.gc;

/// A collector's back-off: what it skips for some passes, since it could not be locked; the first
/// time for a few, and then for more and more, up to a limit. Belongs to one thread.
final class RetryBackoff {
    private static final long FIRST = 8;
    private static final long LONGEST = 1 << 12;

    private long passes;

    /// From which pass on each is tried again.
    private final long[] until;

    /// For how many passes each was skipped last.
    private final long[] lengths;

    /// @param count of what may have to be skipped, by number
    RetryBackoff(int count) {
        until = new long[count];
        lengths = new long[count];
    }

    void startPass() {
        passes++;
    }

    boolean isResting(int what) {
        return until[what] > passes;
    }

    /// It could not be locked.
    void rest(int what) {
        if (!isResting(what)) {
            lengths[what] = Math.min(Math.max(FIRST, 2 * lengths[what]), LONGEST);
            until[what] = passes + lengths[what];
        }
    }

    /// It could be locked.
    void reset(int what) {
        lengths[what] = 0;
    }
}

package org.namdb.compute;

/// How often and when a transaction that lost a conflict is tried again: after a pause that doubles
/// from try to try, of which a random part is waited.
///
/// @param attempts the most attempts
/// @param firstPauseNanos the longest first pause
/// @param longestPauseNanos the longest pause
public record RetryPolicy(int attempts, long firstPauseNanos, long longestPauseNanos) {
    /// 1,000 attempts, pauses up to 1 microsecond first and 1 millisecond later.
    public static final RetryPolicy DEFAULT = new RetryPolicy(1000, 1_000, 1_000_000);

    /// One attempt.
    public static final RetryPolicy NONE = new RetryPolicy(1, 0, 0);

    public RetryPolicy {
        if (attempts < 1 || firstPauseNanos < 0 || longestPauseNanos < firstPauseNanos) {
            throw new IllegalArgumentException(
                    "a retry policy needs at least one attempt and rising pauses");
        }
    }

    /// How long to wait after failed attempt `attempt`, counted from 1.
    ///
    /// @param random a random number
    long pauseNanos(int attempt, long random) {
        int doublings = Math.min(attempt - 1, 30);
        long longest = Math.min(firstPauseNanos << doublings, longestPauseNanos);
        return longest == 0 ? 0 : (random >>> 1) % (longest + 1);
    }
}

package org.namdb.compute;

/// How often and when a transaction is retried after a conflict: after a pause that doubles from
/// try to try, of which a random part is waited.
///
/// @param attempts the maximum of attempts
/// @param firstPauseNanos the longest first pause
/// @param longestPauseNanos the longest pause
/// @param attemptTimes 0, or: the first pause is as long as the failed attempt has taken, at least,
///     and the longest so many times that, but neither is longer than 100 milliseconds
/// @param outlastsTheDead whether more attempts follow as long as the first one is not as long ago
///     as the wait for another one's latch may take: the lock holder may have died, and is
///     recovered when its lease is over, however many attempts that takes
public record RetryPolicy(
        int attempts,
        long firstPauseNanos,
        long longestPauseNanos,
        int attemptTimes,
        boolean outlastsTheDead) {
    /// 1,000 attempts, pauses up to 1 microsecond first and 1 millisecond later.
    public static final RetryPolicy DEFAULT = new RetryPolicy(1000, 1_000, 1_000_000);

    /// For databases behind a network, where an attempt may take a hundred times longer than in
    /// shared memory: if sixty sessions retry one record without a pause, they only get conflicts.
    /// Retries last longer than it takes to recover a dead lock holder.
    public static final RetryPolicy NETWORK = new RetryPolicy(1000, 1_000, 1_000_000, 16, true);

    /// One attempt.
    public static final RetryPolicy NONE = new RetryPolicy(1, 0, 0);

    private static final int MAX_DOUBLINGS = 30;

    /// An attempt may have waited, for example for a dead process's latch until that was recovered.
    /// Such a time is no measure of contention, and 16 times the lease is too long a pause.
    private static final long MAX_MEASURED_NANOS = 100_000_000;

    public RetryPolicy {
        if (attempts < 1
                || firstPauseNanos < 0
                || longestPauseNanos < firstPauseNanos
                || attemptTimes < 0) {
            throw new IllegalArgumentException(
                    "a retry policy needs at least one attempt and rising pauses");
        }
    }

    /// Pauses that don't depend on how long attempts take.
    public RetryPolicy(int attempts, long firstPauseNanos, long longestPauseNanos) {
        this(attempts, firstPauseNanos, longestPauseNanos, 0, false);
    }

    /// Whether it needs the attempts' times.
    boolean measuresAttempts() {
        return attemptTimes > 0;
    }

    /// How long to wait after failed attempt `attempt`, counted from 1.
    ///
    /// @param attemptNanos how long that attempt took; 0 if it was not measured
    /// @param random a random number
    long pauseNanos(int attempt, long attemptNanos, long random) {
        long first = firstPauseNanos;
        long most = longestPauseNanos;
        if (measuresAttempts()) {
            long measured = Math.min(attemptNanos, MAX_MEASURED_NANOS);
            first = Math.max(first, measured);
            most = Math.max(most, Math.min(attemptTimes * measured, MAX_MEASURED_NANOS));
        }
        int doublings = Math.min(attempt - 1, MAX_DOUBLINGS);
        long longest = first > most >>> doublings ? most : first << doublings;
        return longest == 0 ? 0 : (random >>> 1) % (longest + 1);
    }
}

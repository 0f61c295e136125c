package org.namdb.workload.statistics;

/// The part of a run that counts, on the clock of [System#nanoTime].
///
/// @param startNanos the end of the warm-up
/// @param lengthNanos how long is measured
public record MeasuredWindow(long startNanos, long lengthNanos) {
    /// A length that no run reaches.
    public static final long UNLIMITED_NANOS = Long.MAX_VALUE;

    /// Whether a transaction that ended then counts.
    public boolean contains(long nanos) {
        long sinceStart = nanos - startNanos; // may be negative, and the clock may wrap
        return sinceStart >= 0 && sinceStart < lengthNanos;
    }

    /// Whether the window is over.
    public boolean isPast(long nanos) {
        return nanos - startNanos >= lengthNanos;
    }
}

package org.namdb.workload.statistics;

import org.HdrHistogram.Histogram;

/// How long transactions took, to three digits, from 64 nanoseconds to an hour.
public final class LatencyHistogram {
    private static final long MIN_NANOS = 64;
    private static final long MAX_NANOS = 3_600_000_000_000L;
    private static final int DIGITS = 3;
    private static final double NANOS_PER_MICRO = 1e3;

    private final Histogram histogram = new Histogram(MIN_NANOS, MAX_NANOS, DIGITS);

    /// Counts one. What is longer than an hour counts as an hour.
    public void record(long nanos) {
        histogram.recordValue(Math.clamp(nanos, 0, MAX_NANOS));
    }

    /// Counts all that another one has.
    public void add(LatencyHistogram other) {
        histogram.add(other.histogram);
    }

    public long count() {
        return histogram.getTotalCount();
    }

    /// What so many of a hundred did not exceed; 0 if there is none.
    public double percentileMicros(double percentile) {
        return histogram.getTotalCount() == 0
                ? 0
                : histogram.getValueAtPercentile(percentile) / NANOS_PER_MICRO;
    }

    public double meanMicros() {
        return histogram.getTotalCount() == 0 ? 0 : histogram.getMean() / NANOS_PER_MICRO;
    }

    public double maxMicros() {
        return histogram.getTotalCount() == 0 ? 0 : histogram.getMaxValue() / NANOS_PER_MICRO;
    }
}

package org.namdb.workload.driver;

/// A target rate: transactions are to begin at equal distances, whether or not the one before has
/// ended. When the thread falls behind, the intended starts stay where they were, so that the wait
/// shows in the latency.
public final class AtRate implements Pacing {
    private static final double NANOS_PER_SECOND = 1e9;

    private final long firstNanos;
    private final double gapNanos;
    private long begun = -1;

    /// One thread's share of a rate.
    ///
    /// @param firstNanos the first intended start of thread 0; the threads take turns from there on
    /// @param tps the rate of all threads together
    public AtRate(long firstNanos, double tps, int thread, int threads) {
        this.gapNanos = NANOS_PER_SECOND * threads / tps;
        this.firstNanos = firstNanos + Math.round(NANOS_PER_SECOND * thread / tps);
    }

    @Override
    public void next(long nowNanos) {
        begun++;
    }

    @Override
    public long intendedStartNanos() {
        return firstNanos + Math.round(gapNanos * begun);
    }

    @Override
    public void finished(long nowNanos) {}
}

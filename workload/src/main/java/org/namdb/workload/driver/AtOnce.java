package org.namdb.workload.driver;

/// No waiting: each transaction begins as soon as the one before it has ended.
public final class AtOnce implements Pacing {
    private long startNanos;

    @Override
    public void next(long nowNanos) {
        startNanos = nowNanos;
    }

    @Override
    public long intendedStartNanos() {
        return startNanos;
    }

    @Override
    public void finished(long nowNanos) {}
}

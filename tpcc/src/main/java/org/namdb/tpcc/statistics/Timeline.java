package org.namdb.tpcc.statistics;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.namdb.tpcc.TransactionType;

/// How a run went, looked at from outside once a second. Belongs to the thread that looks.
public final class Timeline {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;

    private final List<LiveCounters> threads;
    private final long runStartNanos;
    private final MeasuredWindow window;
    private final List<TimelinePoint> points = new ArrayList<>();
    private final Histogram latencies = LiveCounters.newHistogram();
    private final Histogram reused = LiveCounters.newHistogram();
    private List<Long> totals = totalCounts(List.of());
    private long totalAborts;
    private long lookedNanos;

    public Timeline(List<LiveCounters> threads, long runStartNanos, MeasuredWindow window) {
        this.threads = List.copyOf(threads);
        this.runStartNanos = runStartNanos;
        this.window = window;
        this.lookedNanos = runStartNanos;
    }

    /// Adds a point for the time since the last look.
    ///
    /// @param oldVersionBytes the old versions that are kept now
    public TimelinePoint look(long nowNanos, long oldVersionBytes) {
        List<Long> totalsNow = totalCounts(threads);
        long abortsNow = threads.stream().mapToLong(LiveCounters::aborts).sum();
        TimelinePoint point =
                new TimelinePoint(
                        (nowNanos - runStartNanos) / NANOS_PER_SECOND,
                        Math.max(1, nowNanos - lookedNanos) / NANOS_PER_SECOND,
                        nowNanos - window.startNanos() < (nowNanos - lookedNanos) / 2,
                        differences(totalsNow),
                        abortsNow - totalAborts,
                        takeP99Micros(),
                        oldVersionBytes);
        totals = totalsNow;
        totalAborts = abortsNow;
        lookedNanos = nowNanos;
        points.add(point);
        return point;
    }

    /// All points so far, in their order.
    public List<TimelinePoint> points() {
        return List.copyOf(points);
    }

    /// Transactions of a type that reached their result since the run began, as of the last look.
    public long completed(TransactionType type) {
        return totals.get(type.index());
    }

    /// Transactions that have reached their result by now.
    public long completedNow() {
        return totalCounts(threads).stream().mapToLong(Long::longValue).sum();
    }

    private static List<Long> totalCounts(List<LiveCounters> threads) {
        List<Long> counts = new ArrayList<>();
        for (TransactionType type : TransactionType.all()) {
            counts.add(threads.stream().mapToLong(thread -> thread.completed(type)).sum());
        }
        return counts;
    }

    private List<Long> differences(List<Long> totalsNow) {
        List<Long> counts = new ArrayList<>();
        for (int type = 0; type < TransactionType.COUNT; type++) {
            counts.add(totalsNow.get(type) - totals.get(type));
        }
        return counts;
    }

    private double takeP99Micros() {
        latencies.reset();
        for (LiveCounters thread : threads) {
            latencies.add(thread.takeLatencies(reused));
        }
        return latencies.getTotalCount() == 0
                ? 0
                : latencies.getValueAtPercentile(99) / NANOS_PER_MICRO;
    }
}

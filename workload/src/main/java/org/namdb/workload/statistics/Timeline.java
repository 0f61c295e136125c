package org.namdb.workload.statistics;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.namdb.workload.TransactionKind;

/// The course of a run, sampled from outside once a second. Belongs to the sampling thread.
public final class Timeline {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;

    private final List<? extends TransactionKind> kinds;
    private final List<LiveCounters> threads;
    private final long runStartNanos;
    private final MeasuredWindow window;
    private final List<TimelinePoint> points = new ArrayList<>();
    private final Histogram latencies = LiveCounters.newHistogram();
    private final Histogram reused = LiveCounters.newHistogram();
    private List<Long> totals;
    private long totalAborts;
    private long sampledNanos;

    public Timeline(
            List<? extends TransactionKind> kinds,
            List<LiveCounters> threads,
            long runStartNanos,
            MeasuredWindow window) {
        this.kinds = kinds;
        this.threads = List.copyOf(threads);
        this.totals = Collections.nCopies(kinds.size(), 0L);
        this.runStartNanos = runStartNanos;
        this.window = window;
        this.sampledNanos = runStartNanos;
    }

    /// Adds a point for the time since the last sample.
    ///
    /// @param oldVersionBytes the old versions that are kept now
    public TimelinePoint sample(long nowNanos, long oldVersionBytes) {
        List<Long> totalsNow = totalCounts();
        long abortsNow = threads.stream().mapToLong(LiveCounters::aborts).sum();
        TimelinePoint point =
                new TimelinePoint(
                        (nowNanos - runStartNanos) / NANOS_PER_SECOND,
                        Math.max(1, nowNanos - sampledNanos) / NANOS_PER_SECOND,
                        nowNanos - window.startNanos() < (nowNanos - sampledNanos) / 2,
                        differences(totalsNow),
                        abortsNow - totalAborts,
                        takeP99Micros(),
                        oldVersionBytes);
        totals = totalsNow;
        totalAborts = abortsNow;
        sampledNanos = nowNanos;
        points.add(point);
        return point;
    }

    /// All points so far, in their order.
    public List<TimelinePoint> points() {
        return List.copyOf(points);
    }

    /// Transactions that reached their result since the run began, as of the last sample, one
    /// number for each kind.
    public List<Long> completed() {
        return List.copyOf(totals);
    }

    /// Transactions that have reached their result by now.
    public long completedNow() {
        return totalCounts().stream().mapToLong(Long::longValue).sum();
    }

    private List<Long> totalCounts() {
        List<Long> counts = new ArrayList<>();
        for (TransactionKind kind : kinds) {
            counts.add(threads.stream().mapToLong(thread -> thread.completed(kind)).sum());
        }
        return counts;
    }

    private List<Long> differences(List<Long> totalsNow) {
        List<Long> counts = new ArrayList<>();
        for (int kind = 0; kind < kinds.size(); kind++) {
            counts.add(totalsNow.get(kind) - totals.get(kind));
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

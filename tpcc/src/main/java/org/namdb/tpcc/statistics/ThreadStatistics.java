package org.namdb.tpcc.statistics;

import java.util.ArrayList;
import java.util.List;
import org.namdb.tpcc.TransactionType;

/// One thread's counts. The thread says when each transaction begins and ends; what ends in the
/// measured window counts.
public final class ThreadStatistics {
    /// A transaction that begins so much after its intended start began late.
    public static final long LATE_NANOS = 1_000_000;

    private final MeasuredWindow window;
    private final List<TypeStatistics> types;
    private final LiveCounters live = new LiveCounters();
    private long intendedStartNanos;
    private long startNanos;
    private long lateStarts;
    private long ordersDelivered;
    private long districtsSkipped;

    public ThreadStatistics(MeasuredWindow window) {
        this.window = window;
        List<TypeStatistics> all = new ArrayList<>();
        TransactionType.all().forEach(type -> all.add(new TypeStatistics()));
        types = List.copyOf(all);
    }

    /// A transaction begins.
    ///
    /// @param intendedStartNanos from when its latency counts; at or before `startNanos`
    /// @param startNanos now
    public void began(long intendedStartNanos, long startNanos) {
        this.intendedStartNanos = intendedStartNanos;
        this.startNanos = startNanos;
    }

    /// It reached its result.
    ///
    /// @param rolledBack whether the result is the rollback that its input asked for
    /// @param endNanos now
    public void completed(
            TransactionType type, boolean rolledBack, long endNanos, TransactionCost cost) {
        long latencyNanos = endNanos - intendedStartNanos;
        live.completed(type, latencyNanos, cost.aborts().sum());
        if (window.contains(endNanos)) {
            types.get(type.index()).completed(rolledBack, latencyNanos, cost);
            lateStarts += startNanos - intendedStartNanos > LATE_NANOS ? 1 : 0;
        }
    }

    /// It was given up after its last attempt.
    ///
    /// @param endNanos now
    public void gaveUp(TransactionType type, long endNanos, TransactionCost cost) {
        live.gaveUp(cost.aborts().sum());
        if (window.contains(endNanos)) {
            types.get(type.index()).gaveUp(cost);
        }
    }

    /// A Delivery has delivered so many orders and found so many districts without one.
    public void delivered(int orders, int skippedDistricts, long endNanos) {
        if (window.contains(endNanos)) {
            ordersDelivered += orders;
            districtsSkipped += skippedDistricts;
        }
    }

    /// What another thread may see while this one runs.
    public LiveCounters live() {
        return live;
    }

    TypeStatistics type(TransactionType type) {
        return types.get(type.index());
    }

    long lateStarts() {
        return lateStarts;
    }

    long ordersDelivered() {
        return ordersDelivered;
    }

    long districtsSkipped() {
        return districtsSkipped;
    }
}

package org.namdb.workload.statistics;

import java.util.ArrayList;
import java.util.List;
import org.namdb.workload.TransactionKind;

/// One thread's counts. The thread reports when each transaction begins and ends; what ends in the
/// measured window counts.
public final class ThreadStatistics {
    /// A transaction that begins so much after its intended start began late.
    public static final long LATE_NANOS = 1_000_000;

    private final MeasuredWindow window;
    private final List<TypeStatistics> types;
    private final LiveCounters live;
    private long intendedStartNanos;
    private long startNanos;
    private long lateStarts;

    /// Counts of so many kinds of transactions.
    public ThreadStatistics(MeasuredWindow window, int kinds) {
        this.window = window;
        this.live = new LiveCounters(kinds);
        List<TypeStatistics> all = new ArrayList<>();
        for (int kind = 0; kind < kinds; kind++) {
            all.add(new TypeStatistics());
        }
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
    /// @param rolledBack whether the result is the rollback that its input requested
    /// @param endNanos now
    public void completed(
            TransactionKind kind, boolean rolledBack, long endNanos, TransactionCost cost) {
        long latencyNanos = endNanos - intendedStartNanos;
        live.completed(kind, latencyNanos, cost.aborts().sum());
        if (window.contains(endNanos)) {
            types.get(kind.index()).completed(rolledBack, latencyNanos, cost);
            lateStarts += startNanos - intendedStartNanos > LATE_NANOS ? 1 : 0;
        }
    }

    /// It was given up after its last attempt.
    ///
    /// @param endNanos now
    public void gaveUp(TransactionKind kind, long endNanos, TransactionCost cost) {
        live.gaveUp(cost.aborts().sum());
        if (window.contains(endNanos)) {
            types.get(kind.index()).gaveUp(cost);
        }
    }

    /// What another thread may see while this one runs.
    public LiveCounters live() {
        return live;
    }

    TypeStatistics type(int kind) {
        return types.get(kind);
    }

    long lateStarts() {
        return lateStarts;
    }
}

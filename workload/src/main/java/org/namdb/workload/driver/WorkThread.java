package org.namdb.workload.driver;

import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.history.HistoryRecorder;
import org.namdb.fabric.Host;
import org.namdb.workload.statistics.CostSource;
import org.namdb.workload.statistics.MeasuredWindow;
import org.namdb.workload.statistics.RunEnd;
import org.namdb.workload.statistics.ThreadStatistics;
import org.namdb.workload.statistics.TransactionCost;

/// One thread that runs its work, with a session of its own. The loop allocates nothing.
final class WorkThread implements Runnable {
    private static final long SPIN_NANOS = 100_000;
    private static final long MAX_PARK_NANOS = 20_000_000;

    private final Host host;
    private final Session session;
    private final Work work;
    private final CostSource costs;
    private final Pacing pacing;
    private final MeasuredWindow window;
    private final StopSignal stop;
    private final ThreadStatistics statistics;
    private final TransactionCost cost = new TransactionCost();
    private final HeapMeter heap;
    private final long startNanos;
    private long left;
    private long counted;

    /// A thread that ends with the window, after so many transactions, or at the signal.
    ///
    /// @param kinds how many kinds of transactions there are
    /// @param startNanos when it begins
    WorkThread(
            Host host,
            Session session,
            Work work,
            int kinds,
            MeasuredWindow window,
            StopSignal stop,
            long startNanos,
            long transactions,
            HeapMeter heap) {
        this.heap = heap;
        this.host = host;
        this.session = session;
        this.work = work;
        this.costs = work.costs(session);
        this.pacing = work.pacing();
        this.window = window;
        this.stop = stop;
        this.statistics = new ThreadStatistics(window, kinds);
        this.startNanos = startNanos;
        this.left = transactions;
    }

    /// Has its transactions recorded.
    void recordedBy(HistoryRecorder recorder) {
        recorder.record(session);
    }

    /// What it counts.
    ThreadStatistics statistics() {
        return statistics;
    }

    /// How many transactions ended while it was measured; to be called when it has ended.
    long counted() {
        return counted;
    }

    @Override
    public void run() {
        try (session;
                work) {
            long now = awaitTime(startNanos);
            while (left > 0 && !window.isPast(now) && !stop.isGiven()) {
                if (window.contains(now)) {
                    heap.start();
                }
                now = runNext(now);
            }
        } catch (RuntimeException | Error e) {
            stop.fail(e);
        }
    }

    /// @return the time after it
    private long runNext(long nowNanos) {
        pacing.next(nowNanos);
        work.next();
        long dueNanos = pacing.intendedStartNanos();
        long now = dueNanos - nowNanos > 0 ? awaitTime(dueNanos) : nowNanos;
        if (dueNanos - now > 0) {
            return now; // the run ends first
        }
        boolean deferred = work.isDeferred();
        if (deferred) {
            pacing.finished(now);
        }
        statistics.began(dueNanos, now);
        long end = run(dueNanos);
        if (!deferred) {
            pacing.finished(end);
        }
        left--;
        counted += window.contains(end) ? 1 : 0;
        return end;
    }

    private long run(long dueNanos) {
        cost.start(costs);
        try {
            boolean rolledBack = work.run();
            long end = host.nanoTime();
            cost.stop(costs);
            statistics.completed(work.kind(), rolledBack, end, cost);
            work.completed(dueNanos, end);
            return end;
        } catch (TransactionException e) {
            long end = host.nanoTime();
            cost.stop(costs);
            statistics.gaveUp(work.kind(), end, cost);
            if (e.outcome() instanceof CommitOutcome.MemoryFull) {
                stop.give(RunEnd.MEMORY_FULL);
            }
            return end;
        }
    }

    /// Sleeps until shortly before a time and then spins, as a sleep ends late. One of many lets
    /// the others go ahead meanwhile.
    ///
    /// @return the time after it: before the requested one only if the run ends first
    private long awaitTime(long nanos) {
        long now = host.nanoTime();
        while (nanos - now > 0 && !window.isPast(now) && !stop.isGiven()) {
            long ahead = nanos - now - SPIN_NANOS;
            if (ahead > 0) {
                host.sleep(Math.min(ahead, MAX_PARK_NANOS));
            } else if (Thread.currentThread().isVirtual()) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
            now = host.nanoTime();
        }
        return now;
    }
}

package org.namdb.tpcc.driver;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.history.HistoryRecorder;
import org.namdb.fabric.Host;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.procedure.DeliveryResult;
import org.namdb.tpcc.statistics.DeliveryLog;
import org.namdb.tpcc.statistics.MeasuredWindow;
import org.namdb.tpcc.statistics.RunEnd;
import org.namdb.tpcc.statistics.ThreadStatistics;
import org.namdb.tpcc.statistics.TransactionCost;

/// One thread that plays the part of its terminals, with a session of its own. The loop allocates
/// nothing.
final class TerminalThread implements Runnable {
    private static final long SPIN_NANOS = 100_000;
    private static final long LONGEST_PARK_NANOS = 20_000_000;

    private final Host host;
    private final Session session;
    private final TerminalWork work;
    private final Pacing pacing;
    private final MeasuredWindow window;
    private final StopSignal stop;
    private final ThreadStatistics statistics;
    private final @Nullable DeliveryLog deliveries;
    private final TransactionCost cost = new TransactionCost();
    private final long[] orders = new long[Scale.DISTRICTS];
    private final HeapMeter heap;
    private final long startNanos;
    private long left;
    private long counted;

    /// A thread that ends with the window, after so many transactions, or at the signal.
    ///
    /// @param deliveries where deliveries are written down, or null
    /// @param startNanos when it begins
    TerminalThread(
            Host host,
            Session session,
            TerminalWork work,
            Pacing pacing,
            MeasuredWindow window,
            StopSignal stop,
            @Nullable DeliveryLog deliveries,
            long startNanos,
            long transactions,
            HeapMeter heap) {
        this.heap = heap;
        this.host = host;
        this.session = session;
        this.work = work;
        this.pacing = pacing;
        this.window = window;
        this.stop = stop;
        this.statistics = new ThreadStatistics(window);
        this.deliveries = deliveries;
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

    /// How many transactions ended while it was measured; to be asked when it has ended.
    long counted() {
        return counted;
    }

    @Override
    public void run() {
        try (session) {
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
        long dueNanos = pacing.intendedStartNanos();
        long now = dueNanos - nowNanos > 0 ? awaitTime(dueNanos) : nowNanos;
        if (dueNanos - now > 0) {
            return now; // the run ends first
        }
        Terminal terminal = pacing.terminal();
        TransactionType type = pacing.type();
        boolean deferred = type == TransactionType.DELIVERY;
        if (deferred) {
            pacing.finished(now);
        }
        statistics.began(dueNanos, now);
        long end = run(terminal, type, dueNanos);
        if (!deferred) {
            pacing.finished(end);
        }
        left--;
        counted += window.contains(end) ? 1 : 0;
        return end;
    }

    private long run(Terminal terminal, TransactionType type, long dueNanos) {
        cost.start(session);
        try {
            boolean rolledBack = work.run(type, terminal);
            long end = host.nanoTime();
            cost.stop(session);
            statistics.completed(type, rolledBack, end, cost);
            if (type == TransactionType.DELIVERY) {
                delivered(terminal, dueNanos, end);
            }
            return end;
        } catch (TransactionException e) {
            long end = host.nanoTime();
            cost.stop(session);
            statistics.gaveUp(type, end, cost);
            if (e.outcome() instanceof CommitOutcome.MemoryFull) {
                stop.give(RunEnd.MEMORY_FULL);
            }
            return end;
        }
    }

    private void delivered(Terminal terminal, long queuedNanos, long endNanos) {
        DeliveryResult result = work.delivered();
        statistics.delivered(result.delivered(), result.skipped(), endNanos);
        if (deliveries != null) {
            result.copyOrders(orders);
            deliveries.add(queuedNanos, endNanos, terminal.warehouse(), work.carrier(), orders);
        }
    }

    /// Sleeps until shortly before a time and then spins, as a sleep ends late. One of many lets
    /// the others go ahead meanwhile.
    ///
    /// @return the time after it: before the one that was asked for only if the run ends first
    private long awaitTime(long nanos) {
        long now = host.nanoTime();
        while (nanos - now > 0 && !window.isPast(now) && !stop.isGiven()) {
            long ahead = nanos - now - SPIN_NANOS;
            if (ahead > 0) {
                host.sleep(Math.min(ahead, LONGEST_PARK_NANOS));
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

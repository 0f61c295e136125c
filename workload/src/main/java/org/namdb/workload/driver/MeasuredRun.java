package org.namdb.workload.driver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.history.HistoryRecorder;
import org.namdb.fabric.Host;
import org.namdb.workload.Benchmark;
import org.namdb.workload.RunOptions;
import org.namdb.workload.statistics.MeasuredWindow;
import org.namdb.workload.statistics.RunEnd;
import org.namdb.workload.statistics.RunStatistics;
import org.namdb.workload.statistics.ThreadStatistics;
import org.namdb.workload.statistics.Timeline;

/// Warm-up and measured window on a loaded database: a thread for each of `--threads`, and the
/// caller's, which samples them.
public final class MeasuredRun {
    private static final long START_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final double NANOS_PER_SECOND = 1e9;

    private final NamDb db;
    private final Host host;
    private final Benchmark benchmark;
    private final RunOptions options;
    private final StopSignal stop;
    private final RunObserver observer;
    private final long startNanos;
    private final MeasuredWindow window;
    private final List<WorkThread> workers = new ArrayList<>();
    private final HeapMeter heap = new HeapMeter();
    private final Timeline timeline;

    /// A run that begins in a moment.
    ///
    /// @throws org.namdb.timestamp.SlotsExhaustedException if there are fewer slots than threads
    public MeasuredRun(
            NamDb db,
            Benchmark benchmark,
            RunOptions options,
            Work.Factory work,
            StopSignal stop,
            RunObserver observer) {
        this.db = db;
        this.host = db.options().host();
        this.benchmark = benchmark;
        this.options = options;
        this.stop = stop;
        this.observer = observer;
        List<Session> sessions = sessions();
        // A moment ahead, so that all threads begin together.
        startNanos = host.nanoTime() + START_NANOS;
        window =
                new MeasuredWindow(
                        startNanos + options.warmup().toNanos(),
                        options.transactions().isPresent()
                                ? MeasuredWindow.UNLIMITED_NANOS
                                : options.duration().toNanos());
        for (int thread = 0; thread < options.threads(); thread++) {
            workers.add(worker(thread, sessions.get(thread), work));
        }
        timeline =
                new Timeline(
                        benchmark.kinds(),
                        workers.stream().map(thread -> thread.statistics().live()).toList(),
                        startNanos,
                        window);
    }

    private List<Session> sessions() {
        List<Session> sessions = new ArrayList<>();
        try {
            while (sessions.size() < options.threads()) {
                sessions.add(db.session());
            }
            return sessions;
        } catch (RuntimeException e) {
            sessions.forEach(Session::close);
            throw e;
        }
    }

    /// Has all transactions recorded; before they run.
    public MeasuredRun recordedBy(HistoryRecorder recorder) {
        workers.forEach(worker -> worker.recordedBy(recorder));
        return this;
    }

    /// Runs to the end: of the duration, of the transactions, or at the signal.
    ///
    /// @throws RuntimeException what a thread failed with, other than a transaction that had to be
    ///     given up
    public RunMeasurement run() {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < workers.size(); i++) {
            threads.add(start("worker-" + i, workers.get(i)));
        }
        sample(threads);
        long endNanos = host.nanoTime();
        stop.throwFailure();
        return measurement(endNanos);
    }

    private Thread start(String name, Runnable work) {
        boolean isCrowded = workers.size() > Runtime.getRuntime().availableProcessors();
        return isCrowded ? host.startOneOfMany(name, work) : host.start(name, work);
    }

    private WorkThread worker(int thread, Session session, Work.Factory work) {
        return new WorkThread(
                host,
                session,
                work.of(thread, session, window, startNanos),
                benchmark.kinds().size(),
                window,
                stop,
                startNanos,
                transactions(thread),
                heap);
    }

    /// A thread's share of `--transactions`.
    private long transactions(int thread) {
        if (options.transactions().isEmpty()) {
            return Long.MAX_VALUE;
        }
        long all = options.transactions().getAsLong();
        return all / options.threads() + (thread < all % options.threads() ? 1 : 0);
    }

    /// Samples the threads once a second, until all have ended, and a last time then.
    private void sample(List<Thread> threads) {
        long nextNanos = startNanos + SAMPLE_NANOS;
        long now = host.nanoTime();
        boolean interrupted = false;
        for (Thread thread = running(threads); thread != null; thread = running(threads)) {
            try {
                thread.join(Duration.ofNanos(Math.clamp(nextNanos - now, 1, STEP_NANOS)));
            } catch (InterruptedException e) {
                interrupted = true;
                stop.give(RunEnd.INTERRUPTED);
            }
            now = host.nanoTime();
            observer.progress(done(now), now);
            if (now - nextNanos >= 0 && !endsSoon(now)) {
                observer.second(timeline.sample(now, db.oldVersionBytes()));
                nextNanos += (1 + (now - nextNanos) / SAMPLE_NANOS) * SAMPLE_NANOS;
            }
        }
        observer.second(timeline.sample(host.nanoTime(), db.oldVersionBytes()));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static @Nullable Thread running(List<Thread> threads) {
        return threads.stream().filter(Thread::isAlive).findFirst().orElse(null);
    }

    /// Whether the remaining run belongs to the last sample.
    private boolean endsSoon(long nowNanos) {
        return window.isPast(nowNanos + SAMPLE_NANOS / 2);
    }

    private double done(long nowNanos) {
        if (options.transactions().isPresent()) {
            return (double) timeline.completedNow() / options.transactions().getAsLong();
        }
        return (double) (nowNanos - startNanos)
                / options.warmup().plus(options.duration()).toNanos();
    }

    private RunMeasurement measurement(long endNanos) {
        RunEnd end = stop.reason();
        if (end == null) {
            end = options.transactions().isPresent() ? RunEnd.TRANSACTIONS : RunEnd.DURATION;
        }
        long lengthNanos = Math.clamp(endNanos - window.startNanos(), 0, window.lengthNanos());
        List<ThreadStatistics> statistics = workers.stream().map(WorkThread::statistics).toList();
        return new RunMeasurement(
                end,
                RunStatistics.merge(
                        lengthNanos / NANOS_PER_SECOND,
                        benchmark.kinds().size(),
                        statistics,
                        timeline.points()),
                timeline.completed(),
                allocatedBytesPerTransaction(),
                startNanos);
    }

    private double allocatedBytesPerTransaction() {
        long transactions = workers.stream().mapToLong(WorkThread::counted).sum();
        return transactions == 0 ? 0 : (double) heap.allocatedBytes() / transactions;
    }
}

package org.namdb.tpcc.driver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.history.HistoryRecorder;
import org.namdb.fabric.Host;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.input.Deck;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.tpcc.statistics.DeliveryLog;
import org.namdb.tpcc.statistics.MeasuredWindow;
import org.namdb.tpcc.statistics.RunEnd;
import org.namdb.tpcc.statistics.RunStatistics;
import org.namdb.tpcc.statistics.ThreadStatistics;
import org.namdb.tpcc.statistics.Timeline;

/// Warm-up and measured window on a loaded database: a thread for each of `--threads`, and the
/// caller's, which looks on.
public final class TerminalRun {
    private static final long START_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int STREAMS_PER_THREAD = 3;
    private static final int PROCESS_SHIFT = 24;

    private final NamDb db;
    private final Host host;
    private final TpccSchema schema;
    private final TpccOptions options;
    private final StopSignal stop;
    private final RunObserver observer;
    private final long startNanos;
    private final MeasuredWindow window;
    private final List<TerminalThread> terminals = new ArrayList<>();
    private final HeapMeter heap = new HeapMeter();
    private final List<DeliveryLog> deliveries = new ArrayList<>();
    private final Timeline timeline;

    /// A run that begins in a moment.
    ///
    /// @throws org.namdb.timestamp.SlotsExhaustedException if there are fewer slots than threads
    public TerminalRun(
            NamDb db,
            TpccSchema schema,
            TpccOptions options,
            StopSignal stop,
            RunObserver observer) {
        this.db = db;
        this.host = db.options().host();
        this.schema = schema;
        this.options = options;
        this.stop = stop;
        this.observer = observer;
        List<Session> sessions = sessions();
        ItemChooser items =
                ItemChooser.of(
                        options.itemSkew(),
                        options.scale().items(),
                        NuRandConstants.of(options.loadSeed()));
        // A moment ahead, so that all threads begin together.
        startNanos = host.nanoTime() + START_NANOS;
        window =
                new MeasuredWindow(
                        startNanos + options.warmup().toNanos(),
                        options.transactions().isPresent()
                                ? MeasuredWindow.UNLIMITED_NANOS
                                : options.duration().toNanos());
        for (int thread = 0; thread < options.threads(); thread++) {
            terminals.add(terminalThread(thread, sessions.get(thread), items));
        }
        timeline =
                new Timeline(
                        terminals.stream().map(thread -> thread.statistics().live()).toList(),
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
    public TerminalRun recordedBy(HistoryRecorder recorder) {
        terminals.forEach(terminal -> terminal.recordedBy(recorder));
        return this;
    }

    /// Runs to the end: of the duration, of the transactions, or at the signal.
    ///
    /// @throws RuntimeException what a thread failed with, other than a transaction that had to be
    ///     given up
    public RunMeasurement run() {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < terminals.size(); i++) {
            threads.add(start("tpcc-terminals-" + i, terminals.get(i)));
        }
        lookOn(threads);
        long endNanos = host.nanoTime();
        stop.throwFailure();
        return measurement(endNanos);
    }

    private Thread start(String name, Runnable work) {
        boolean isCrowded = terminals.size() > Runtime.getRuntime().availableProcessors();
        return isCrowded ? host.startOneOfMany(name, work) : host.start(name, work);
    }

    private TerminalThread terminalThread(int thread, Session session, ItemChooser items) {
        DeliveryLog log = new DeliveryLog();
        if (options.out() != null) {
            deliveries.add(log);
        }
        return new TerminalThread(
                host,
                session,
                new TerminalWork(session, schema, inputs(items, random(thread, 0))),
                pacing(thread),
                window,
                stop,
                options.out() == null ? null : log,
                startNanos,
                transactions(thread),
                heap);
    }

    private InputSource inputs(ItemChooser items, TpccRandom random) {
        return new InputSource(
                options.scale(),
                items,
                NuRandConstants.of(options.loadSeed()),
                options.distributionPercent(),
                random);
    }

    private Pacing pacing(int thread) {
        int threads = options.threads();
        List<Terminal> own = Terminal.ofThread(options.scale(), thread, threads);
        Deck deck = new Deck(options.mix(), random(thread, 1));
        if (options.thinkTimes()) {
            return new WithThinkTimes(own, deck, random(thread, 2), startNanos);
        }
        if (options.rateTps().isPresent()) {
            double tps = options.rateTps().getAsDouble();
            return new AtRate(own, deck, startNanos, tps, thread, threads);
        }
        return new AtOnce(own, deck);
    }

    /// Processes that use one database draw from streams of their own, whatever their seeds: the
    /// same ones would have them meet at every record.
    private TpccRandom random(int thread, int purpose) {
        long first = (long) db.process() << PROCESS_SHIFT;
        return TpccRandom.stream(
                options.seed(), first + (long) thread * STREAMS_PER_THREAD + purpose);
    }

    /// A thread's share of `--transactions`.
    private long transactions(int thread) {
        if (options.transactions().isEmpty()) {
            return Long.MAX_VALUE;
        }
        long all = options.transactions().getAsLong();
        return all / options.threads() + (thread < all % options.threads() ? 1 : 0);
    }

    /// Looks at the threads once a second, until all have ended, and a last time then.
    private void lookOn(List<Thread> threads) {
        long lookNanos = startNanos + LOOK_NANOS;
        long now = host.nanoTime();
        boolean interrupted = false;
        for (Thread thread = running(threads); thread != null; thread = running(threads)) {
            try {
                thread.join(Duration.ofNanos(Math.clamp(lookNanos - now, 1, STEP_NANOS)));
            } catch (InterruptedException e) {
                interrupted = true;
                stop.give(RunEnd.INTERRUPTED);
            }
            now = host.nanoTime();
            observer.progress(done(now), now);
            if (now - lookNanos >= 0 && !endsSoon(now)) {
                observer.second(timeline.look(now, db.oldVersionBytes()));
                lookNanos += (1 + (now - lookNanos) / LOOK_NANOS) * LOOK_NANOS;
            }
        }
        observer.second(timeline.look(host.nanoTime(), db.oldVersionBytes()));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static @Nullable Thread running(List<Thread> threads) {
        return threads.stream().filter(Thread::isAlive).findFirst().orElse(null);
    }

    /// Whether what is left of the run belongs to the look at its end.
    private boolean endsSoon(long nowNanos) {
        return window.isPast(nowNanos + LOOK_NANOS / 2);
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
        List<ThreadStatistics> statistics =
                terminals.stream().map(TerminalThread::statistics).toList();
        return new RunMeasurement(
                end,
                RunStatistics.merge(lengthNanos / NANOS_PER_SECOND, statistics, timeline.points()),
                timeline.completed(TransactionType.NEW_ORDER),
                allocatedBytesPerTransaction(),
                startNanos,
                deliveries);
    }

    private double allocatedBytesPerTransaction() {
        long transactions = terminals.stream().mapToLong(TerminalThread::counted).sum();
        return transactions == 0 ? 0 : (double) heap.allocatedBytes() / transactions;
    }
}

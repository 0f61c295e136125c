package org.namdb.workload.load;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.fabric.Host;
import org.namdb.memory.client.ServerUsage;
import org.namdb.workload.Benchmark;
import org.namdb.workload.RunOptions;
import org.namdb.workload.report.LoadFacts;
import org.namdb.workload.report.ProgressBar;
import org.namdb.workload.report.RunConsole;

/// The first part of a run: fills the tables, while a bar shows how far it is.
///
/// @param <S> the open tables
public final class LoadStage<S> {
    private static final Duration REDRAW = Duration.ofMillis(50);
    private static final double NANOS_PER_SECOND = 1e9;

    private final Benchmark benchmark;
    private final RunOptions options;
    private final Population<S> population;
    private final RunConsole console;
    private final RowProgress progress;

    public LoadStage(
            Benchmark benchmark, RunOptions options, Population<S> population, RunConsole console) {
        this.benchmark = benchmark;
        this.options = options;
        this.population = population;
        this.console = console;
        this.progress = population.progress();
    }

    /// Makes the load end early. For any thread.
    public void stop() {
        progress.stop();
    }

    /// Loads into a database that has nothing else, with no more threads than processors.
    ///
    /// @return null if it was stopped
    /// @throws org.namdb.compute.TransactionException if memory is full
    public @Nullable LoadFacts run(NamDb db, S tables) {
        return run(db, tables, 0, rows -> {});
    }

    /// The same concurrently with other tables.
    ///
    /// @param otherBytes what these take
    /// @param loaded gets many times a second how many rows there are
    @Nullable LoadFacts run(NamDb db, S tables, long otherBytes, LongConsumer loaded) {
        int threads = Math.min(options.threads(), Runtime.getRuntime().availableProcessors());
        Host host = db.options().host();
        long startNanos = host.nanoTime();
        FutureTask<Boolean> load =
                new FutureTask<>(() -> population.load(db, tables, threads, host.instant()));
        show(host, host.start("load", load), startNanos, loaded);
        throwFailure(load);
        if (!progress.isComplete()) {
            return null;
        }
        LoadFacts facts =
                new LoadFacts(
                        benchmark.unit(),
                        options.size(),
                        progress.rows(),
                        (host.nanoTime() - startNanos) / NANOS_PER_SECOND,
                        usedBytes(db) - otherBytes);
        console.loaded(facts);
        return facts;
    }

    /// What all memory servers have handed out.
    public static long usedBytes(NamDb db) {
        return db.usage().stream().mapToLong(ServerUsage::usedBytes).sum();
    }

    /// How many rows are loaded. For any thread.
    long rows() {
        return progress.rows();
    }

    private void show(Host host, Thread load, long startNanos, LongConsumer loaded) {
        ProgressBar bar = console.progress("loading", startNanos);
        boolean interrupted = false;
        while (load.isAlive()) {
            try {
                load.join(REDRAW);
            } catch (InterruptedException e) {
                interrupted = true;
                stop();
            }
            String rows = "%,d rows".formatted(progress.rows());
            bar.show(progress.fraction(), rows, host.nanoTime());
            loaded.accept(progress.rows());
        }
        bar.clear();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void throwFailure(FutureTask<Boolean> load) {
        if (load.state() == Future.State.FAILED) {
            switch (load.exceptionNow()) {
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new AssertionError("no checked exception is thrown", e);
            }
        }
    }
}

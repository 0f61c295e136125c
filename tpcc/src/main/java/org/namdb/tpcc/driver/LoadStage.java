package org.namdb.tpcc.driver;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.fabric.Host;
import org.namdb.memory.client.ServerUsage;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.load.LoadProgress;
import org.namdb.tpcc.load.Loader;
import org.namdb.tpcc.report.LoadFacts;
import org.namdb.tpcc.report.ProgressBar;
import org.namdb.tpcc.report.RunConsole;
import org.namdb.tpcc.schema.TpccSchema;

/// The first part of a run: fills the tables, while a bar shows how far it is.
final class LoadStage {
    private static final Duration REDRAW = Duration.ofMillis(50);
    private static final double NANOS_PER_SECOND = 1e9;

    private final TpccOptions options;
    private final RunConsole console;
    private final LoadProgress progress;

    LoadStage(TpccOptions options, RunConsole console) {
        this.options = options;
        this.console = console;
        this.progress = new LoadProgress(options.scale());
    }

    /// Makes the load end early. For any thread.
    void stop() {
        progress.stop();
    }

    /// Loads into a database that has nothing else, with no more threads than processors.
    ///
    /// @return null if it was stopped
    /// @throws org.namdb.compute.TransactionException if memory is full
    @Nullable LoadFacts run(NamDb db, TpccSchema schema) {
        return run(db, schema, 0, rows -> {});
    }

    /// The same beside other tables.
    ///
    /// @param otherBytes what these take
    /// @param loaded is told many times a second how many rows there are
    @Nullable LoadFacts run(NamDb db, TpccSchema schema, long otherBytes, LongConsumer loaded) {
        int threads = Math.min(options.threads(), Runtime.getRuntime().availableProcessors());
        Host host = db.options().host();
        long startNanos = host.nanoTime();
        Loader loader = new Loader(db, schema, options.scale(), options.seed(), host.instant());
        FutureTask<Boolean> load = new FutureTask<>(() -> loader.load(threads, progress));
        show(host, host.start("tpcc-load", load), startNanos, loaded);
        throwFailure(load);
        if (!progress.isComplete()) {
            return null;
        }
        LoadFacts facts =
                new LoadFacts(
                        options.scale().warehouses(),
                        progress.rows(),
                        (host.nanoTime() - startNanos) / NANOS_PER_SECOND,
                        usedBytes(db) - otherBytes);
        console.loaded(facts);
        return facts;
    }

    /// What all memory servers have handed out.
    static long usedBytes(NamDb db) {
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

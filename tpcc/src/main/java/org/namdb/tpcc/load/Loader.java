package org.namdb.tpcc.load;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.timestamp.SlotsExhaustedException;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.schema.TpccSchema;

/// Fills the tables by clause 4.3.3. The same seed, scale and time give the same rows, except for
/// the keys of HISTORY, which are not TPC-C's.
public final class Loader {
    private final NamDb db;
    private final TpccSchema schema;
    private final Scale scale;
    private final long seed;
    private final long nowMicros;

    /// A loader of empty tables.
    ///
    /// @param now the date of everything that is loaded
    public Loader(NamDb db, TpccSchema schema, Scale scale, long seed, Instant now) {
        this.db = db;
        this.schema = schema;
        this.scale = scale;
        this.seed = seed;
        this.nowMicros = ChronoUnit.MICROS.between(Instant.EPOCH, now);
    }

    /// Loads with `threads` threads, each with a session of its own, and waits for them. The first
    /// failure ends all, and is thrown. An interrupt of the caller stops the load like
    /// [LoadProgress#stop].
    ///
    /// @return whether everything is loaded; else it was stopped
    /// @throws org.namdb.compute.TransactionException if memory is full
    /// @throws org.namdb.timestamp.SlotsExhaustedException if there are fewer slots than threads
    public boolean load(int threads, LoadProgress progress) {
        Run run = new Run(progress);
        List<Thread> workers = new ArrayList<>();
        for (Session session : sessions(threads)) {
            String name = "tpcc-load-" + (workers.size() + 1);
            workers.add(db.options().host().start(name, () -> run.load(session)));
        }
        for (Thread worker : workers) {
            join(worker, progress);
        }
        switch (run.failure.get()) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new AssertionError("no checked exception is thrown", e);
        }
        return progress.isComplete();
    }

    /// All of them before the first thread starts, so that too few slots are always noticed.
    private List<Session> sessions(int threads) {
        List<Session> sessions = new ArrayList<>();
        try {
            while (sessions.size() < threads) {
                sessions.add(db.session());
            }
            return sessions;
        } catch (SlotsExhaustedException e) {
            sessions.forEach(Session::close);
            throw e;
        }
    }

    private static void join(Thread worker, LoadProgress progress) {
        boolean interrupted = false;
        while (worker.isAlive()) {
            try {
                worker.join();
            } catch (InterruptedException e) {
                interrupted = true;
                progress.stop();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// What the threads of one load share.
    private final class Run {
        private final LoadProgress progress;
        private final List<LoadPart> parts = LoadPart.all(scale);
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Run(LoadProgress progress) {
            this.progress = progress;
        }

        void load(Session session) {
            try (session) {
                LoadWorker worker = new LoadWorker(session, schema, scale, seed, nowMicros);
                while (!progress.isStopped()) {
                    int part = next.getAndIncrement();
                    if (part >= parts.size()) {
                        return;
                    }
                    worker.load(parts.get(part), progress);
                }
            } catch (RuntimeException | Error e) {
                failure.compareAndSet(null, e);
                progress.stop();
            }
        }
    }
}

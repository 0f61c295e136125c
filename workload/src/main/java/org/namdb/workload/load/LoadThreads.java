package org.namdb.workload.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.timestamp.SlotsExhaustedException;

/// The threads of a load, each with a session of its own: they take its parts one after the other.
public final class LoadThreads {
    private final int parts;
    private final RowProgress progress;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private LoadThreads(int parts, RowProgress progress) {
        this.parts = parts;
        this.progress = progress;
    }

    /// Loads the parts with so many threads, and waits for them. The first failure ends all, and is
    /// thrown. An interrupt of the caller stops the load like [RowProgress#stop].
    ///
    /// @param parts how many there are; they are numbered from 0
    /// @param loader makes what loads a part for each session
    /// @return whether everything is loaded; else it was stopped
    /// @throws org.namdb.compute.TransactionException if memory is full
    /// @throws SlotsExhaustedException if there are fewer slots than threads
    public static boolean load(
            NamDb db,
            int threads,
            int parts,
            RowProgress progress,
            Function<Session, IntConsumer> loader) {
        LoadThreads run = new LoadThreads(parts, progress);
        List<Thread> workers = new ArrayList<>();
        for (Session session : sessions(db, threads)) {
            String name = "load-" + (workers.size() + 1);
            workers.add(db.options().host().start(name, () -> run.load(session, loader)));
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
    private static List<Session> sessions(NamDb db, int threads) {
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

    private static void join(Thread worker, RowProgress progress) {
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

    private void load(Session session, Function<Session, IntConsumer> loader) {
        try (session) {
            IntConsumer worker = loader.apply(session);
            while (!progress.isStopped()) {
                int part = next.getAndIncrement();
                if (part >= parts) {
                    return;
                }
                worker.accept(part);
            }
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
            progress.stop();
        }
    }
}

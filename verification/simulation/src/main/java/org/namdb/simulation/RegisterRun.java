package org.namdb.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.RetryPolicy;
import org.namdb.compute.Session;
import org.namdb.fabric.Host;

/// The register workload on real memory, with a thread for each session: on a database in this
/// process, or on one that other processes use, too.
///
/// @param workload what the transactions do
/// @param sessions how many there are, each with a thread
/// @param transactions attempts in all
/// @param seed what the transactions are drawn from; the interleaving is the machine's own
/// @param versions places of an old-version buffer
public record RegisterRun(
        RegisterWorkload workload, int sessions, long transactions, long seed, int versions) {
    /// The most sessions of a process, as a power of two.
    private static final int PROCESS_SHIFT = 10;

    /// Runs all transactions on a database in this process.
    ///
    /// @param database what it is made of
    /// @param log gets every attempt
    /// @param progress gets, from many threads, how many attempts there were
    /// @throws IllegalStateException if a record was read that is a mixture of two versions
    public void runEmbedded(EmbeddedOptions database, AttemptLog log, LongConsumer progress)
            throws InterruptedException {
        EmbeddedOptions options =
                database.withSlots(sessions + 1).withRetryPolicy(RetryPolicy.NONE);
        try (NamDb db = NamDb.embedded(options)) {
            Registers.create(db, workload.keys(), versions, true, false);
            drive(db, log, progress);
        }
    }

    /// Runs all transactions on a database that others use, too. What all processes record that
    /// run at once is one history: names, numbers and values are unique among them.
    ///
    /// @param attached tries each transaction once, which it is opened for
    ///     ([RetryPolicy#NONE])
    /// @param log gets every attempt
    /// @param joined gets how many processes were running before
    /// @param progress gets, from many threads, how many attempts there were
    /// @throws IllegalStateException if a record was read that is a mixture of two versions, or
    ///     what is there can't be used
    public void runAttached(
            NamDb attached, AttemptLog log, LongConsumer joined, LongConsumer progress)
            throws InterruptedException {
        SharedRegisters.Found found = SharedRegisters.enter(attached, workload.keys(), versions);
        try {
            joined.accept(found.others());
            drive(attached, new SharedHistory(log, found.firstKey()), progress);
        } finally {
            SharedRegisters.leave(attached);
        }
    }

    private void drive(NamDb db, AttemptLog log, LongConsumer progress)
            throws InterruptedException {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        AtomicLong done = new AtomicLong();
        SplittableRandom random = new SplittableRandom(seed);
        List<Session> opened = openSessions(db);
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < sessions; number++) {
            long own = transactions / sessions + (number < transactions % sessions ? 1 : 0);
            RegisterClient client =
                    new RegisterClient(
                            workload,
                            db,
                            Host.MACHINE::nanoTime,
                            log,
                            random.split(),
                            ((long) db.process() << PROCESS_SHIFT) + number,
                            "c%d-t%d".formatted(db.process(), number));
            Session session = opened.get(number);
            threads.add(
                    Thread.ofPlatform()
                            .name("session-" + number)
                            .uncaughtExceptionHandler(
                                    (thread, thrown) -> failure.compareAndSet(null, thrown))
                            .start(() -> {
                                try (session) {
                                    for (long left = own; left > 0; left--) {
                                        client.attempt(session);
                                        progress.accept(done.incrementAndGet());
                                    }
                                }
                            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException(String.valueOf(thrown.getMessage()), thrown);
        }
    }

    /// All of them before the first thread starts, so that too few slots are always noticed.
    private List<Session> openSessions(NamDb db) {
        List<Session> opened = new ArrayList<>();
        try {
            while (opened.size() < sessions) {
                opened.add(db.session());
            }
            return opened;
        } catch (RuntimeException e) {
            opened.forEach(Session::close);
            throw e;
        }
    }
}

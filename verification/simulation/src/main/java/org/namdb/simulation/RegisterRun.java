package org.namdb.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.RetryPolicy;
import org.namdb.compute.Session;
import org.namdb.fabric.Host;

/// The register workload on a database in this process: real memory, and a thread for each session.
///
/// @param workload what the transactions do
/// @param sessions how many there are, each with a thread
/// @param transactions attempts in all
/// @param seed what the transactions are drawn from; the interleaving is the machine's own
/// @param versions places of an old-version buffer
/// @param database what the database is made of
public record RegisterRun(
        RegisterWorkload workload,
        int sessions,
        long transactions,
        long seed,
        int versions,
        EmbeddedOptions database) {
    /// Runs all transactions.
    ///
    /// @param log gets every attempt
    /// @param progress is told, by many threads, how many attempts there were
    /// @throws IllegalStateException if a record was read that is a mixture of two versions
    public void run(AttemptLog log, java.util.function.LongConsumer progress)
            throws InterruptedException {
        EmbeddedOptions options =
                database.withSlots(sessions + 1).withRetryPolicy(RetryPolicy.NONE);
        try (NamDb db = NamDb.embedded(options)) {
            Registers.create(db, workload.keys(), versions, true);
            drive(db, log, progress);
        }
    }

    private void drive(NamDb db, AttemptLog log, java.util.function.LongConsumer progress)
            throws InterruptedException {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        AtomicLong done = new AtomicLong();
        SplittableRandom random = new SplittableRandom(seed);
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < sessions; number++) {
            long own = transactions / sessions + (number < transactions % sessions ? 1 : 0);
            RegisterClient client =
                    new RegisterClient(
                            workload,
                            db,
                            Host.MACHINE,
                            log,
                            random.split(),
                            number,
                            "c0-t" + number);
            Session session = db.session();
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
}

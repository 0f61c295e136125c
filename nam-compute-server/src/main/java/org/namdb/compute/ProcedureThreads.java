package org.namdb.compute;

import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Procedures that are called by name, and the transaction execution threads that run them: calls
/// wait for a thread in a queue, and each has a session while it runs. Where the queue is full, the
/// caller runs its call itself.
final class ProcedureThreads implements AutoCloseable {
    private static final int QUEUE_CALLS = 1 << 12;

    private final NamDb db;
    private final Map<String, StoredProcedure<?, ?>> procedures = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads;
    private volatile boolean closed;

    ProcedureThreads(NamDb db, int count) {
        this.db = db;
        threads =
                new ThreadPoolExecutor(
                        count,
                        count,
                        0,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(QUEUE_CALLS),
                        factory(count),
                        (call, pool) -> call.run()); // it is full, or closed
    }

    /// More than there are processors wait for a network most of the time. Virtual threads post
    /// together what they wait for.
    private static ThreadFactory factory(int count) {
        Thread.Builder builder =
                count > Runtime.getRuntime().availableProcessors()
                        ? Thread.ofVirtual().name("namdb-execution-", 0)
                        : Thread.ofPlatform().daemon().name("namdb-execution-", 0);
        return builder.factory();
    }

    /// Gives a procedure its name, in place of the one that had it.
    void register(String name, StoredProcedure<?, ?> procedure) {
        procedures.put(name, procedure);
    }

    /// @throws IllegalArgumentException if there is no procedure of this name
    @SuppressWarnings("unchecked")
    <R extends @Nullable Object> CompletableFuture<R> submit(String name, Object arguments) {
        StoredProcedure<?, ?> procedure = procedures.get(name);
        if (procedure == null) {
            throw new IllegalArgumentException(
                    "there is no procedure " + name + "; there are " + procedures.keySet());
        }
        CompletableFuture<R> result = new CompletableFuture<>();
        threads.execute(() -> run((StoredProcedure<Object, R>) procedure, arguments, result));
        return result;
    }

    @SuppressWarnings("CatchingUnchecked")
    private <A, R extends @Nullable Object> void run(
            StoredProcedure<A, R> procedure, A arguments, CompletableFuture<R> result) {
        if (closed) {
            result.completeExceptionally(new IllegalStateException("the database is closed"));
            return;
        }
        try {
            result.complete(call(procedure, arguments));
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    /// The session is released before its caller has the result, as the caller may want one again.
    private <A, R extends @Nullable Object> R call(StoredProcedure<A, R> procedure, A arguments) {
        try (Session session = db.session()) {
            return session.call(procedure, arguments);
        }
    }

    /// Waits for a result; what the procedure threw is thrown as it is.
    static <R extends @Nullable Object> R join(CompletableFuture<R> result) {
        try {
            return result.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /// Waits for the calls that run; those that wait fail.
    @Override
    public void close() {
        closed = true;
        threads.close();
    }
}

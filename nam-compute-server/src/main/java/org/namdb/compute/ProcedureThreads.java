package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpmcArrayQueue;
import org.jspecify.annotations.Nullable;

/// The transaction execution threads for procedures that are called by name: each has a session, and takes calls from one queue. They are
/// started by the first call.
final class ProcedureThreads implements AutoCloseable {
    private static final int QUEUE_CALLS = 1 << 12;
    private static final int SPINS = 2_000;

    private record Call<A, R extends @Nullable Object>(
            StoredProcedure<A, R> procedure, A arguments, CompletableFuture<R> result) {
        @SuppressWarnings("CatchingUnchecked")
        void run(Session session) {
            try {
                result.complete(session.call(procedure, arguments));
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        }
    }

    private final NamDb db;
    private final int count;
    private final MpmcArrayQueue<Call<?, ?>> calls = new MpmcArrayQueue<>(QUEUE_CALLS);
    private final MpmcArrayQueue<Thread> parked;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean started;
    private volatile boolean closed;

    ProcedureThreads(NamDb db, int count) {
        this.db = db;
        this.count = count;
        this.parked = new MpmcArrayQueue<>(Math.max(2, 2 * count));
    }

    <A, R extends @Nullable Object> CompletableFuture<R> submit(
            StoredProcedure<A, R> procedure, A arguments) {
        if (!started) {
            start();
        }
        Call<A, R> call = new Call<>(procedure, arguments, new CompletableFuture<>());
        while (!calls.offer(call)) {
            if (closed) {
                throw new IllegalStateException("the database is closed");
            }
            Thread.yield();
        }
        Thread sleeper = parked.poll();
        if (sleeper != null) {
            LockSupport.unpark(sleeper);
        }
        return call.result;
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

    @Override
    public void close() {
        closed = true;
        List<Thread> running;
        synchronized (threads) {
            running = List.copyOf(threads);
        }
        for (Thread thread : running) {
            LockSupport.unpark(thread);
        }
        for (Thread thread : running) {
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        Call<?, ?> left = calls.poll();
        while (left != null) {
            left.result.completeExceptionally(new IllegalStateException("the database is closed"));
            left = calls.poll();
        }
    }

    private void start() {
        synchronized (threads) {
            if (started || closed) {
                return;
            }
            for (int i = 0; i < count; i++) {
                Session session = db.session();
                threads.add(
                        Thread.ofPlatform()
                                .daemon()
                                .name("namdb-execution-" + i)
                                .start(() -> run(session)));
            }
            started = true;
        }
    }

    private void run(Session session) {
        try (session) {
            int idleSpins = 0;
            while (!closed) {
                Call<?, ?> call = calls.poll();
                if (call != null) {
                    idleSpins = 0;
                    call.run(session);
                } else if (++idleSpins < SPINS) {
                    Thread.onSpinWait();
                } else {
                    park();
                }
            }
        }
    }

    /// Sleeps until the next call. Who offers a call looks for sleepers after that, and a sleeper looks for calls after it said that it
    /// sleeps, so one of the two sees the other.
    private void park() {
        if (!parked.offer(Thread.currentThread())) {
            Thread.yield();
            return;
        }
        if (calls.isEmpty() && !closed) {
            LockSupport.parkNanos(100_000_000L);
        }
    }
}

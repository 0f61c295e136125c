package org.namdb.cache.scalestore;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.namdb.fabric.Host;

/// The threads that read and write a node's disk for others, which are started as they are needed.
/// With none, the caller does the work.
final class PageIo implements Executor, AutoCloseable {
    private static final long PAUSE_NANOS = 100_000;

    private final Host host;
    private final int threads;

    /// An empty entry ends a thread.
    private final LinkedBlockingQueue<Optional<Runnable>> waiting = new LinkedBlockingQueue<>();

    private final AtomicInteger started = new AtomicInteger();

    /// Work that has not ended.
    private final AtomicInteger pending = new AtomicInteger();

    PageIo(Host host, int threads) {
        this.host = host;
        this.threads = threads;
    }

    /// Has work done; it throws nothing.
    @Override
    public void execute(Runnable work) {
        if (threads == 0) {
            work.run();
            return;
        }
        int before = pending.getAndIncrement();
        int running = started.get();
        if (before >= running && running < threads && started.compareAndSet(running, running + 1)) {
            Thread _ = host.start("page-io", this::run);
        }
        waiting.add(Optional.of(work));
    }

    private void run() {
        try {
            Optional<Runnable> work = waiting.take();
            while (work.isPresent()) {
                work.get().run();
                pending.decrementAndGet();
                work = waiting.take();
            }
            waiting.add(work); // for the other threads
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the process ends
        }
    }

    /// Waits until all work has ended, for at most so long, and ends the threads.
    void close(long maxNanos) {
        long begin = host.nanoTime();
        while (pending.get() > 0 && host.nanoTime() - begin < maxNanos) {
            host.sleep(PAUSE_NANOS);
        }
        close();
    }

    /// Ends the threads when they have done what waits.
    @Override
    public void close() {
        waiting.add(Optional.empty());
    }
}

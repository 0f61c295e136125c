package org.namdb.fabric;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Runs parts of a test side by side.
public final class Threads {
    private static Host host = Host.MACHINE;

    private Threads() {}

    /// Whose threads the parts get, until another host is named.
    public static void of(Host newHost) {
        host = newHost;
    }

    /// What one of several threads does. A part that waits for another stops when it is
    /// interrupted.
    @FunctionalInterface
    public interface Part {
        void run(int thread) throws Exception;
    }

    /// Runs `part` on `threads` threads, numbered from 0, all at the same time. If one fails, the
    /// others are interrupted, and this fails likewise.
    public static void run(int threads, Part part) throws Exception {
        if (!host.equals(Host.MACHINE)) {
            runSimulated(threads, part);
            return;
        }
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            CountDownLatch started = new CountDownLatch(threads);
            ExecutorCompletionService<Void> completed = new ExecutorCompletionService<>(executor);
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                completed.submit(() -> {
                    started.countDown();
                    started.await();
                    part.run(number);
                    return null;
                });
            }
            try {
                for (int thread = 0; thread < threads; thread++) {
                    completed.take().get(); // the test's limit ends it
                }
            } finally {
                executor.shutdownNow();
            }
        }
    }

    private static void runSimulated(int threads, Part part) throws InterruptedException {
        List<Thread> started = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            int number = thread;
            started.add(
                    host.start(
                            "part-" + number,
                            () -> {
                                try {
                                    part.run(number);
                                } catch (Exception e) {
                                    throw new IllegalStateException(e);
                                }
                            }));
        }
        for (Thread thread : started) {
            thread.join();
        }
    }

    /// Whether a part may go on: another one has not failed.
    public static boolean goOn() {
        return !Thread.currentThread().isInterrupted();
    }

    /// Lets another thread run, the one that holds a lock perhaps. Without it, tests are slow on a
    /// busy machine, and not wrong.
    @SuppressWarnings("ThreadPriorityCheck")
    public static void giveWay() {
        if (host.equals(Host.MACHINE)) {
            Thread.yield();
        } else {
            host.sleep(1000);
        }
    }
}

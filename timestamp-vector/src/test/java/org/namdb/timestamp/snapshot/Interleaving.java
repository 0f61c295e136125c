package org.namdb.timestamp.snapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.IntUnaryOperator;

/// Runs threads one at a time, in an interleaving that is chosen step by step. A thread keeps the
/// baton until its next [#step()].
final class Interleaving {
    private static final ThreadLocal<Runner> CURRENT = new ThreadLocal<>();

    private final IntUnaryOperator choice;
    private final List<Runner> waiting = new ArrayList<>();
    private final Semaphore done = new Semaphore(0);
    private volatile Throwable failure;

    /// @param choice of which thread goes on: a number below its argument, which is how many could
    Interleaving(IntUnaryOperator choice) {
        this.choice = choice;
    }

    void add(Runnable body) {
        waiting.add(new Runner(body));
    }

    /// Runs all threads to their ends.
    void run() {
        for (Runner runner : waiting) {
            Thread.ofVirtual().start(runner);
        }
        choose().baton.release();
        done.acquireUninterruptibly();
        if (failure != null) {
            throw new AssertionError("a thread failed", failure);
        }
    }

    /// Hands the baton to the next thread, which may be the caller. Without effect in other threads
    /// than those added.
    void step() {
        Runner runner = CURRENT.get();
        if (runner == null) {
            return;
        }
        Runner next = choose();
        if (next != runner) {
            next.baton.release();
            runner.baton.acquireUninterruptibly();
        }
    }

    private Runner choose() {
        return waiting.size() == 1
                ? waiting.getFirst()
                : waiting.get(choice.applyAsInt(waiting.size()));
    }

    private final class Runner implements Runnable {
        final Runnable body;
        final Semaphore baton = new Semaphore(0);

        Runner(Runnable body) {
            this.body = body;
        }

        @Override
        public void run() {
            baton.acquireUninterruptibly();
            CURRENT.set(this);
            try {
                body.run();
            } catch (Throwable e) {
                failure = e;
            }
            waiting.remove(this);
            if (waiting.isEmpty()) {
                done.release();
            } else {
                choose().baton.release();
            }
        }
    }
}

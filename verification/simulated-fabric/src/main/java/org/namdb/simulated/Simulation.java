package org.namdb.simulated;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Virtual time. Everything in a simulation happens on the thread that calls [#run]: events at
/// their moments, in order, and between two of them the virtual threads that can go on, first come,
/// first served. Nothing else has any influence, so a seed determines a run.
public final class Simulation implements AutoCloseable {
    private static final int LAST_STEPS = 1_000_000;
    private static final long MAX_BLOCK_SECONDS = 60;

    private final EventQueue events = new EventQueue();
    private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
    private final LinkedBlockingQueue<Runnable> unblocked = new LinkedBlockingQueue<>();
    private final Set<Runnable> queued = Collections.newSetFromMap(new IdentityHashMap<>());
    private final IdentityHashMap<Runnable, Thread> threads = new IdentityHashMap<>();
    private final List<SimHost> hosts = new ArrayList<>();
    private final ClusterModel model;
    private final SplittableRandom random;
    private final SimTrace trace;
    private FaultPlan faults = FaultPlan.NONE;
    private long now;
    private boolean stopped;
    private final Thread runner = Thread.currentThread();
    private @Nullable Throwable failure;

    /// A world in which nothing has happened yet, and nothing goes wrong until [#faults].
    public Simulation(long seed, ClusterModel model, SimTrace trace) {
        this.random = new SplittableRandom(seed);
        this.model = model;
        this.trace = trace;
    }

    /// A process, with a port and processors of its own.
    public SimHost host(String name) {
        SimHost host = new SimHost(this, name);
        hosts.add(host);
        return host;
    }

    /// What goes wrong from now on.
    public void faults(FaultPlan plan) {
        faults = plan;
    }

    /// Runs until nothing is left to do, or [#stop], or `untilNanos`.
    ///
    /// @return whether it was not the time that ended it
    /// @throws IllegalStateException if a thread of a host failed
    public boolean run(long untilNanos) {
        stopped = false;
        while (!stopped && failure == null) {
            Runnable task = ready.poll();
            if (task != null) {
                goOn(task);
                continue;
            }
            EventQueue.Event event = events.peek();
            if (event == null || event.nanos() > untilNanos) {
                throwFailure();
                return event == null;
            }
            now = event.nanos();
            events.remove().action().run();
        }
        throwFailure();
        return true;
    }

    /// Lets time pass in which nothing happens: up to `nanos`, or to the next event.
    public void skipTo(long nanos) {
        EventQueue.Event next = events.peek();
        now = Math.max(now, next == null ? nanos : Math.min(nanos, next.nanos()));
    }

    /// Ends the run after the step that is under way.
    public void stop() {
        stopped = true;
    }

    /// Virtual time, from 0.
    public long nanoTime() {
        return now;
    }

    /// What all choices are drawn from.
    public SplittableRandom random() {
        return random;
    }

    public SimTrace trace() {
        return trace;
    }

    /// Has an action happen at a moment, at the earliest now.
    public void at(long nanos, Runnable action) {
        events.add(Math.max(nanos, now), action);
    }

    /// Ends all threads.
    @Override
    public void close() {
        events.clear();
        for (SimHost host : hosts) {
            host.crash();
        }
        for (int step = 0; step < LAST_STEPS && !ready.isEmpty(); step++) {
            goOn(ready.remove());
        }
    }

    ClusterModel model() {
        return model;
    }

    FaultPlan faults() {
        return faults;
    }

    /// Has a thread go on. Where the simulation itself does not call this, the thread was waiting
    /// for a monitor that belongs to the whole JVM, and the simulation waits for it ([#goOn]).
    void schedule(Runnable continuation) {
        if (isInside()) {
            ready.add(continuation);
        } else {
            unblocked.add(continuation);
        }
    }

    /// Whether the caller is the simulation, or one of its threads.
    boolean isInside() {
        Thread caller = Thread.currentThread();
        return caller.isVirtual() || caller.equals(runner);
    }

    /// Runs a thread until it waits in virtual time, or ends. If it meets a monitor that a thread
    /// outside holds, for a moment of real time, so does the simulation: nothing else happens
    /// meanwhile, and the seed still determines the run.
    private void goOn(Runnable task) {
        queued.remove(task);
        task.run();
        Thread thread = threads.get(task);
        while (thread != null && isBlocked(thread, task)) {
            try {
                Runnable next = unblocked.poll(MAX_BLOCK_SECONDS, TimeUnit.SECONDS);
                if (next == null) {
                    throw new IllegalStateException(thread + " waits for a monitor forever");
                }
                next.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private boolean isBlocked(Thread thread, Runnable task) {
        Thread.State state = thread.getState();
        return state == Thread.State.BLOCKED
                || state == Thread.State.RUNNABLE && !queued.contains(task);
    }

    /// A thread can go on, at once or when its host can.
    void canGoOn(Runnable continuation) {
        queued.add(continuation);
    }

    /// The thread that a continuation is one of.
    void started(Runnable continuation, Thread thread) {
        threads.put(continuation, thread);
    }

    void failed(Throwable thrown) {
        if (failure == null) {
            failure = thrown;
        }
    }

    private void throwFailure() {
        if (failure != null) {
            throw new IllegalStateException("a simulated thread failed", failure);
        }
    }
}

package org.namdb.simulated;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;
import org.namdb.fabric.RemoteAddress;
import org.slf4j.Logger;
import org.slf4j.helpers.NOPLogger;

/// A process of a simulated cluster. Its threads run in virtual time; it can be paused, like a
/// process that gets no processor, and it can crash at any of its verbs. What it has sent by then
/// is on its way.
public final class SimHost implements Host {
    private static final Instant BEGINNING = Instant.parse("2000-01-01T00:00:00Z");

    private record Request(Runnable handle, Runnable onCrash) {}

    private final Simulation simulation;
    private final String name;
    private final Thread.Builder.OfVirtual threads;
    private final List<Thread> started = new ArrayList<>();
    private final ArrayDeque<Runnable> deferred = new ArrayDeque<>();
    private final ArrayDeque<Request> requests = new ArrayDeque<>();
    private long requestsTaken;
    private final long[] coresFreeNanos;
    private long sendsFreeNanos;
    private long receivesFreeNanos;
    private long pausedUntilNanos;
    private long verbs;
    private long crashAtVerb = Long.MAX_VALUE;
    private long pauseAtVerb = Long.MAX_VALUE;
    private long pauseAtVerbNanos;
    private Runnable whenPaused = () -> {};
    private long failAtCall = Long.MAX_VALUE;
    private boolean failsAfter;
    private long calls;
    private long failures;
    private int connections;
    private long partitionAtVerb = Long.MAX_VALUE;
    private Runnable partition = () -> {};
    private final long[] requestsHeldUntil = new long[RemoteAddress.MAX_SERVERS];
    private final long[] repliesHeldUntil = new long[RemoteAddress.MAX_SERVERS];
    private boolean dead;
    private final List<Runnable> crashObservers = new ArrayList<>();
    private double clockRate = 1;
    private long clockSinceNanos;
    private long clockNanos;
    private Duration wallClockAhead = Duration.ZERO;
    private final SimDisk disk = new SimDisk();

    /// The thread that is being started: the next continuation is its first.
    private @Nullable Thread starting;

    SimHost(Simulation simulation, String name) {
        this.simulation = simulation;
        this.name = name;
        this.threads = SimThreads.builder(this::schedule);
        this.coresFreeNanos = new long[simulation.model().cores()];
    }

    public String name() {
        return name;
    }

    /// Its disk. It outlasts the process, less what was not forced when that crashed.
    public SimDisk disk() {
        return disk;
    }

    /// Virtual time, unless its clock [drifts][#driftFromNowOn].
    @Override
    public long nanoTime() {
        return clockNanos + (long) ((simulation.nanoTime() - clockSinceNanos) * clockRate);
    }

    /// Virtual time began with the year 2000.
    @Override
    public Instant instant() {
        return BEGINNING.plusNanos(nanoTime()).plus(wallClockAhead);
    }

    /// Has its clocks go so many times as fast as virtual time does.
    public void driftFromNowOn(double rate) {
        clockNanos = nanoTime();
        clockSinceNanos = simulation.nanoTime();
        clockRate = rate;
    }

    /// Sets its time of day ahead, or back.
    public void jump(Duration ahead) {
        wallClockAhead = wallClockAhead.plus(ahead);
    }

    /// So long by its own clock.
    @Override
    public void sleep(long nanos) {
        waitUntil(simulation.nanoTime() + Math.max((long) Math.ceil(nanos / clockRate), 1));
    }

    @Override
    public Thread start(String threadName, Runnable work) {
        Thread thread =
                threads.name(threadName)
                        .uncaughtExceptionHandler(this::reported)
                        .unstarted(() -> live(work));
        started.add(thread);
        starting = thread;
        thread.start();
        return thread;
    }

    /// A simulated process has no log: its locks would be those of the whole JVM.
    @Override
    public Logger logger(Class<?> about) {
        return NOPLogger.NOP_LOGGER;
    }

    private void live(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            failed(Thread.currentThread(), e);
        }
    }

    /// A background thread reports the exception, and lives on.
    private void reported(Thread thread, Throwable thrown) {
        if (!UnplannedFailure.isIn(thrown)) {
            failed(thread, thrown);
        }
    }

    /// A thread of a dead process may fail in any way, as it has met a verb that threw.
    private void failed(Thread thread, Throwable thrown) {
        if (!dead) {
            simulation.failed(
                    new IllegalStateException(name + ", thread " + thread.getName(), thrown));
        }
    }

    /// How many verbs it has posted.
    public long verbs() {
        return verbs;
    }

    /// Whether it has crashed.
    public boolean isDead() {
        return dead;
    }

    /// Has it crash when it has posted `count` verbs in all.
    public void crashAtVerb(long count) {
        crashAtVerb = count;
    }

    /// Has it pause for so long when it has posted `count` verbs in all.
    ///
    /// @param whenPaused runs at that moment
    public void pauseAtVerb(long count, long nanos, Runnable whenPaused) {
        pauseAtVerb = count;
        pauseAtVerbNanos = nanos;
        this.whenPaused = whenPaused;
    }

    /// Has something happen to its network when it has posted `count` verbs in all.
    public void partitionAtVerb(long count, Runnable happens) {
        partitionAtVerb = count;
        partition = happens;
    }

    /// Cuts it off from a memory server for a while. What is lost is sent again until it arrives;
    /// if that takes too long, the connection breaks.
    ///
    /// @param requests whether what it sends to the server is lost
    /// @param replies whether what the server sends to it is
    public void cutOff(int server, boolean requests, boolean replies, long nanos) {
        long until = simulation.nanoTime() + nanos;
        if (requests) {
            requestsHeldUntil[server] = until;
        }
        if (replies) {
            repliesHeldUntil[server] = until;
        }
        simulation
                .trace()
                .say(
                        simulation.nanoTime(),
                        name,
                        () ->
                                "%s memory server %d for %,d ns"
                                        .formatted(
                                                requests
                                                        ? replies
                                                                ? "is cut off from"
                                                                : "is not heard by"
                                                        : "does not hear",
                                                server,
                                                nanos));
    }

    /// When the first message that is sent to a memory server now can arrive.
    long requestsHeldUntil(int server) {
        return requestsHeldUntil[server];
    }

    /// When the first message that a memory server sends now can arrive.
    long repliesHeldUntil(int server) {
        return repliesHeldUntil[server];
    }

    /// How many calls of the fabric it has made that may fail: posts, awaits, requests and the
    /// like.
    public long calls() {
        return calls;
    }

    /// How many of them have thrown an [UnplannedFailure].
    public long failures() {
        return failures;
    }

    /// How many of its queue pairs are open.
    public int connections() {
        return connections;
    }

    void connected() {
        connections++;
    }

    void disconnected() {
        connections--;
    }

    /// Has a call throw an [UnplannedFailure]: the one after `count` in all.
    ///
    /// @param after whether it is done nevertheless
    public void failAtCall(long count, boolean after) {
        failAtCall = count;
        failsAfter = after;
    }

    /// None of its threads goes on for so long.
    public void pause(long nanos) {
        long until = simulation.nanoTime() + nanos;
        if (until > pausedUntilNanos && !dead) {
            pausedUntilNanos = until;
            simulation
                    .trace()
                    .say(
                            simulation.nanoTime(),
                            name,
                            () -> "is paused for %,d ns".formatted(nanos));
            simulation.at(until, this::goOn);
        }
    }

    /// It is no more.
    public void crash() {
        if (!dead) {
            dead = true;
            pausedUntilNanos = 0;
            simulation.trace().say(simulation.nanoTime(), name, () -> "crashes");
            requests.forEach(request -> request.onCrash.run());
            crashObservers.forEach(Runnable::run);
            disk.crash(simulation.random());
            goOn();
            started.forEach(LockSupport::unpark);
        }
    }

    /// Has `observer` run when this host crashes.
    void onCrash(Runnable observer) {
        crashObservers.add(observer);
    }

    /// Handles a request on a thread of this host, one after the other.
    ///
    /// @param onCrash runs instead if the host is, or gets, dead before that is done
    void receiveRequest(Runnable handle, Runnable onCrash) {
        if (dead) {
            onCrash.run();
            return;
        }
        requestsTaken++;
        requests.add(new Request(handle, onCrash));
        if (requests.size() == 1) {
            start(name + "-requests", this::handleRequests);
        }
    }

    /// How many requests have come so far.
    long requestsTaken() {
        return requestsTaken;
    }

    /// Whether the first `count` requests that have come are handled.
    boolean hasHandled(long count) {
        return requestsTaken - requests.size() >= count;
    }

    private void handleRequests() {
        while (!requests.isEmpty()) {
            requests.element().handle.run();
            requests.remove();
        }
    }

    /// Counts a verb, and lets happen what the fault plan wants before it.
    void beforeVerb() {
        requireAlive();
        verbs++;
        if (verbs >= crashAtVerb) {
            crash();
            requireAlive();
        }
        if (verbs >= pauseAtVerb) {
            pauseAtVerb = Long.MAX_VALUE;
            pause(pauseAtVerbNanos);
            whenPaused.run();
            waitUntil(pausedUntilNanos);
        }
        if (verbs >= partitionAtVerb) {
            partitionAtVerb = Long.MAX_VALUE;
            partition.run();
        }
        FaultPlan faults = simulation.faults();
        if (faults.pauseProbability() > 0
                && simulation.random().nextDouble() < faults.pauseProbability()) {
            pause(simulation.random().nextLong(1, faults.pauseNanos() + 1));
            waitUntil(pausedUntilNanos);
        }
    }

    /// Whether the next call of the fabric throws an [UnplannedFailure].
    UnplannedFailure.Moment moment() {
        long call = calls++;
        if (dead) {
            return UnplannedFailure.Moment.NEVER;
        }
        if (call == failAtCall) {
            return failsAfter ? UnplannedFailure.Moment.AFTER : UnplannedFailure.Moment.BEFORE;
        }
        double probability = simulation.faults().unplannedProbability();
        if (probability == 0 || simulation.random().nextDouble() >= probability) {
            return UnplannedFailure.Moment.NEVER;
        }
        return simulation.random().nextBoolean()
                ? UnplannedFailure.Moment.AFTER
                : UnplannedFailure.Moment.BEFORE;
    }

    /// Fails if the call is to fail at this moment.
    void failAt(UnplannedFailure.Moment now, UnplannedFailure.Moment chosen, String what) {
        if (now == chosen) {
            failures++;
            simulation
                    .trace()
                    .say(
                            simulation.nanoTime(),
                            name,
                            () -> "unplanned failure at " + what + ", " + now);
            UnplannedFailure.raise(simulation.random(), what + " of " + name + ", " + now);
        }
    }

    /// Makes a call of the fabric that may fail.
    <R> R call(String what, Supplier<R> call) {
        UnplannedFailure.Moment moment = moment();
        failAt(UnplannedFailure.Moment.BEFORE, moment, what);
        R result = call.get();
        failAt(UnplannedFailure.Moment.AFTER, moment, what);
        return result;
    }

    /// Puts the thread aside until a moment, or longer if the host is paused then.
    void waitUntil(long nanos) {
        requireAlive();
        boolean[] isTime = new boolean[1];
        Thread thread = Thread.currentThread();
        simulation.at(
                nanos,
                () -> {
                    isTime[0] = true;
                    LockSupport.unpark(thread);
                });
        while (!isTime[0]) {
            park();
        }
    }

    /// Takes a processor for a while.
    ///
    /// @return when it is free again
    long occupyCore(long earliestNanos, long nanos) {
        if (nanos == 0) {
            return earliestNanos;
        }
        int core = 0;
        for (int i = 1; i < coresFreeNanos.length; i++) {
            core = coresFreeNanos[i] < coresFreeNanos[core] ? i : core;
        }
        coresFreeNanos[core] = Math.max(earliestNanos, coresFreeNanos[core]) + nanos;
        return coresFreeNanos[core];
    }

    /// Sends a message.
    ///
    /// @return when it has left
    long send(long earliestNanos, long bytes) {
        sendsFreeNanos =
                Math.max(earliestNanos, sendsFreeNanos) + simulation.model().portNanos(bytes);
        return sendsFreeNanos;
    }

    /// Receives a message.
    ///
    /// @return when it is there
    long receive(long earliestNanos, long bytes) {
        receivesFreeNanos =
                Math.max(earliestNanos, receivesFreeNanos) + simulation.model().portNanos(bytes);
        return receivesFreeNanos;
    }

    /// Waits until the thread is unparked, which may also happen spuriously.
    public void park() {
        if (!Thread.currentThread().isVirtual()) {
            throw new IllegalStateException(
                    "only threads that " + name + " has started can wait in virtual time");
        }
        LockSupport.park();
        requireAlive();
    }

    void requireAlive() {
        if (dead) {
            throw new ProcessCrash(name);
        }
    }

    private boolean isPaused() {
        return simulation.nanoTime() < pausedUntilNanos;
    }

    private void schedule(Runnable continuation) {
        Thread started = starting;
        if (started != null) {
            starting = null;
            simulation.started(continuation, started);
        }
        if (simulation.isInside()) {
            simulation.canGoOn(continuation);
        }
        if (!simulation.isInside()) {
            simulation.schedule(continuation); // it goes on with what it was doing
        } else if (isPaused()) {
            deferred.add(continuation);
        } else {
            simulation.schedule(continuation);
        }
    }

    private void goOn() {
        if (!isPaused()) {
            while (!deferred.isEmpty()) {
                simulation.schedule(deferred.remove());
            }
        }
    }
}

package org.namdb.compute.journal;

import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.compute.maintenance.MaintenanceThread;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;

/// Makes a compute server's commits durable where memory servers keep images: one thread takes
/// [cuts][Cut], for all sessions that wait (group commit).
/// ```
/// A   publishes, waits for cut 2                     answers
/// B                   publishes, waits for cut 2     answers
/// W   takes cut 1, since before      takes cut 2     ..
/// ```
/// A session waits for the first cut that begins after its commit was published: that has a
/// snapshot which shows it. Each compute server takes cuts for its own commits. They have no leader
/// that could die, and any two of them are ordered, as snapshots are.
///
/// Safe for use by many threads.
public final class Cuts implements AutoCloseable {
    private static final long WAIT_NANOS = 2_000_000;
    private static final long RETRY_NANOS = 20_000_000;

    /// What others have left undone is covered after so long.
    private static final long IDLE_NANOS = 1_000_000_000;

    private final Host host;
    private final Durability durability;
    private final long intervalNanos;
    private final BooleanSupplier mayWait;
    private final Runnable check;

    private volatile long begun;
    private volatile long done;
    private volatile boolean isChanged;
    private volatile boolean closing;
    private volatile @Nullable RuntimeException failure;
    private final AtomicLong wanted = new AtomicLong();
    private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();
    private @Nullable Runnable taker;
    private volatile @Nullable Thread thread;

    /// @param durability what sessions are promised that don't choose for themselves
    /// @param interval how long a commit waits at most if no session waits for it
    /// @param mayWait whether the calling thread may wait: not while it keeps all transactions out
    /// @param check throws if this compute server can't go on
    public Cuts(
            Host host,
            Durability durability,
            Duration interval,
            BooleanSupplier mayWait,
            Runnable check) {
        this.host = host;
        this.durability = durability;
        this.intervalNanos = interval.toNanos();
        this.mayWait = mayWait;
        this.check = check;
    }

    /// Starts the thread.
    ///
    /// @param take takes a cut, and returns when it is on all disks
    public void start(Runnable take) {
        taker = take;
        thread = host.start("namdb-cuts", this::takeAll);
    }

    Durability durability() {
        return durability;
    }

    /// A commit was published.
    ///
    /// @return what to [wait][#await] for
    long committed() {
        isChanged = true;
        return PlantedFault.CUT_TOO_EARLY.isPlanted() ? Math.max(begun, 1) : begun + 1;
    }

    boolean isDone(long cut) {
        return done >= cut;
    }

    /// Waits until a cut is on all disks. Does not where none are taken, as during a recovery.
    ///
    /// @throws JournalException if it never will be
    void await(long cut) {
        if (isDone(cut) || thread == null || !mayWait.getAsBoolean()) {
            return;
        }
        long _ = wanted.accumulateAndGet(cut, Math::max);
        LockSupport.unpark(thread);
        while (!isDone(cut)) {
            check.run();
            if (failure instanceof JournalException e) {
                throw new JournalException(e.kind(), String.valueOf(e.getMessage()), e);
            }
            waiting.add(Thread.currentThread());
            if (!isDone(cut)) {
                host.sleep(WAIT_NANOS);
            }
        }
    }

    /// Waits until all is durable that was published.
    void awaitAll() {
        if (durability == Durability.SYNC) {
            await(committed());
        }
    }

    /// @throws JournalFullException if a memory server's disk is full
    /// @throws JournalException if one has failed
    void requireWorking() {
        RuntimeException why = failure;
        if (why instanceof JournalFullException) {
            throw new JournalFullException(String.valueOf(why.getMessage()), why);
        }
        if (why instanceof JournalException e) {
            throw new JournalException(e.kind(), String.valueOf(e.getMessage()), e);
        }
    }

    private void takeAll() {
        long lastNanos = host.nanoTime();
        while (!closing) {
            long age = host.nanoTime() - lastNanos;
            boolean isDue = isChanged && age >= intervalNanos || age >= IDLE_NANOS;
            if (wanted.get() > begun || isDue) {
                lastNanos = host.nanoTime();
                if (!takeOnce()) {
                    host.sleep(RETRY_NANOS);
                }
            } else {
                host.sleep(intervalNanos);
            }
        }
        if (isChanged) { // so that a process that shuts down cleanly loses nothing
            boolean _ = takeOnce();
        }
        wake();
    }

    /// @return whether it is on all disks
    private boolean takeOnce() {
        isChanged = false;
        long cut = begun + 1;
        begun = cut; // before its snapshot is chosen
        try {
            Objects.requireNonNull(taker).run();
            done = cut;
            failure = null;
            return true;
        } catch (RuntimeException e) {
            failure = e;
            isChanged = true;
            long _ = wanted.accumulateAndGet(cut + 1, Math::max);
            return false;
        } finally {
            wake();
        }
    }

    private void wake() {
        for (Thread next = waiting.poll(); next != null; next = waiting.poll()) {
            LockSupport.unpark(next);
        }
    }

    @Override
    public void close() {
        closing = true;
        Thread started = thread;
        if (started != null) {
            LockSupport.unpark(started);
            MaintenanceThread.joinUninterruptibly(started);
        }
    }
}

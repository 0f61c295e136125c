package org.namdb.compute.admission;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;

/// Runs as many procedures and statements at a time as there are processors, where transactions
/// wait for processors and not for round trips. Without it, a thread that is preempted between its
/// snapshot and its commit comes back to a conflict, and one that is preempted between lock and
/// publish blocks its records until all other threads have had their turns:
/// ```
///   A  locks warehouse 1, loses its processor       62 threads stand before it in the run queue
///   B, C, ..  meet the lock, and try again           for a time slice each
///   A  publishes, 100 ms later
/// ```
/// A session takes a *permit* before its snapshot, and keeps it from one transaction to the next
/// for a slice of time, so that no thread is woken for a single transaction. A permit whose session
/// runs nothing may be taken by any other. A session that finds none waits in a queue, and at the
/// end of a slice the permit goes to the first waiter. A session that sleeps in the middle of a
/// procedure, or waits for another one, loses its permit to the queue and goes on without; so no
/// session waits forever.
///
/// A transaction that stays open between statements takes a permit for each of them. In between the
/// permit is idle, so that any waiter may take it, but it is handed off only after the end: the
/// longer a transaction takes, the more conflicts it meets.
///
/// A permit is one word, the session's number and whether it runs something, and changes by CAS
/// only. Without waiters, a transaction costs two of them, on a cache line that only its own thread
/// uses.
public final class Admission {
    /// Long compared with the time that it takes to wake a thread and to warm a cache; short
    /// compared with what a person notices.
    private static final long SLICE_NANOS = 2_000_000;

    /// How long the first waiter sleeps before it polls the permits itself.
    private static final long POLL_NANOS = 2_000_000;

    /// The same for the others: only the first must poll.
    private static final long QUEUED_NANOS = 20_000_000;

    /// A session that has not ended a transaction for so long counts as asleep.
    private static final long STUCK_NANOS = 10_000_000;

    /// A session that pauses for longer does not run one transaction after the other.
    private static final long PAUSE_NANOS = 20_000;

    /// The words of two permits are apart by more than the two cache lines that are fetched
    /// together.
    private static final int STRIDE = 16;

    /// How often a session tries to collect the garbage of its predecessor. Then others do.
    private static final int MAX_MAINTENANCE_TRIES = 4;

    private static final int NO_PERMIT = -1;

    /// Of a waiter: it has found a permit itself.
    private static final int FOUND = -2;

    /// A permit without a session.
    private static final long FREE = 0;

    /// A permit that is being handed off.
    private static final long HANDED_OVER = 1;

    private final Host host;
    private final int count;
    private final long sliceNanos;
    private final long stuckNanos;

    /// By permit: `participant << 1`, and 1 more while the session runs something; or FREE, or
    /// HANDED_OVER.
    private final AtomicLongArray permits;

    /// By permit: when its session last ended a transaction while others waited.
    private final AtomicLongArray signs;

    /// By permit: the session that handed it off last.
    private final AtomicReferenceArray<@Nullable Participant> leavers;

    private final ConcurrentLinkedQueue<Participant> queue = new ConcurrentLinkedQueue<>();

    /// How many wait: never fewer than are in the queue.
    private final AtomicInteger waiting = new AtomicInteger();

    private final AtomicInteger participants = new AtomicInteger();

    /// @param count how many may run at a time; 0 for any number
    public Admission(Host host, int count) {
        this(host, count, SLICE_NANOS, STUCK_NANOS);
    }

    /// @param sliceNanos how long a session keeps its permit while others wait
    /// @param stuckNanos after what time without an end of a transaction a session counts as asleep
    Admission(Host host, int count, long sliceNanos, long stuckNanos) {
        this.host = host;
        this.count = count;
        this.sliceNanos = sliceNanos;
        this.stuckNanos = stuckNanos;
        this.permits = new AtomicLongArray((count + 1) * STRIDE);
        this.signs = new AtomicLongArray((count + 1) * STRIDE);
        this.leavers = new AtomicReferenceArray<>(count);
    }

    /// A session's side of it.
    ///
    /// @param runMaintenance collects the session's garbage, and returns whether all is done;
    ///     called by the next session that has its permit, while this one may come back
    /// @param whileWaiting called repeatedly while the session waits for a permit; what it throws
    ///     ends the wait
    public Participant participant(BooleanSupplier runMaintenance, Runnable whileWaiting) {
        return new Participant(participants.incrementAndGet(), runMaintenance, whileWaiting);
    }

    /// How many sessions wait for a permit.
    int waiting() {
        return waiting.get();
    }

    /// A session's side of admission control. Used by the session's thread.
    public final class Participant {
        private final long idle;
        private final long running;
        private int permit = NO_PERMIT;

        /// Nested runs, a procedure in a statement for example, share one permit.
        private int depth;

        /// When the slice ends; begun by the first transaction that ends while others wait.
        private long sliceEndNanos;

        private boolean hasSlice;

        /// When the last transaction ended, if others waited then; else 0.
        private long leftNanos;

        /// Whether it runs one transaction after the other.
        private boolean isSteady = true;

        private volatile @Nullable Thread waiter;

        /// The permit that another session has handed off, while this one waits.
        private final AtomicInteger given = new AtomicInteger(NO_PERMIT);

        private final BooleanSupplier runMaintenance;
        private final Runnable whileWaiting;

        /// The session that handed its permit off to this one, until its garbage is collected.
        private @Nullable Participant predecessor;

        private int maintenanceTries;

        private Participant(int number, BooleanSupplier runMaintenance, Runnable whileWaiting) {
            this.runMaintenance = runMaintenance;
            this.whileWaiting = whileWaiting;
            this.idle = (long) number << 1;
            this.running = idle | 1;
        }

        /// Before a transaction begins, or a statement of one: takes a permit. Needs a [#leave] or
        /// a [#pause].
        public void enter() {
            if (count == 0 || ++depth > 1) {
                return;
            }
            if (leftNanos != 0) {
                isSteady = host.nanoTime() - leftNanos < PAUSE_NANOS;
                leftNanos = 0;
            }
            boolean isAdmitted =
                    permit != NO_PERMIT && permits.compareAndSet(at(permit), idle, running);
            if (!isAdmitted && !take(false, 0)) {
                boolean hasPermit = false;
                try {
                    await();
                    hasPermit = true;
                } finally {
                    depth -= hasPermit ? 0 : 1;
                }
            }
        }

        /// After a statement, in the middle of a transaction: any waiter may take the permit.
        public void pause() {
            if (isInside() || permit == NO_PERMIT) {
                return;
            }
            if (!permits.compareAndSet(at(permit), running, idle)) {
                permit = NO_PERMIT; // it took too long
            }
        }

        private boolean isInside() {
            return count == 0 || --depth > 0;
        }

        /// After a transaction has ended.
        public void leave() {
            if (isInside() || permit == NO_PERMIT) {
                return;
            }
            if (waiting.get() > 0) {
                long now = host.nanoTime();
                leftNanos = now;
                signs.setOpaque(at(permit), now);
                if (isSliceOver(now)) {
                    handOver();
                    return;
                }
            }
            if (!permits.compareAndSet(at(permit), running, idle)) {
                permit = NO_PERMIT; // it took too long
            }
        }

        /// In a statement that waits for something that needs no processor: others have the permit
        /// until it [steps back][#stepBack], or permanently if it has nothing more to do.
        public void stepAside() {
            if (count > 0 && depth == 1) {
                leave();
                depth = 1; // it is inside still, without a permit
            }
        }

        /// After [#stepAside].
        public void stepBack() {
            if (count > 0 && depth == 1) {
                depth = 0;
                try {
                    enter();
                } finally {
                    depth = 1; // also if it has found no permit: its statement ends by that
                }
            }
        }

        /// Before [#leave]: whether the permit is going to be handed off, so that garbage that
        /// others would read past is collected now.
        public boolean isLastOfSlice() {
            return depth == 1
                    && permit != NO_PERMIT
                    && waiting.get() > 0
                    && isSliceOver(host.nanoTime());
        }

        /// Collects the garbage of the session that handed the permit off: it can't until it has a
        /// permit again. For a session that has run transactions since.
        public void maintainPredecessor() {
            Participant left = predecessor;
            if (left != null && (left.runMaintenance.getAsBoolean() || --maintenanceTries == 0)) {
                predecessor = null;
            }
        }

        private boolean isSliceOver(long now) {
            if (!hasSlice) {
                hasSlice = true;
                sliceEndNanos = now + sliceNanos;
            }
            return !isSteady || now - sliceEndNanos >= 0;
        }

        /// Hands the permit off to the first waiter.
        private void handOver() {
            int from = permit;
            permit = NO_PERMIT;
            leavers.setOpaque(from, this);
            if (!permits.compareAndSet(at(from), running, HANDED_OVER)) {
                return; // it took too long, and the permit is another one's
            }
            Participant next = queue.poll();
            while (next != null && !next.given.compareAndSet(NO_PERMIT, from)) {
                next = queue.poll(); // that one has found a permit itself
            }
            if (next == null) {
                boolean _ = permits.compareAndSet(at(from), HANDED_OVER, FREE);
            } else {
                LockSupport.unpark(next.waiter);
            }
        }

        /// Takes a permit whose session runs nothing, or is asleep.
        ///
        /// @param countsSleepers whether those count
        /// @param sinceNanos ends of transactions before then do not count
        private boolean take(boolean countsSleepers, long sinceNanos) {
            for (int i = 0; i < count; i++) {
                long word = permits.get(at(i));
                boolean isFree = (word & 1) == 0 || countsSleepers && isAsleep(i, sinceNanos);
                if (isFree && permits.compareAndSet(at(i), word, running)) {
                    sit(i);
                    return true;
                }
            }
            return false;
        }

        private boolean isAsleep(int other, long sinceNanos) {
            long now = host.nanoTime();
            long sign = signs.getOpaque(at(other));
            return now - sinceNanos > stuckNanos && (sign == 0 || now - sign > stuckNanos);
        }

        private void sit(int at) {
            permit = at;
            predecessor = null;
            hasSlice = false;
            isSteady = true;
        }

        private void await() {
            permit = NO_PERMIT;
            long start = host.nanoTime();
            given.set(NO_PERMIT);
            waiter = Thread.currentThread();
            waiting.incrementAndGet();
            try {
                while (permit == NO_PERMIT) {
                    given.set(NO_PERMIT);
                    queue.add(this);
                    awaitPermit(start);
                    queue.remove(this);
                }
            } finally {
                if (permit == NO_PERMIT) {
                    giveUp();
                }
                waiter = null;
                waiting.decrementAndGet();
            }
        }

        /// Its wait has failed: others get the permits from here on, including one that it was just
        /// handed.
        private void giveUp() {
            queue.remove(this);
            if (!given.compareAndSet(NO_PERMIT, FOUND)) {
                releaseGrantedPermit();
            }
        }

        private void releaseGrantedPermit() {
            boolean _ = permits.compareAndSet(at(given.get()), HANDED_OVER, FREE);
        }

        /// Waits until it has found a permit or was handed one, which others may have taken
        /// meanwhile.
        private void awaitPermit(long start) {
            boolean isFound = take(false, start); // a session may have left before it was counted
            while (!isFound && given.get() == NO_PERMIT) {
                host.sleep(queue.peek() == this ? POLL_NANOS : QUEUED_NANOS);
                if (given.get() == NO_PERMIT) {
                    whileWaiting.run();
                    isFound = take(true, start);
                }
            }
            if (isFound && given.compareAndSet(NO_PERMIT, FOUND)) {
                return;
            }
            int other = given.get();
            if (isFound) {
                releaseGrantedPermit();
            } else if (permits.compareAndSet(at(other), HANDED_OVER, running)) {
                sit(other);
                predecessor = leavers.getOpaque(other);
                maintenanceTries = MAX_MAINTENANCE_TRIES;
            }
        }
    }

    private static int at(int permit) {
        return (permit + 1) * STRIDE;
    }
}

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
/// session waits for ever.
///
/// A transaction that stays open between statements takes a permit for each of them. In between the
/// permit is idle, so that any waiter may take it, but it is handed off only after the end: the
/// longer a transaction takes, the more conflicts it meets.
///
/// A permit is one word, the session's number and whether it runs something, and changes by CAS
/// only. Without waiters, a transaction costs two of them, on a cache line that only its own thread
/// uses.
public final class Admission {
    /// Long beside the time that it takes to wake a thread and to warm a cache; short beside what a
    /// person notices.
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
    private static final int MOST_TRIES_TO_TIDY = 4;

    private static final int NO_SEAT = -1;

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

    /// By permit: `guest << 1`, and 1 more while the session runs something; or FREE, or
    /// HANDED_OVER.
    private final AtomicLongArray seats;

    /// By permit: when its session last ended a transaction while others waited.
    private final AtomicLongArray signs;

    /// By permit: the session that handed it off last.
    private final AtomicReferenceArray<@Nullable Guest> leavers;

    private final ConcurrentLinkedQueue<Guest> queue = new ConcurrentLinkedQueue<>();

    /// How many wait: never fewer than are in the queue.
    private final AtomicInteger waiting = new AtomicInteger();

    private final AtomicInteger guests = new AtomicInteger();

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
        this.seats = new AtomicLongArray((count + 1) * STRIDE);
        this.signs = new AtomicLongArray((count + 1) * STRIDE);
        this.leavers = new AtomicReferenceArray<>(count);
    }

    /// A session's side of it.
    ///
    /// @param tidyUp collects the session's garbage, and returns whether all is done; called by the
    ///     next session that has its permit, while this one may come back
    /// @param whileWaiting called repeatedly while the session waits for a permit; what it throws
    ///     ends the wait
    public Guest guest(BooleanSupplier tidyUp, Runnable whileWaiting) {
        return new Guest(guests.incrementAndGet(), tidyUp, whileWaiting);
    }

    /// How many sessions wait for a permit.
    int waiting() {
        return waiting.get();
    }

    /// A session's side of admission control. Used by the session's thread.
    public final class Guest {
        private final long idle;
        private final long running;
        private int seat = NO_SEAT;

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
        private final AtomicInteger given = new AtomicInteger(NO_SEAT);

        private final BooleanSupplier tidyUp;
        private final Runnable whileWaiting;

        /// The session that handed its permit off to this one, until its garbage is collected.
        private @Nullable Guest predecessor;

        private int triesToTidy;

        private Guest(int number, BooleanSupplier tidyUp, Runnable whileWaiting) {
            this.tidyUp = tidyUp;
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
            boolean isSeated = seat != NO_SEAT && seats.compareAndSet(at(seat), idle, running);
            if (!isSeated && !take(false, 0)) {
                boolean hasSeat = false;
                try {
                    await();
                    hasSeat = true;
                } finally {
                    depth -= hasSeat ? 0 : 1;
                }
            }
        }

        /// After a statement, in the middle of a transaction: any waiter may take the permit.
        public void pause() {
            if (isInside() || seat == NO_SEAT) {
                return;
            }
            if (!seats.compareAndSet(at(seat), running, idle)) {
                seat = NO_SEAT; // it took too long
            }
        }

        private boolean isInside() {
            return count == 0 || --depth > 0;
        }

        /// After a transaction has ended.
        public void leave() {
            if (isInside() || seat == NO_SEAT) {
                return;
            }
            if (waiting.get() > 0) {
                long now = host.nanoTime();
                leftNanos = now;
                signs.setOpaque(at(seat), now);
                if (isSliceOver(now)) {
                    handOver();
                    return;
                }
            }
            if (!seats.compareAndSet(at(seat), running, idle)) {
                seat = NO_SEAT; // it took too long
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
                    && seat != NO_SEAT
                    && waiting.get() > 0
                    && isSliceOver(host.nanoTime());
        }

        /// Collects the garbage of the session that handed the permit off: it can't until it has a
        /// permit again. For a session that has run transactions since.
        public void tidyUpAfterPredecessor() {
            Guest left = predecessor;
            if (left != null && (left.tidyUp.getAsBoolean() || --triesToTidy == 0)) {
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
            int from = seat;
            seat = NO_SEAT;
            leavers.setOpaque(from, this);
            if (!seats.compareAndSet(at(from), running, HANDED_OVER)) {
                return; // it took too long, and the permit is another one's
            }
            Guest next = queue.poll();
            while (next != null && !next.given.compareAndSet(NO_SEAT, from)) {
                next = queue.poll(); // that one has found a permit itself
            }
            if (next == null) {
                boolean _ = seats.compareAndSet(at(from), HANDED_OVER, FREE);
            } else {
                LockSupport.unpark(next.waiter);
            }
        }

        /// Takes a permit whose session runs nothing, or is asleep.
        ///
        /// @param looksForSleepers whether those count
        /// @param sinceNanos ends of transactions before then do not count
        private boolean take(boolean looksForSleepers, long sinceNanos) {
            for (int i = 0; i < count; i++) {
                long word = seats.get(at(i));
                boolean isFree = (word & 1) == 0 || looksForSleepers && isAsleep(i, sinceNanos);
                if (isFree && seats.compareAndSet(at(i), word, running)) {
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
            seat = at;
            predecessor = null;
            hasSlice = false;
            isSteady = true;
        }

        private void await() {
            seat = NO_SEAT;
            long start = host.nanoTime();
            given.set(NO_SEAT);
            waiter = Thread.currentThread();
            waiting.incrementAndGet();
            try {
                while (seat == NO_SEAT) {
                    given.set(NO_SEAT);
                    queue.add(this);
                    awaitSeat(start);
                    queue.remove(this);
                }
            } finally {
                if (seat == NO_SEAT) {
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
            if (!given.compareAndSet(NO_SEAT, FOUND)) {
                leaveGiven();
            }
        }

        private void leaveGiven() {
            boolean _ = seats.compareAndSet(at(given.get()), HANDED_OVER, FREE);
        }

        /// Waits until it has found a permit or was handed one, which others may have taken
        /// meanwhile.
        private void awaitSeat(long start) {
            boolean isFound = take(false, start); // a session may have left before it was counted
            while (!isFound && given.get() == NO_SEAT) {
                host.sleep(queue.peek() == this ? POLL_NANOS : QUEUED_NANOS);
                if (given.get() == NO_SEAT) {
                    whileWaiting.run();
                    isFound = take(true, start);
                }
            }
            if (isFound && given.compareAndSet(NO_SEAT, FOUND)) {
                return;
            }
            int other = given.get();
            if (isFound) {
                leaveGiven();
            } else if (seats.compareAndSet(at(other), HANDED_OVER, running)) {
                sit(other);
                predecessor = leavers.getOpaque(other);
                triesToTidy = MOST_TRIES_TO_TIDY;
            }
        }
    }

    private static int at(int seat) {
        return (seat + 1) * STRIDE;
    }
}

package org.namdb.compute.admission;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;

/// Lets as many procedures and statements run at a time as there are processors, where it is
/// processors and not round trips that transactions wait for. Without it, a thread that loses its
/// processor between its snapshot and its commit comes back to a conflict, and one that loses it
/// between lock and publish keeps everybody from its records for as long as all other threads take
/// their turns:
/// ```
///   A  locks warehouse 1, loses its processor       62 threads stand before it in the run queue
///   B, C, ..  meet the lock, and try again           for a time slice each
///   A  publishes, 100 ms later
/// ```
/// There are *seats*. A session takes one before its snapshot, and keeps it from one transaction to
/// the next for a slice of time, so that no thread is woken for a single transaction. A seat whose
/// guest runs nothing is anybody's. Who finds none waits in a queue, and at the end of a slice the
/// seat goes to the first who waits. A guest that sleeps in the middle of a procedure, or waits for
/// another one, loses its seat to the queue and goes on without; so nobody waits for ever.
///
/// A transaction that stays open between statements takes its seat for each of them. In between the
/// seat stays idle, so that whoever waits may take it, but it is handed over only after the end:
/// the longer a transaction takes, the more conflicts it meets.
///
/// A seat is one word, the guest's number and whether it runs something, and whoever changes it
/// does so by compare-and-swap from what it has seen. So long as nobody waits, a transaction costs
/// two of them, on a cache line that only its own thread uses.
public final class Admission {
    /// Long beside the time that it takes to wake a thread and to warm a cache; short beside what a
    /// person notices.
    private static final long SLICE_NANOS = 2_000_000;

    /// How long the first in the queue sleeps before it looks for seats itself.
    private static final long POLL_NANOS = 2_000_000;

    /// The same for the others: only the first must look.
    private static final long QUEUED_NANOS = 20_000_000;

    /// A guest that has not ended a transaction for so long is asleep.
    private static final long STUCK_NANOS = 10_000_000;

    /// Who is back after a longer pause doesn't run one transaction after the other.
    private static final long PAUSE_NANOS = 20_000;

    /// The words of two seats are apart by more than the two cache lines that are fetched together.
    private static final int STRIDE = 16;

    /// How often a guest tries to tidy up after the one before it. Then others do.
    private static final int MOST_TRIES_TO_TIDY = 4;

    private static final int NO_SEAT = -1;

    /// Of a guest that waits: it has found a seat itself.
    private static final int FOUND = -2;

    /// A seat without a guest.
    private static final long FREE = 0;

    /// A seat on its way from one guest to the next.
    private static final long HANDED_OVER = 1;

    private final Host host;
    private final int count;
    private final long sliceNanos;
    private final long stuckNanos;

    /// By seat: `guest << 1`, and 1 more while the guest runs something; or FREE, or HANDED_OVER.
    private final AtomicLongArray seats;

    /// By seat: when its guest last ended a transaction while somebody waited.
    private final AtomicLongArray signs;

    /// By seat: who handed it over last.
    private final AtomicReferenceArray<@Nullable Guest> leavers;

    private final ConcurrentLinkedQueue<Guest> queue = new ConcurrentLinkedQueue<>();

    /// How many wait: never fewer than stand in the queue.
    private final AtomicInteger waiting = new AtomicInteger();

    private final AtomicInteger guests = new AtomicInteger();

    /// @param count how many may run at a time; 0 for any number
    public Admission(Host host, int count) {
        this(host, count, SLICE_NANOS, STUCK_NANOS);
    }

    /// @param sliceNanos how long a guest keeps its seat while others wait
    /// @param stuckNanos after what time without an end of a transaction a guest is asleep
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
    /// @param tidyUp sees to what the session has left behind, and says whether all is done; called
    ///     by the next one on its seat, while the session may come back
    /// @param whileWaiting called again and again while the session waits for a seat; what it
    ///     throws ends the wait
    public Guest guest(BooleanSupplier tidyUp, Runnable whileWaiting) {
        return new Guest(guests.incrementAndGet(), tidyUp, whileWaiting);
    }

    /// How many wait for a seat.
    int waiting() {
        return waiting.get();
    }

    /// A session, as admission knows it. Used by the session's thread.
    public final class Guest {
        private final long idle;
        private final long running;
        private int seat = NO_SEAT;

        /// What it runs runs others: a statement a procedure, say. They share one seat.
        private int depth;

        /// When the slice ends; begun by the first transaction that ends while somebody waits.
        private long sliceEndNanos;

        private boolean hasSlice;

        /// When the last transaction ended, if somebody waited then; else 0.
        private long leftNanos;

        /// Whether it runs one transaction after the other.
        private boolean isSteady = true;

        private volatile @Nullable Thread waiter;

        /// The seat that another guest has handed over, while this one waits.
        private final AtomicInteger given = new AtomicInteger(NO_SEAT);

        private final BooleanSupplier tidyUp;
        private final Runnable whileWaiting;

        /// Who handed the seat over to this one, and has not been tidied up after.
        private @Nullable Guest predecessor;

        private int triesToTidy;

        private Guest(int number, BooleanSupplier tidyUp, Runnable whileWaiting) {
            this.tidyUp = tidyUp;
            this.whileWaiting = whileWaiting;
            this.idle = (long) number << 1;
            this.running = idle | 1;
        }

        /// Before a transaction begins, or a statement of one: takes a seat. Needs a [#leave]
        /// or a [#pause].
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

        /// After a statement, in the middle of a transaction: anybody who waits may take the seat.
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

        /// In a statement that waits for something that needs no processor: others have the seat
        /// until it [steps back][#stepBack], or for good if it has nothing more to do.
        public void stepAside() {
            if (count > 0 && depth == 1) {
                leave();
                depth = 1; // it is inside still, without a seat
            }
        }

        /// After [#stepAside].
        public void stepBack() {
            if (count > 0 && depth == 1) {
                depth = 0;
                try {
                    enter();
                } finally {
                    depth = 1; // also if it has found no seat: its statement ends by that
                }
            }
        }

        /// Before [#leave]: whether the seat is going to be handed over, so that what should not
        /// lie about while others run is done now.
        public boolean isLastOfSlice() {
            return depth == 1
                    && seat != NO_SEAT
                    && waiting.get() > 0
                    && isSliceOver(host.nanoTime());
        }

        /// Sees to what the one has left behind who handed the seat over: it can't until it has a
        /// seat again. For a guest that has run transactions since.
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

        /// Gives the seat to the first who waits.
        private void handOver() {
            int from = seat;
            seat = NO_SEAT;
            leavers.setOpaque(from, this);
            if (!seats.compareAndSet(at(from), running, HANDED_OVER)) {
                return; // it took too long, and the seat is another one's
            }
            Guest next = queue.poll();
            while (next != null && !next.given.compareAndSet(NO_SEAT, from)) {
                next = queue.poll(); // that one has found a seat itself
            }
            if (next == null) {
                boolean _ = seats.compareAndSet(at(from), HANDED_OVER, FREE);
            } else {
                LockSupport.unpark(next.waiter);
            }
        }

        /// Takes a seat whose guest runs nothing, or is asleep.
        ///
        /// @param looksForSleepers whether those count
        /// @param sinceNanos what guests have ended before then says nothing
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

        /// Its wait has failed: others get the seats from here on, the one included that it was
        /// just given.
        private void giveUp() {
            queue.remove(this);
            if (!given.compareAndSet(NO_SEAT, FOUND)) {
                leaveGiven();
            }
        }

        private void leaveGiven() {
            boolean _ = seats.compareAndSet(at(given.get()), HANDED_OVER, FREE);
        }

        /// Waits until it has found a seat or was given one, which others may have taken meanwhile.
        private void awaitSeat(long start) {
            boolean isFound = take(false, start); // somebody may have left before it was counted
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

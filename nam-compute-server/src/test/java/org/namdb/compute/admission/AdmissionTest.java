package org.namdb.compute.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.fabric.Host;
import org.namdb.fabric.Threads;

/// Who runs, who waits, and that nobody waits for ever.
class AdmissionTest {
    private static final int SEATS = 2;

    private final Admission admission = new Admission(Host.MACHINE, SEATS);

    @Test
    void oneAfterTheOtherKeepsItsSeatAndNobodyWaits() {
        Admission.Guest guest = admission.guest(() -> true, () -> {});
        for (int i = 0; i < 1_000; i++) {
            guest.enter();
            guest.leave();
        }
        assertThat(admission.waiting()).isZero();
    }

    @Test
    void aSeatWhoseGuestRunsNothingIsAnybodys() {
        List<Admission.Guest> guests = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            guests.add(admission.guest(() -> true, () -> {}));
        }
        for (Admission.Guest guest : guests) {
            guest.enter(); // would wait for ever if the seats of those before it were kept for them
            guest.leave();
        }
        for (Admission.Guest guest : guests) {
            guest.enter();
            guest.leave();
        }
        assertThat(admission.waiting()).isZero();
    }

    /// A statement in the middle of a transaction ends: its seat is not kept for the next one.
    @Test
    void whoPausesLeavesItsSeatToAnybody() {
        for (int i = 0; i < 10; i++) {
            Admission.Guest guest = admission.guest(() -> true, () -> {});
            guest.enter(); // would wait for ever if the seats of those before it were kept for them
            guest.pause();
        }
        assertThat(admission.waiting()).isZero();
    }

    /// A statement runs a procedure: if that took a second seat, it would wait for its own.
    @Test
    void whatRunsInsideSharesTheSeat() {
        Admission one = new Admission(Host.MACHINE, 1, 0, Long.MAX_VALUE);
        Admission.Guest guest = one.guest(() -> true, () -> {});
        guest.enter();
        guest.enter();
        guest.leave();
        guest.enter();
        guest.leave();
        guest.leave();
        Admission.Guest other = one.guest(() -> true, () -> {});
        other.enter();
        other.leave();
        assertThat(one.waiting()).isZero();
    }

    /// A seat is handed over after every transaction, and nobody is ever taken for asleep.
    @Test
    void noMoreRunAtATimeThanThereAreSeats() throws Exception {
        Admission strict = new Admission(Host.MACHINE, SEATS, 0, Long.MAX_VALUE);
        int threads = 16;
        int turns = 2_000;
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        int[] done = new int[threads];
        Threads.run(
                threads,
                thread -> {
                    Admission.Guest guest = strict.guest(() -> true, () -> {});
                    for (int i = 0; i < turns; i++) {
                        guest.enter();
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        done[thread]++;
                        running.decrementAndGet();
                        guest.leave();
                    }
                });
        assertThat(done).containsOnly(turns);
        assertThat(most.get()).isPositive().isLessThanOrEqualTo(SEATS);
        assertThat(strict.waiting()).isZero();
    }

    /// Who is going to hand over its seat knows that before it leaves, and nobody else does.
    @Test
    void theLastOfASliceIsKnown() throws Exception {
        Admission one = new Admission(Host.MACHINE, 1, 0, Long.MAX_VALUE);
        CountDownLatch seated = new CountDownLatch(1);
        Threads.run(
                2,
                thread -> {
                    Admission.Guest guest = one.guest(() -> true, () -> {});
                    if (thread == 0) {
                        guest.enter();
                        assertThat(guest.isLastOfSlice()).isFalse();
                        seated.countDown();
                        while (one.waiting() == 0) {
                            Thread.onSpinWait();
                        }
                        assertThat(guest.isLastOfSlice()).isTrue();
                        guest.enter();
                        assertThat(guest.isLastOfSlice()).isFalse(); // the outer one goes on
                        guest.leave();
                    } else {
                        seated.await();
                        guest.enter();
                    }
                    guest.leave();
                });
        assertThat(one.waiting()).isZero();
    }

    /// It has garbage that waits for others' snapshots, say, and is in nobody's way only when that
    /// has gone.
    @Test
    void whoHandsItsSeatOverIsTidiedUpAfterByTheNextUntilAllIsDone() {
        assertThat(triesToTidyUp(List.of(true))).isEqualTo(1);
        assertThat(triesToTidyUp(List.of(false, false, true))).isEqualTo(3);
    }

    /// Who runs one transaction after the other can't do so for ever for another one.
    @Test
    void whoCanNotTidyUpAfterAnotherOneGivesUp() {
        assertThat(triesToTidyUp(Collections.nCopies(100, false))).isBetween(2, 10);
    }

    /// @param answers what the one who left says, one after the other: whether all is done
    /// @return how often it was asked, in many transactions of the next guest
    private static int triesToTidyUp(List<Boolean> answers) {
        ScriptedHost host = new ScriptedHost();
        Admission one = new Admission(host, 1, 0, Long.MAX_VALUE);
        AtomicInteger tries = new AtomicInteger();
        Admission.Guest left = one.guest(() -> answers.get(tries.getAndIncrement()), () -> {});
        left.enter();
        left.tidyUpAfterPredecessor(); // there is none, least of all itself
        assertThat(tries.get()).isZero();
        host.sleeps.add(left::leave);
        Admission.Guest next = one.guest(() -> true, () -> {});
        for (int i = 0; i < answers.size() + 10; i++) {
            next.enter();
            next.tidyUpAfterPredecessor();
            next.leave();
        }
        return tries.get();
    }

    /// It is not there any more to take the seat that it would be given.
    @Test
    void whoseWaitFailsLeavesTheQueue() {
        ScriptedHost host = new ScriptedHost();
        Admission one = new Admission(host, 1, 0, Long.MAX_VALUE);
        Admission.Guest seated = one.guest(() -> true, () -> {});
        Admission.Guest failing = one.guest(() -> true, () -> {});
        Admission.Guest next = one.guest(() -> true, () -> {});
        seated.enter();
        host.sleeps.add(ScriptedHost::fail);
        assertThatThrownBy(failing::enter).isInstanceOf(OutOfMemoryError.class);
        assertThat(one.waiting()).isZero();
        host.sleeps.add(seated::leave);
        next.enter();
        next.leave();
        failing.enter();
        failing.leave();
        assertThat(host.sleeps).isEmpty();
        assertThat(host.asked).as("each as the first in the queue").hasSize(1);
    }

    @Test
    void whoseWaitFailsLeavesTheSeatThatItHasJustBeenGiven() {
        ScriptedHost host = new ScriptedHost();
        Admission one = new Admission(host, 1, 0, Long.MAX_VALUE);
        Admission.Guest seated = one.guest(() -> true, () -> {});
        Admission.Guest failing = one.guest(() -> true, () -> {});
        Admission.Guest next = one.guest(() -> true, () -> {});
        seated.enter();
        host.sleeps.add(() -> {
            seated.leave();
            ScriptedHost.fail();
        });
        assertThatThrownBy(failing::enter).isInstanceOf(OutOfMemoryError.class);
        next.enter(); // at once
        next.leave();
        assertThat(one.waiting()).isZero();
    }

    @Test
    void whoWaitsForASeatCanBeCancelled() {
        ScriptedHost host = new ScriptedHost();
        Admission one = new Admission(host, 1, 0, Long.MAX_VALUE);
        Admission.Guest seated = one.guest(() -> true, () -> {});
        Admission.Guest cancelled = one.guest(() -> true, ScriptedHost::fail);
        seated.enter();
        host.sleeps.add(() -> {});
        assertThatThrownBy(cancelled::enter).isInstanceOf(OutOfMemoryError.class);
        assertThat(one.waiting()).isZero();
        seated.leave();
        cancelled.enter(); // at once
        cancelled.leave();
    }

    /// In the place of each sleep it does what it was told; more sleeps than that are in vain.
    private static final class ScriptedHost implements Host {
        final Deque<Runnable> sleeps = new ArrayDeque<>();

        /// How long it was to sleep.
        final Set<Long> asked = new HashSet<>();

        static void fail() {
            throw new OutOfMemoryError("planted");
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Instant instant() {
            return Instant.now();
        }

        @Override
        public void sleep(long nanos) {
            asked.add(nanos);
            sleeps.remove().run();
        }

        @Override
        public Thread start(String name, Runnable work) {
            throw new UnsupportedOperationException();
        }
    }

    /// Two procedures that sleep until a third has run: they would wait for each other for ever.
    @Test
    void whoSleepsInAProcedureKeepsNobodyOut() throws Exception {
        CountDownLatch seated = new CountDownLatch(SEATS);
        CountDownLatch third = new CountDownLatch(1);
        Threads.run(
                SEATS + 1,
                thread -> {
                    Admission.Guest guest = admission.guest(() -> true, () -> {});
                    if (thread == SEATS) {
                        seated.await();
                        guest.enter();
                        guest.leave();
                        third.countDown();
                    } else {
                        guest.enter();
                        seated.countDown();
                        third.await();
                        guest.leave();
                        guest.enter();
                        guest.leave();
                    }
                });
        assertThat(admission.waiting()).isZero();
    }

    /// A guest that steps aside for longer than the others run: those who wait get its seat.
    @Test
    void whoStopsComingLeavesItsSeatToThoseWhoWait() throws Exception {
        int threads = 4 * SEATS;
        Threads.run(
                threads,
                thread -> {
                    Admission.Guest guest = admission.guest(() -> true, () -> {});
                    for (int round = 0; round < 20; round++) {
                        guest.enter();
                        guest.leave();
                        Thread.sleep(thread % 3);
                    }
                });
        assertThat(admission.waiting()).isZero();
    }

    @Test
    void bodiesThatMeetInsideTheirTransactionsAllGetIn() throws Exception {
        int threads = 6;
        CountDownLatch all = new CountDownLatch(threads);
        try (NamDb db = NamDb.embedded(EmbeddedOptions.DEFAULT.withConcurrency(SEATS))) {
            Threads.run(
                    threads,
                    thread ->
                            db.transact(transaction -> {
                                all.countDown();
                                try {
                                    all.await();
                                } catch (InterruptedException e) {
                                    throw new IllegalStateException(e);
                                }
                                return thread;
                            }));
        }
        assertThat(all.getCount()).isZero();
    }
}
